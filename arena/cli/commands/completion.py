"""`arena completion SHELL`: completion of commands, options, bots, leagues and games."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from arena.cli.app import App, ArenaCommand, pass_app

VARIABLE = "_ARENA_COMPLETE"
"""The environment variable by which a shell requests completions from this program."""


@click.command(
    cls=ArenaCommand,
    examples=(
        'eval "$(arena completion bash)"                                 # for this shell; for all: in ~/.bashrc',
        "arena completion fish > ~/.config/fish/completions/arena.fish",
    ),
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@pass_app
def completion(app: App, shell: str) -> None:
    """Print the completion script for a shell."""
    from arena.cli.root import root

    found = get_completion_class(shell)
    assert found is not None, "click knows the three shells"
    app.say(found(root, {}, "arena", VARIABLE).source())
