"""Parts that all queries of the store share: the database, the clock, lookup of names."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import Any, TypeVar

from sqlalchemy import Connection, Table, select
from sqlalchemy.dialects import sqlite

from arena.errors import UsageError
from arena.linux.ownership import user_name
from arena.store import tables
from arena.store.connection import Database
from arena.text.words import nearest

_Item = TypeVar("_Item")

PAGE = 500
"""Number of rows in one request. It limits memory, and stays below the number of parameters that databases accept."""


def utc_now() -> datetime:
    """Return the wall-clock time, for timestamps that people read. No decision may depend on it, because it can be set.

    It uses `time.time`, as the log does, so that a test can replace both in one place.
    """
    return datetime.fromtimestamp(time.time(), UTC)


class Queries:
    """Base class of the store's parts."""

    def __init__(self, database: Database, now: Callable[[], datetime]) -> None:
        self._database = database
        self._now = now

    def _moment(self) -> str:
        """Return the current timestamp in the stored form."""
        return self._now().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    def _note_action(self, connection: Connection, kind: str, bot: str, detail: str = "") -> None:
        """Record in the same transaction what the user of this process does with a bot."""
        values = {
            "done_at": self._moment(), "actor": user_name(os.geteuid()), "kind": kind, "bot": bot, "detail": detail,
        }  # fmt: skip
        connection.execute(tables.action.insert().values(values))

    def _upsert(self, table: Table) -> Any:
        """Return an `INSERT` for which an action on an existing key can be set."""
        if self._database.is_sqlite:
            return sqlite.insert(table)
        from sqlalchemy.dialects import postgresql

        return postgresql.insert(table)


def read_label(label: str) -> tuple[str, int | None]:
    """Return bot and version of `name` or `name:version`. Raises `UsageError` for any other text.

    >>> read_label("greedy:3"), read_label("greedy")
    (('greedy', 3), ('greedy', None))
    """
    name, colon, number = label.partition(":")
    if colon and not (number.isascii() and number.isdigit() and len(number) < 10):
        raise UsageError(f"{label!r} is not a version of a bot: expected NAME or NAME:VERSION, for example greedy:3")
    return name.lower(), int(number) if colon else None


def find_id(connection: Connection, table: Table, kind: str, name: str) -> int:
    """Return the id of the league or bot with this name. Raises `UsageError`, which suggests the nearest name."""
    found: int | None = connection.scalar(select(table.c.id).where(table.c.name == name))
    if found is None:
        names = connection.scalars(select(table.c.name)).all()
        hint = nearest(name, names) if names else "none is stored yet"
        raise UsageError(f"there is no {kind} {name!r}: {hint}")
    return found


def league_id(connection: Connection, name: str) -> int:
    """Return the id of the league with this name. Raises `UsageError` if there is none."""
    return find_id(connection, tables.league, "league", name)


def bot_id(connection: Connection, name: str) -> int:
    """Return the id of the bot that has this name or had it before. Raises `UsageError` if there is none."""
    former: int | None = connection.scalar(
        select(tables.former_name.c.bot_id).where(tables.former_name.c.name == name.lower())
    )
    return find_id(connection, tables.bot, "bot", name.lower()) if former is None else former


def to_json(value: object) -> str:
    """Return the JSON form in which a value is stored. All JSON in the database has this form."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def insert_row(connection: Connection, table: Table, values: Mapping[str, Any]) -> int:
    """Insert one row and return its id."""
    key = connection.execute(table.insert().values(values)).inserted_primary_key
    assert key is not None
    return int(key[0])


def storable(text: str) -> str:
    """Escape NUL and lone surrogates in a string, so that every database accepts it.

    >>> storable("a\\0b\\ud800")
    'a\\\\0b\\\\ud800'
    """
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")


def pages(items: Iterable[_Item], size: int = PAGE) -> Iterator[Sequence[_Item]]:
    """Yield the items in lists of at most `size`.

    >>> [list(page) for page in pages("abcde", 2)]
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    iterator = iter(items)
    while page := list(islice(iterator, size)):
        yield page
