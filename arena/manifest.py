"""`bot.toml`: what a submitted folder says about itself."""

from __future__ import annotations

import shlex
import tomllib
from dataclasses import dataclass
from typing import Any, Final

from arena.errors import SubmissionRefused
from arena.settings import nearest

MANIFEST_FILE: Final = "bot.toml"
MANIFEST_BYTES: Final = 65_536


@dataclass(frozen=True, slots=True)
class Manifest:
    """What an author wrote; only `run` must be there."""

    run: tuple[str, ...]
    name: str | None = None
    author: str | None = None
    build: tuple[str, ...] = ()
    games: tuple[str, ...] = ()
    """The games that it plays; empty: it is offered every one."""


def read_manifest(data: bytes) -> Manifest:
    """The manifest in these bytes. Raises `SubmissionRefused` that names the key and what was expected.

    >>> read_manifest(b'run = "python3 -O main.py"')
    Manifest(run=('python3', '-O', 'main.py'), name=None, author=None, build=(), games=())
    """
    if len(data) > MANIFEST_BYTES:
        raise SubmissionRefused(f"{MANIFEST_FILE}: expected at most {MANIFEST_BYTES:,} bytes, got {len(data):,}")
    try:
        table = tomllib.loads(data.decode())
    except UnicodeDecodeError as error:
        raise SubmissionRefused(f"{MANIFEST_FILE} is not UTF-8 text: byte {error.start} cannot be read") from error
    except (ValueError, RecursionError) as error:
        raise SubmissionRefused(f"{MANIFEST_FILE} is not valid TOML: {error or 'nested too deeply'}") from error
    known = ("name", "author", "run", "build", "games")
    for key in table:
        if key not in known:
            raise SubmissionRefused(f"{MANIFEST_FILE}: unknown key {key!r}: {nearest(key, known)}")
    if "run" not in table:
        raise SubmissionRefused(f'{MANIFEST_FILE}: expected run = "COMMAND", got no such key')
    return Manifest(
        run=_command(table, "run"),
        name=_text(table, "name"),
        author=_text(table, "author"),
        build=_command(table, "build") if "build" in table else (),
        games=_texts(table, "games"),
    )


def _text(table: dict[str, Any], key: str) -> str | None:
    value = table.get(key)
    if value is None:
        return None
    if not isinstance(value, str) or not value.strip():
        raise SubmissionRefused(f"{MANIFEST_FILE}: expected a text for {key!r}, got {value!r}")
    return value.strip()


def _texts(table: dict[str, Any], key: str) -> tuple[str, ...]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        raise SubmissionRefused(f"{MANIFEST_FILE}: expected a list of texts for {key!r}, got {value!r}")
    return tuple(value)


def _command(table: dict[str, Any], key: str) -> tuple[str, ...]:
    value = table[key]
    try:
        arguments = shlex.split(value) if isinstance(value, str) else list(_texts(table, key))
    except ValueError as error:
        raise SubmissionRefused(f"{MANIFEST_FILE}: the command {key!r} cannot be read: {error}") from error
    if not arguments or not arguments[0] or any("\0" in argument for argument in arguments):
        raise SubmissionRefused(f"{MANIFEST_FILE}: expected a command for {key!r}, got {value!r}")
    return tuple(arguments)
