"""What the commands that start bots share: finding the bot, its sandbox and its rules."""

from __future__ import annotations

import contextlib
import dataclasses
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from arena.cli.app import App, setting_option
from arena.errors import ConfinementMissing, NightError, SettingsError, UsageError
from arena.text.sanitize import quoted, terminal
from arena.text.words import nearest

if TYPE_CHECKING:
    from arena.config.home import Home
    from arena.model.records import Program
    from arena.model.rules import LeagueRules
    from arena.sandbox.launcher import Sandbox
    from arena.store.values import Version

sandbox_option = setting_option(
    "--sandbox", key="sandbox", type=click.Choice(["required", "auto", "off"]),
    help="Sandbox for bots: required, as strong as this host allows, or off.",
)  # fmt: skip


def probe_sandbox(app: App, rules: LeagueRules | None = None) -> Sandbox:
    """Return the sandbox that the settings of this run select, or that the stored rules of a league select."""
    from arena.sandbox.launcher import copy_engine
    from arena.sandbox.probe import probe

    settings, file = app.settings, app.settings_file
    # The rules already contain the top-level value of the file, unless the league sets its own.
    of_file = file is not None and settings.sources.get("sandbox") == str(file.path)
    chosen = rules is not None and (of_file or settings.sandbox is None)
    mode = rules.sandbox if rules is not None and chosen else settings.sandbox or "auto"
    sandbox = dataclasses.replace(probe(mode, uids=settings.bot_uids), ledger=str(app.home.started))
    if sandbox.confined:
        return sandbox
    # An unsandboxed bot would find the whole arena beside the package `engine`, so it gets a copy of that package.
    if sandbox.uids:  # these users may not enter the home
        return dataclasses.replace(sandbox, engine_folder=_public_engine())
    return dataclasses.replace(sandbox, engine_folder=copy_engine(app.home.create().folder / "engine"))


def _public_engine() -> str:
    """Return a folder with a copy of the package `engine` that all users may read, until the command ends."""
    from arena.sandbox.launcher import copy_engine
    from arena.transport.scratch import make_scratch, remove_tree

    folder = make_scratch()
    click.get_current_context().call_on_close(lambda: remove_tree(folder))
    return copy_engine(folder)


def confine(app: App, leagues: Sequence[LeagueRules]) -> Sandbox:
    """Return a sandbox for bots that may play in any of these leagues, as strict as the strictest league demands.

    Raises `ConfinementMissing`, before any bot code runs, if this host lacks a layer that a league demands.
    """
    leagues = [*leagues, *_as_played(app, leagues)]
    strictest = min(leagues, key=lambda rules: _STRICTNESS.index(rules.sandbox), default=None)
    try:
        sandbox = probe_sandbox(app, strictest)
    except UsageError as error:
        if strictest is None or app.settings.sandbox is not None or strictest.sandbox != "required":
            raise
        raise ConfinementMissing(f"league {strictest.name} demands a sandbox, and {error}") from error
    require_layers(sandbox, leagues)
    return sandbox


def _as_played(app: App, leagues: Sequence[LeagueRules]) -> list[LeagueRules]:
    """Return the rules of the newest nights of these leagues, unless the settings file is surely the caller's.

    A command in another folder, maybe an untrusted one, must not get a weaker sandbox by that: neither if the settings
    of that folder change a league, nor if they do not define another league of the same game.
    """
    file = app.settings_file
    if (file is not None and file.standing != "harmless") or not app.home.database_file.is_file():
        return []
    with app.read_store() as store:
        names, games = {rules.name for rules in leagues}, {rules.game for rules in leagues}
        stored = store.leagues()
        unknown = {
            found.name for found in stored if found.game in games and app.settings.get_league(found.name) is None
        }
        played = [found.name for found in stored if found.nights]
        return [store.night(name).rules for name in played if name in names | unknown]


def require_layers(sandbox: Sandbox, leagues: Iterable[LeagueRules]) -> None:
    """Raise `ConfinementMissing` unless this host has all layers that these leagues demand."""
    missing = sandbox.missing_for_untrusted()
    for rules in leagues:
        if rules.untrusted and missing:
            raise ConfinementMissing(
                f"league {rules.name} is marked untrusted, and this host lacks {', '.join(missing)}: see `arena doctor`"
            )


_STRICTNESS: Final = ("required", "auto", "off")


def tell_surroundings(app: App, sandbox: Sandbox) -> None:
    """Print the settings file that counts and the missing layers, before a bot runs."""
    facts = surroundings(app, sandbox)
    file, missing = app.settings_file, facts["missing_layers"]
    told = [] if file is None else [f"settings: {terminal(str(file.path))} ({file.standing_text})"]
    if missing:
        told.append(f"the sandbox lacks {', '.join(missing)}")
    if told:
        app.note("; ".join(told))


def surroundings(app: App, sandbox: Sandbox) -> dict[str, Any]:
    """Return the same facts for a script."""
    from arena.sandbox.probe import LAYERS

    file = app.settings_file
    return {"settings": None if file is None else str(file.path),
            "missing_layers": [layer for layer in LAYERS if layer not in sandbox.layers]}  # fmt: skip


class BotPrograms:
    """Turns typed names and files into programs of bots. Closing it removes the copies that it made.

    The sandbox is as strict as these leagues demand, and as the leagues demand in which a stored bot is entered. Raises
    `ConfinementMissing` if this host cannot provide it.
    """

    def __init__(self, app: App, leagues: Sequence[LeagueRules] = (), *, allow_build: bool = False) -> None:
        self._app = app
        self.sandbox = confine(app, leagues)
        tell_surroundings(app, self.sandbox)
        self._allow_build = allow_build
        self._stack = contextlib.ExitStack()
        self._area: Path | None = None

    def __enter__(self) -> BotPrograms:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the copies."""
        self._stack.close()

    def program(self, bot: str) -> Program:
        """Return the program of `bot`: a file or folder of that path, or a stored bot `NAME` or `NAME:VERSION`."""
        return self.offered(bot)[0]

    def offered(self, bot: str) -> tuple[Program, tuple[str, ...]]:
        """Return the program with the games that its manifest lists; an empty tuple means every game."""
        from arena.submission.receive import SubmitOptions, receive

        path = Path(bot)
        if "/" in bot or path.suffix or (path.exists() and ":" not in bot):
            if self._area is None:
                self._area = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="arena-")))
                self._area.chmod(0o755)  # bots run under another user if the arena runs as root
            options = SubmitOptions(allow_build=self._allow_build, default_author=self._app.settings.author)
            submission = self._stack.enter_context(receive(self._area, path, options, self.sandbox))
            return submission.program, submission.games
        return self.stored(bot), ()

    def stored(self, label: str) -> Program:
        """Return the program of a stored version."""
        known = self._app.settings.league
        with self._app.read_store() as store:
            version = store.version(label)
            entered = {name for found in store.versions(version.bot) for name in found.leagues}
            require_layers(self.sandbox, (rules for name, rules in known.items() if name in entered))
            return unchanged_program(self._app.home, version)


def unchanged_program(home: Home, version: Version) -> Program:
    """Return the program of a stored version. Raises `NightError` if its files are missing or were changed."""
    from arena.night.entrants import stored_program
    from arena.submission.folders import change_of

    program = stored_program(home, version)
    if (how := change_of(Path(program.folder), version.build_digest)) is not None:
        remedy = f"remove {program.folder} and submit the bot again, or withdraw it"
        raise NightError(f"the files of {version.label} {how}; {remedy}")
    return program


def rules_for_play(app: App, game: str | None, league: str | None, changes: dict[str, object]) -> LeagueRules:
    """Return the rules of a league, or of a game's default league, with changes that only an unrated match may have."""
    from arena.config.settings import league_rules

    if league is not None:
        rules = app.settings.find_league(league)
        if game not in (None, rules.game):
            raise UsageError(f"league {league!r} plays {rules.game}, not {game}")
    elif game is not None:
        from engine.catalog import game_keys

        if game not in game_keys():
            raise UsageError(f"there is no game {quoted(game)}: {nearest(game, game_keys())}")
        rules = app.settings.find_league(game)
    else:
        raise click.UsageError(f"expected --game or --league: one of {', '.join(app.settings.leagues())}")
    table = {**rules.model_dump(), **changes}
    table.pop("name")
    where = "the options"
    try:
        return league_rules(rules.name, table, where)
    except SettingsError as error:
        raise UsageError(str(error).removeprefix(f"[league.{rules.name}] of {where}: ")) from error


def read_options(game: str, given: Sequence[str]) -> dict[str, object]:
    """Return the game options in strings `NAME=VALUE`. Raises `UsageError`."""
    from engine.catalog import get_game

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
