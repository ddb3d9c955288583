"""The program `arena`: which commands there are, and where each is found when it is first asked for."""

from __future__ import annotations

from importlib import import_module
from typing import Final

import click

from arena import __version__
from arena.cli.app import ArenaGroup, shared_options

FREQUENT: Final = {
    "submit": "arena.cli.submit:submit",
    "check": "arena.cli.check:check",
    "play": "arena.cli.play:play",
    "compare": "arena.cli.compare:compare",
    "leaderboard": "arena.cli.leaderboard:leaderboard",
    "versus": "arena.cli.versus:versus",
    "publish": "arena.cli.leaderboard:publish",
    "new": "arena.cli.new:new",
    "doctor": "arena.cli.doctor:doctor",
}
"""Verbs that stand alone."""
NOUNS: Final = {
    "bot": "arena.cli.bot:bot",
    "game": "arena.cli.game:game",
    "home": "arena.cli.home:home",
    "league": "arena.cli.league:league",
    "match": "arena.cli.match:match",
    "night": "arena.cli.night:night",
    "rating": "arena.cli.rating:rating",
    "completion": "arena.cli.completion:completion",
}
"""Nouns with verbs of their own."""


class RootGroup(ArenaGroup):
    """Loads a command when it is asked for, so that completion and `--version` stay quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The frequent verbs, then the nouns."""
        return [*FREQUENT, *NOUNS]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """The command of that name, or None."""
        place = {**FREQUENT, **NOUNS}.get(name)
        if place is None:
            return None
        module, _, attribute = place.partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Two lists: what is done often, and the rest by noun."""
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
        "arena submit mybot.py           # hand it in",
        "arena night run                 # play everyone against everyone",
        "arena leaderboard               # see who is best",
    ),
)
click.version_option(__version__, prog_name="arena", message="%(prog)s %(version)s")(root)
