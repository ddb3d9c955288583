"""What the commands that start bots share: where a bot comes from, how it is confined, by which rules it plays."""

from __future__ import annotations

import contextlib
import dataclasses
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.app import App, setting_option
from arena.errors import SettingsError, UsageError
from arena.records import Program
from arena.settings import LeagueRules, league_rules
from engine.catalog import get_game

if TYPE_CHECKING:
    from arena.sandbox import Sandbox

sandbox_option = setting_option(
    "--sandbox", key="sandbox", type=click.Choice(["required", "auto", "off"]),
    help="How bots are confined: refuse without, as well as this host can, or not at all.",
)  # fmt: skip


def probe_sandbox(app: App, rules: LeagueRules | None = None) -> Sandbox:
    """How bots are confined here, by the settings of this run, or by the rules of a league as it was begun."""
    from arena.sandbox import copy_engine, probe

    mode = app.settings.sandbox or (rules.sandbox if rules is not None else "auto")
    sandbox = dataclasses.replace(probe(mode, uids=app.settings.bot_uids), ledger=str(app.home.started))
    if sandbox.confined:
        return sandbox
    # Unconfined bots would find the whole arena beside the package that they may import: they get a copy of it alone.
    return dataclasses.replace(sandbox, engine_folder=copy_engine(app.home.create().folder / "engine"))


class Table:
    """Bots by the names and files that were typed, as programs; what was copied is gone when it is closed."""

    def __init__(self, app: App, *, allow_build: bool = False) -> None:
        self._app = app
        self.sandbox = probe_sandbox(app)
        self._allow_build = allow_build
        self._stack = contextlib.ExitStack()
        self._area: Path | None = None

    def __enter__(self) -> Table:
        """The table itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the copies."""
        self._stack.close()

    def program(self, bot: str) -> Program:
        """The program that `bot` means: a file or folder of that path, else a stored bot `NAME` or `NAME:VERSION`."""
        return self.offered(bot)[0]

    def offered(self, bot: str) -> tuple[Program, tuple[str, ...]]:
        """The same with the games that its manifest says it plays; none where it is offered every one."""
        from arena.submissions import Wishes, receive

        path = Path(bot)
        if "/" in bot or path.suffix or (path.exists() and ":" not in bot):
            if self._area is None:
                self._area = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="arena-")))
                self._area.chmod(0o755)  # bots run under another user where the arena runs as root
            wishes = Wishes(allow_build=self._allow_build, default_author=self._app.settings.author)
            candidate = self._stack.enter_context(receive(self._area, path, wishes, self.sandbox))
            return candidate.program(), candidate.games
        return self.stored(bot), ()

    def stored(self, label: str) -> Program:
        """The program of a stored version."""
        from arena.roster import stored_program

        with self._app.open_store() as store:
            return stored_program(self._app.home, store.version(label))


def rules_for_play(app: App, game: str | None, league: str | None, changes: dict[str, object]) -> LeagueRules:
    """The rules of a league, or of a game's default league, with changes that only an unrated match may have."""
    if league is not None:
        rules = app.settings.find_league(league)
        if game not in (None, rules.game):
            raise UsageError(f"league {league!r} plays {rules.game}, not {game}")
    elif game is not None:
        rules = app.settings.find_league(game)
    else:
        raise click.UsageError(f"expected --game or --league: one of {', '.join(app.settings.leagues())}")
    table = {**rules.model_dump(), **changes}
    table.pop("name")
    place = "the options"
    try:
        return league_rules(rules.name, table, place)
    except SettingsError as error:
        raise UsageError(str(error).removeprefix(f"[league.{rules.name}] of {place}: ")) from error


def read_options(game: str, given: Sequence[str]) -> dict[str, object]:
    """The game options in texts `NAME=VALUE`. Raises `UsageError`."""
    found = get_game(game)
    options: dict[str, object] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"--option {text}: expected NAME=VALUE")
        try:
            options[name] = found.option_from_text(name, value)
        except ValueError as error:
            raise UsageError(str(error)) from error
    return options
