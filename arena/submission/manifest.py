"""`bot.toml`: the manifest of a submitted folder."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from arena.errors import SubmissionRefused
from arena.text.sanitize import quoted
from arena.text.strict_toml import TomlBounds, read_table
from arena.text.words import nearest

MANIFEST_FILE: Final = "bot.toml"
MANIFEST_BYTES: Final = 65_536
LONGEST_TEXT: Final = 100
"""Maximum number of characters of a name, author or game."""
MOST_ARGUMENTS: Final = 200
"""Maximum number of arguments of a command; the kernel refuses to start a command with very many."""
LONGEST_ARGUMENT: Final = 4_096
"""Maximum number of characters of one argument."""
MOST_GAMES: Final = 100

BOUNDS: Final = TomlBounds(keys=32, dots=64, brackets=64)

_SYSTEM: Final = frozenset(
    ("bin", "dev", "etc", "lib", "lib32", "lib64", "libx32", "nix", "opt", "proc", "sbin", "snap", "sys", "tmp", "usr")
) | {"arena", "bot"}
"""Top folders with programs and libraries, or that every bot has; a sandbox adds `arena` and `bot`."""
# A path may be a full argument, or follow `-I` or `=`, or be part of a list or of a shell command.
_BEFORE: Final = r"""(?:^(?:-[A-Za-z])?|[\s=:,;"'(<>])"""
_GOES_UP: Final = re.compile(rf"""(?:{_BEFORE}|/)\.\.(?:$|[\s/:,;"')&|])""")
_ABSOLUTE: Final = re.compile(rf"""{_BEFORE}/(?P<top>[^/\s:,;"')]+)(?=/[^/\s])""")
"""An absolute path of at least two parts, because `/depth` may be an option."""
_ROOT_OF_A_PROCESS: Final = re.compile(r"/proc/+[^/\s]+/+(?:task/+[^/\s]+/+)?(?:root|cwd|fd)(?:/|$)")
"""Paths through /proc that lead to any folder of the host."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """The content of a manifest; only `run` is required."""

    run: tuple[str, ...]
    name: str | None = None
    author: str | None = None
    build: tuple[str, ...] = ()
    games: tuple[str, ...] = ()
    """The games that the bot plays; empty means every game."""


def read_manifest(data: bytes) -> Manifest:
    """Return the manifest in these bytes. Raises `SubmissionRefused` that names the key and what was expected.

    >>> read_manifest(b'run = "python3 -O main.py"')
    Manifest(run=('python3', '-O', 'main.py'), name=None, author=None, build=(), games=())
    """
    if len(data) > MANIFEST_BYTES:
        raise SubmissionRefused(f"{MANIFEST_FILE}: expected at most {MANIFEST_BYTES:,} bytes, got {len(data):,}")
    try:
        table = read_table(data, MANIFEST_FILE, BOUNDS)
    except ValueError as error:
        raise SubmissionRefused(str(error)) from error
    known = ("name", "author", "run", "build", "games")
    for key in table:
        if key not in known:
            raise SubmissionRefused(f"{MANIFEST_FILE}: unknown key {quoted(key)}: {nearest(key[:LONGEST_TEXT], known)}")
    if "run" not in table:
        raise SubmissionRefused(
            f'{MANIFEST_FILE}: expected run = "COMMAND", such as "python3 main.py", got no such key'
        )
    return Manifest(
        run=_command(table, "run"),
        name=_text(table, "name"),
        author=_text(table, "author"),
        build=_command(table, "build") if "build" in table else (),
        games=_games(table),
    )


def refuse_outside(arguments: Iterable[str], where: str) -> None:
    """Refuse a command with a path that is neither inside the submission nor in a system folder.

    Raises `SubmissionRefused`; `where` names the origin of the command. A file that is not copied with the submission
    is missing on another host or, worse, is a different file there.

    >>> refuse_outside(["java", "-cp", "lib/*:.", "Bot", "--depth=3"], "bot.toml")
    >>> refuse_outside(["python3", "../bot.py"], "bot.toml")
    Traceback (most recent call last):
    arena.errors.SubmissionRefused: bot.toml names '../bot.py': expected a path that does not go up (..)
    """
    for argument in arguments:
        if _GOES_UP.search(argument):
            raise SubmissionRefused(f"{where} names {quoted(argument)}: expected a path that does not go up (..)")
        outside = any(found["top"] not in _SYSTEM for found in _ABSOLUTE.finditer(argument))
        if outside or _ROOT_OF_A_PROCESS.search(argument):
            raise SubmissionRefused(
                f"{where} names {quoted(argument)}: expected a path inside the submission, or one of the system's own "
                "(below /usr, /opt, …)"
            )


def _text(table: dict[str, Any], key: str) -> str | None:
    value = table.get(key)
    if value is None:
        return None
    if not isinstance(value, str) or not value.strip():
        raise SubmissionRefused(f"{MANIFEST_FILE}: expected a string for {key!r}, got {quoted(value)}")
    _refuse_long(key, value)
    return value.strip()


def _texts(table: dict[str, Any], key: str) -> tuple[str, ...]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        raise SubmissionRefused(f"{MANIFEST_FILE}: expected a list of strings for {key!r}, got {quoted(value)}")
    return tuple(value)


def _games(table: dict[str, Any]) -> tuple[str, ...]:
    games = _texts(table, "games")
    if len(games) > MOST_GAMES:
        raise SubmissionRefused(f"{MANIFEST_FILE}: expected at most {MOST_GAMES} games, got {len(games):,}")
    for game in games:
        _refuse_long("games", game)
    return games


def _refuse_long(key: str, text: str) -> None:
    if len(text) > LONGEST_TEXT:
        raise SubmissionRefused(
            f"{MANIFEST_FILE}: expected at most {LONGEST_TEXT} characters for {key!r}, got {quoted(text)}"
        )


def _command(table: dict[str, Any], key: str) -> tuple[str, ...]:
    value = table[key]
    try:
        arguments = shlex.split(value) if isinstance(value, str) else list(_texts(table, key))
    except ValueError as error:
        raise SubmissionRefused(f"{MANIFEST_FILE}: the command {key!r} cannot be read: {error}") from error
    if not arguments or not arguments[0] or any("\0" in argument for argument in arguments):
        raise SubmissionRefused(f"{MANIFEST_FILE}: expected a command for {key!r}, got {quoted(value)}")
    if len(arguments) > MOST_ARGUMENTS:
        raise SubmissionRefused(
            f"{MANIFEST_FILE}: expected at most {MOST_ARGUMENTS} arguments of {key!r}, got {len(arguments):,}"
        )
    if longest := next((argument for argument in arguments if len(argument) > LONGEST_ARGUMENT), None):
        raise SubmissionRefused(
            f"{MANIFEST_FILE}: expected arguments of {key!r} of at most {LONGEST_ARGUMENT:,} characters, "
            f"got {quoted(longest)}"
        )
    refuse_outside(arguments, f"{MANIFEST_FILE}: the command {key!r}")
    return tuple(arguments)
