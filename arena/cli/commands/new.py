"""`arena new`: write a starter bot."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.app import App, ArenaCommand, pass_app
from arena.cli.params import PATH
from arena.errors import ArenaError
from arena.model.rules import NAME_PATTERN, name_rule
from arena.submission.starters.writer import STARTERS, write_starter


@click.command(
    cls=ArenaCommand,
    examples=("arena new mybot", "arena new quick --lang c", "arena new mybot --lang javascript --into bots"),
)
@click.argument("name")
@click.option("--lang", "language", type=click.Choice(list(STARTERS)), default="python", show_default=True,
              help="Language of the bot.")  # fmt: skip
@click.option("--into", "folder", type=PATH, default=Path(), help="Folder to write it into.")
@pass_app
def new(app: App, name: str, language: str, folder: Path) -> None:
    """Write a working starter bot: it plays every game at random, and its comments show what to change."""
    suffix = Path(STARTERS[language].files[0]).suffix
    name = name.removesuffix(suffix)  # `arena new mybot.py` means what `arena submit mybot.py` means
    if not NAME_PATTERN.fullmatch(name.lower()):  # a bot's name is that of its file in lower case
        raise click.UsageError(name_rule("bot", name))
    target = write_starter(name, language, folder)
    leave = " --allow-build" if STARTERS[language].is_folder and not _builds_are_confined(app) else ""
    app.say(f"wrote {target}")
    app.say(f"test it with `arena check{leave} {target}`, then submit it with `arena submit{leave} {target}`")


def _builds_are_confined(app: App) -> bool:
    """Return whether a bot that must be built can be checked and submitted here without `--allow-build`."""
    from arena.sandbox.probe import probe

    try:
        return probe(app.settings.sandbox or "auto", uids=app.settings.bot_uids).confined
    except ArenaError:
        return False
