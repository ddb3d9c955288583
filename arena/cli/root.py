"""The program `arena`: its commands, and the module that each is imported from when it is first used."""

from __future__ import annotations

from importlib import import_module
from typing import Final

import click

from arena import __version__
from arena.cli.app import ArenaGroup, shared_options

FREQUENT: Final = {
    "submit": "arena.cli.commands.submit:submit",
    "check": "arena.cli.commands.check:check",
    "play": "arena.cli.commands.play:play",
    "compare": "arena.cli.commands.compare:compare",
    "leaderboard": "arena.cli.commands.leaderboard:leaderboard",
    "versus": "arena.cli.commands.versus:versus",
    "publish": "arena.cli.commands.leaderboard:publish",
    "new": "arena.cli.commands.new:new",
    "doctor": "arena.cli.commands.doctor:doctor",
}
"""Verbs without a noun."""
NOUNS: Final = {
    "bot": "arena.cli.commands.bot:bot",
    "game": "arena.cli.commands.game:game",
    "home": "arena.cli.commands.home:home",
    "league": "arena.cli.commands.league:league",
    "match": "arena.cli.commands.match:match",
    "night": "arena.cli.commands.night:night",
    "rating": "arena.cli.commands.rating:rating",
    "completion": "arena.cli.commands.completion:completion",
}
"""Nouns, which have their own verbs."""


class RootGroup(ArenaGroup):
    """The root group. It imports a command when it is needed, so that completion and `--version` stay fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the frequent verbs, then the nouns."""
        return [*FREQUENT, *NOUNS]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Return the command of that name, or None."""
        place = {**FREQUENT, **NOUNS}.get(name)
        if place is None:
            return None
        module, _, attribute = place.partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write two lists: the frequent verbs, and the nouns."""
        for title, names in (("Commands", FREQUENT), ("More, by what they are about", NOUNS)):
            rows = []
            for name in names:
                command = self.get_command(ctx, name)
                if command is not None:
                    rows.append((name, command.get_short_help_str(80)))
            with formatter.section(title):
                formatter.write_dl(rows)


root = RootGroup(
    name="arena",
    help="Run league nights for submitted bots: fair matches in parallel, replays, ratings, leaderboards.",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    params=[*shared_options()],
    examples=(
        "arena new mybot --lang python   # write a starter bot",
        "arena submit mybot.py           # check it, and enter it in the leagues",
        "arena night run                 # let all bots play against each other",
        "arena leaderboard               # show the ratings",
    ),
)
click.version_option(__version__, prog_name="arena", message="%(prog)s %(version)s")(root)
