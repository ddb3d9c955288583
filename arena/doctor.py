"""The findings of `arena doctor`: where everything is, what this host has, and what is missing."""

from __future__ import annotations

import os
import platform
import shutil
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from arena import __version__
from arena.config.home import Home
from arena.config.settings import ArenaSettings
from arena.config.sharing import readable_part, shared_with
from arena.errors import ArenaError
from arena.linux.private import group_name
from arena.linux.programs import BOT_PATH
from arena.submission.folders import change_of
from arena.submission.languages import RUNTIMES
from arena.text.words import counted
from engine.catalog import BrokenGame, game_keys, get_game

if TYPE_CHECKING:
    from arena.config.settings_file import SettingsFile
    from arena.sandbox.launcher import Sandbox
    from arena.store.store import Store

LOW_DISK_BYTES = 1 << 30


@dataclass(frozen=True, slots=True)
class Finding:
    """One fact, with its status: fine, worth knowing, or a problem."""

    subject: str
    status: Literal["ok", "note", "problem"]
    text: str


def examine(
    home: Home,
    settings: ArenaSettings,
    sandbox: Sandbox,
    file: SettingsFile | None = None,
    trouble: str | None = None,
) -> list[Finding]:
    """Return everything that an organiser should know before a night. This changes nothing.

    `trouble` says why no bot can run on this host.
    """
    return [
        *_program(),
        *_home(home, settings, sandbox),
        *_settings(file, settings),
        *_games(),
        *_runtimes(),
        *([] if trouble is None else [Finding("confinement", "problem", trouble)]),
        *_confinement(sandbox),
    ]


def _program() -> Iterator[Finding]:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    system = f"{platform.system()} {platform.release()}, {counted(cores, 'processor')}"
    yield Finding("arena", "ok", f"version {__version__}, Python {platform.python_version()}, {system}")


def _home(home: Home, settings: ArenaSettings, sandbox: Sandbox) -> Iterator[Finding]:
    yield Finding("home", "ok", f"{home.folder} ({home.reason})")
    if (why := home.distrust()) is not None:
        yield Finding("home", "problem", why)
        return
    yield from _readers(home)
    existing = home.folder
    while not existing.exists():
        existing = existing.parent
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        yield Finding("home", "problem", f"{existing} is not a folder that can be written: set ARENA_HOME to another")
        return
    free = shutil.disk_usage(existing).free
    yield Finding("disk", "ok" if free > LOW_DISK_BYTES else "note", f"{free / (1 << 30):.1f} GB free at {existing}")
    yield from _store(home, settings, sandbox)


def _readers(home: Home) -> Iterator[Finding]:
    if not home.folder.exists():
        yield Finding("home", "note", "it does not exist yet; it is created when the first bot is submitted")
        return
    group = shared_with(home)
    if (part := readable_part(home)) is not None:
        yield Finding("home", "note", f"other users can read {part}: `arena home share --off` makes the home private")
    elif group is not None:
        yield Finding("home", "ok", f"the group {group_name(group)} can read the results in it")


def _bots(home: Home, store: Store) -> Iterator[Finding]:
    """Yield the stored bots whose files cannot be played."""
    for bot in store.bots():
        for version in store.versions(bot.name):
            if version.leagues and (how := change_of(home.bots / version.digest, version.build_digest)) is not None:
                yield Finding("bot", "problem", f"the files of {version.label} {how}; submit it again, or withdraw it")


def _store(home: Home, settings: ArenaSettings, sandbox: Sandbox) -> Iterator[Finding]:
    if settings.database_url is None and not home.database_file.exists():
        yield Finding("store", "ok", f"none yet; it is created when the first bot is submitted (SQLite "
                                      f"{sqlite3.sqlite_version})")  # fmt: skip
        return
    from arena.store.store import Store

    try:
        with Store.open_to_read(settings.database_url or home.database_url) as store:
            bots, nights = counted(len(store.bots()), "bot"), counted(len(store.nights()), "night")
            yield Finding("store", "ok", f"{store.location}: {bots}, {nights}")
            yield from _bots(home, store)
            yield from _leagues(store, settings, sandbox)
    except ArenaError as error:
        yield Finding("store", "problem", str(error))


def _leagues(store: Store, settings: ArenaSettings, sandbox: Sandbox) -> Iterator[Finding]:
    """Yield what would prevent the next night of a league."""
    from arena.submission.register import rating_settings

    known = settings.leagues()
    missing = ", ".join(sandbox.missing_for_untrusted())
    for rules in known.values():
        if changed := store.league_change(rules, rating_settings(rules)):
            yield Finding("league", "problem", changed)
        if rules.untrusted and missing:
            yield Finding("league", "problem", f"{rules.name} is marked untrusted, and this host lacks {missing}")
    for league in store.leagues():
        if (night := store.open_night(league.name)) is not None:
            yield Finding("league", "note", f"night {night.number} of {league.name} is open: resume it with `arena "
                                            f"night resume {league.name}`")  # fmt: skip
        if league.name not in known:
            yield Finding("league", "note", f"{league.name} is stored, but no setting defines it any more")


def _settings(file: SettingsFile | None, settings: ArenaSettings) -> Iterator[Finding]:
    if file is not None:
        leagues = ", ".join(settings.league) or "none"
        yield Finding("settings", "ok", f"{file.path} ({file.standing_text}), leagues: {leagues}")
        if file.trouble is not None:
            yield Finding("settings", "problem", file.trouble)
    for key, source in settings.sources.items():
        shown = "(given)" if key == "database_url" else repr(getattr(settings, key))
        yield Finding("settings", "ok", f"{key} = {shown}, from {source}")


def _games() -> Iterator[Finding]:
    for key in game_keys():
        try:
            game = get_game(key)
        except (BrokenGame, ImportError) as error:
            yield Finding("game", "problem", str(error))
            continue
        yield Finding("game", "ok", f"{key}: {game.title}, {game.seats[0]} to {game.seats[-1]} seats")


def _runtimes() -> Iterator[Finding]:
    for runtime in RUNTIMES:
        needed = runtime.build[0] if runtime.build else runtime.run[0]
        found = shutil.which(needed, path=BOT_PATH)
        text = f"{runtime.language} bots: {found}" if found else f"no {runtime.language} bots: {needed} is missing"
        hint = "" if found else f" (Debian package {runtime.package})"
        yield Finding("runtime", "ok" if found else "note", text + hint)


def _confinement(sandbox: Sandbox) -> Iterator[Finding]:
    yield Finding("confinement", "ok" if sandbox.layers else "note", ", ".join(sandbox.layers) or "none")
    for text in sandbox.prevented:
        yield Finding("prevented", "ok", text)
    for text in sandbox.not_prevented:
        yield Finding("not prevented", "note", text)
    for text in sandbox.advice:
        yield Finding("advice", "note", text)
