"""A lock that permits one night at a time on a database, from any host. It ends with the process that holds it."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

from sqlalchemy import Connection, text
from sqlalchemy.exc import SQLAlchemyError

from arena.errors import NightError, StoreError
from arena.linux.lockfile import FileLock, file_lock
from arena.store.connection import Database

_KEY = 0x6172656E61 + 1
"""Key of PostgreSQL's advisory lock. The lock of the schema has the number before it."""
_SUFFIX = "-night"
_kept_in_children: list[Any] = []


class DatabaseLock(Protocol):
    """The lock that a process holds while it plays nights."""

    def check(self) -> None:
        """Raise `StoreError` if the lock is lost, because the server was restarted or the connection broke."""

    def give_up(self) -> None:
        """Close the lock in a forked worker, so that it does not outlive the parent."""


@contextlib.contextmanager
def lock_database(database: Database) -> Iterator[DatabaseLock]:
    """Hold the lock of a database. Raises `NightError` if another process plays a night with it."""
    if database.is_sqlite:
        with _lock_file(database) as lock:
            yield lock
    else:
        with _lock_server(database) as lock:
            yield lock


class _FileLock:
    def __init__(self, lock: FileLock) -> None:
        self._lock = lock

    def check(self) -> None:
        """Do nothing: the lock of a file cannot be lost."""

    def give_up(self) -> None:
        self._lock.give_up()


@contextlib.contextmanager
def _lock_file(database: Database) -> Iterator[_FileLock]:
    with file_lock(
        Path(f"{database.location}{_SUFFIX}"), lambda holder: NightError(_refusal(database, holder))
    ) as lock:
        yield _FileLock(lock)


class _ServerLock:
    def __init__(self, database: Database, connection: Connection) -> None:
        self._database = database
        self._connection = connection

    def check(self) -> None:
        try:
            self._connection.execute(text("SELECT 1"))
        except SQLAlchemyError as error:
            raise StoreError(
                f"the connection to the database {self._database.location} was lost, and with it the lock of the night:"
                " `arena night resume` continues when the server is available again"
            ) from error

    def give_up(self) -> None:
        # The server's session lasts until the last copy of its socket is closed. Keep the connection object, so that
        # its destructor does not close the same descriptor number a second time. (The driver does not do that anyway in
        # a process that did not open the connection.)
        _kept_in_children.append(self._connection)
        driver: Any = self._connection.connection.driver_connection
        os.close(driver.pgconn.socket)


@contextlib.contextmanager
def _lock_server(database: Database) -> Iterator[_ServerLock]:
    with contextlib.ExitStack() as stack:
        try:
            connection = stack.enter_context(database.alone())
            name = f"arena night: process {os.getpid()} on {socket.gethostname()}"[:63]
            connection.execute(text("SELECT set_config('application_name', :name, false)"), {"name": name})
            if not connection.scalar(text("SELECT pg_try_advisory_lock(:key)"), {"key": _KEY}):
                raise NightError(_refusal(database, _holder(connection)))
        except SQLAlchemyError as error:
            raise database.explained(error) from error
        # The server notices a closed connection a little later. Without an explicit unlock, a night that starts at once
        # would still find the lock. If the connection broke, the lock ends with it.
        stack.callback(_unlock, connection)
        yield _ServerLock(database, connection)


def _unlock(connection: Connection) -> None:
    with contextlib.suppress(SQLAlchemyError):
        connection.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": _KEY})


def _holder(connection: Connection) -> str:
    """Return the holder of the lock, if the server reports it."""
    query = text(
        "SELECT application_name FROM pg_stat_activity JOIN pg_locks USING (pid)"
        " WHERE locktype = 'advisory' AND granted AND database = (SELECT oid FROM pg_database"
        " WHERE datname = current_database()) AND ((classid::bigint << 32) | objid::bigint) = :key"
    )
    name = connection.scalar(query, {"key": _KEY})
    return str(name).removeprefix("arena night: ") if name else "another process"


def _refusal(database: Database, holder: str) -> str:
    return (
        f"a night is being played with the database {database.location} by {holder}: wait for it, or stop it with"
        " `arena night stop`"
    )
