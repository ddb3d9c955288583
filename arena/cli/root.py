"""The program `arena`: its commands, and the module that each is imported from when it is first used."""

from __future__ import annotations

from importlib import import_module
from typing import Final, NamedTuple

import click
from click.shell_completion import CompletionItem

from arena import __version__
from arena.cli.app import ArenaGroup, loading, shared_options


class Entry(NamedTuple):
    """One command in the overview."""

    module: str
    """The module in `arena.cli.commands` that defines the command, under the command's own name."""
    summary: str
    """The command's own summary, so that the overview needs no import. A test compares the two."""


FREQUENT: Final = {
    "submit": Entry("submit", "Submit a bot."),
    "check": Entry("check", "Check a bot as `arena submit` does, without submitting it."),
    "play": Entry("play", "Play one match between bots, each a file, a folder or a stored NAME[:VERSION]."),
    "compare": Entry("compare", "Play NEW and OLD until it is clear whether NEW is better."),
    "leaderboard": Entry("leaderboard", "Show the ratings of a league."),
    "versus": Entry(
        "versus",
        "Show the share of the points that each bot (line) has won against each other bot (column), and their"
        " meetings.",
    ),
    "publish": Entry(
        "leaderboard",
        "Write leaderboards as Markdown, CSV and JSON files with an index (by default of every league with a night).",
    ),
    "new": Entry("new", "Write a working starter bot."),
    "doctor": Entry(
        "doctor",
        "Show where everything is, which settings apply, what can be played, and how bots are sandboxed here.",
    ),
}
"""Commands that are typed without a noun, such as `arena submit`."""
NOUNS: Final = {
    "bot": Entry("bot", "The submitted bots."),
    "game": Entry("game", "The games that bots can play here."),
    "home": Entry(
        "home", "The home folder and the settings that apply here, which of them you trust, and who may read them."
    ),
    "league": Entry("league", "The leagues of this arena."),
    "match": Entry("match", "The matches that were played."),
    "night": Entry("night", "League nights."),
    "rating": Entry("rating", "The ratings of a league."),
    "completion": Entry("completion", "Print the completion script for a shell."),
}
"""Nouns, which have their own verbs."""
COMMANDS: Final = {**FREQUENT, **NOUNS}


class RootGroup(ArenaGroup):
    """The root group. It imports a command when it runs; the overview and completion of its name need the table."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the frequent verbs, then the nouns."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Return the command of that name, or None."""
        if name not in COMMANDS:
            return None
        with loading():
            command: click.Command = getattr(import_module(f"arena.cli.commands.{COMMANDS[name].module}"), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write two lists: the frequent verbs, and the nouns."""
        for title, entries in (("Commands", FREQUENT), ("More, by what they are about", NOUNS)):
            with formatter.section(title):
                formatter.write_dl([(name, entry.summary) for name, entry in entries.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the commands and options that begin with the typed text."""
        names = [name for name in COMMANDS if name.startswith(incomplete)]
        items = [CompletionItem(name, help=COMMANDS[name].summary) for name in names]
        return [*items, *click.Command.shell_complete(self, ctx, incomplete)]


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
