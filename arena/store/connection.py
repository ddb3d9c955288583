"""The connection to the database: how to open it, its transactions, and messages for its errors."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, OperationalError, SQLAlchemyError

from arena.config.settings import DATABASE_FILE
from arena.errors import StoreError
from arena.linux.private import open_private
from arena.store.read_only import PRAGMAS, ReadOnlyFile

BUSY_TIMEOUT_S = 5.0
"""Time that a transaction waits for another process that is writing."""

_PRIMARY = 0xFF
"""Mask of the primary code in SQLite's error codes. The other bits give details."""
_CONNECTION_CLASS = "08"
_GONE = ("57P01", "57P02", "57P03", "57P05")  # shut down, crashed, still starting, session timed out
_LOCKED = "the database {location} is locked by another process: try again when that has finished"
_FULL = "the disk of the database {location} is full: nothing of the last step was stored"
_READ_ONLY = "the database {location} cannot be written: check the permissions of the file and its folder"
_FORBIDDEN = "the server of the database {location} refuses its user to do that ({text}): check the user's permissions"
_SENTENCES: dict[object, str] = {
    sqlite3.SQLITE_BUSY: _LOCKED,
    sqlite3.SQLITE_LOCKED: _LOCKED,
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_READONLY: _READ_ONLY,
    sqlite3.SQLITE_PERM: _READ_ONLY,
    sqlite3.SQLITE_CANTOPEN: "the database {location} cannot be opened: check that the folder is there and writable",
    sqlite3.SQLITE_NOTADB: "{location} is not a database of the arena: it is another kind of file",
    sqlite3.SQLITE_CORRUPT: "the database {location} is damaged ({text}): restore a backup",
    sqlite3.SQLITE_IOERR: "the disk of the database {location} failed ({text}): nothing of the last step was stored",
    "53100": _FULL,
    "42501": _FORBIDDEN,
    "25006": _FORBIDDEN,
}
"""Messages by SQLite's primary error code or PostgreSQL's SQLSTATE."""

_FULL_BYTES = 64 << 10
_WRITES = "arena_writes"
_ONE_MOMENT = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}


class Database:
    """An open database with short transactions. A transaction that fails is rolled back and raises `StoreError`."""

    def __init__(self, url: URL, busy_timeout_s: float = BUSY_TIMEOUT_S, *, read_only: bool = False) -> None:
        """Open it. With `read_only`, a SQLite file is neither created nor changed. Raises `StoreError`."""
        self.url = url
        self.location = str(_file(url) or url.database) if _is_sqlite(url) else server_name(url)
        file = _file(url) if read_only and not url.query else None
        self._unchanged = None if file is None else ReadOnlyFile(file)
        self._engine = _engine(url, busy_timeout_s, self._unchanged)
        # SQLite's transactions always read one snapshot. PostgreSQL's do so only with this isolation level.
        self._reader = self._engine if self.is_sqlite else self._engine.execution_options(**_ONE_MOMENT)

    @property
    def is_sqlite(self) -> bool:
        """Return whether this is a SQLite database."""
        return _is_sqlite(self.url)

    def close(self) -> None:
        """Close the connections."""
        self._engine.dispose()

    def forget(self) -> None:
        """Drop the connections without closing them, as a forked child must do with the parent's connections."""
        self._engine.dispose(close=False)

    @contextlib.contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open a transaction that reads one snapshot of the database."""
        with self._explained(), self._reader.connect() as connection, connection.begin():
            yield connection
        if self._unchanged is not None:
            self._unchanged.check()

    @contextlib.contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open a transaction that may write. It first waits for the write lock, and an exception rolls it back."""
        with self._explained(), self._engine.connect() as connection:
            connection.execution_options(**{_WRITES: True})
            with connection.begin():
                yield connection

    @contextlib.contextmanager
    def alone(self) -> Iterator[Connection]:
        """Open a separate connection without transactions. At the end it is closed, not returned to the pool."""
        with self._engine.connect() as connection:
            connection.execution_options(isolation_level="AUTOCOMMIT")
            try:
                yield connection
            finally:
                connection.invalidate()

    def explained(self, error: SQLAlchemyError) -> StoreError:
        """Return the database's error as a `StoreError` with one sentence."""
        return StoreError(explain(error, self.location))

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except SQLAlchemyError as error:
            raise self.explained(error) from error


def find_url(location: str | Path) -> URL:
    """Return the URL of a database, given as a URL or by a home folder. Raises `StoreError` for an invalid URL."""
    if isinstance(location, Path) or "://" not in location:
        return URL.create("sqlite", database=str(Path(location) / DATABASE_FILE))
    try:
        url = make_url(location)
    except ArgumentError as error:
        raise StoreError("the database URL cannot be read: expected for example sqlite:////home/me/arena.db") from error
    if url.drivername == "postgresql":
        url = url.set(drivername="postgresql+psycopg")
    if url.get_backend_name() not in ("sqlite", "postgresql"):
        raise StoreError(f"the database URL names {url.get_backend_name()!r}: expected sqlite or postgresql")
    return url


def server_name(url: URL) -> str:
    """Return a server's database as a URL without the password and without options, which may contain a password.

    >>> server_name(make_url("postgresql+psycopg://me:secret@host/arena?password=too"))
    'postgresql://me@host/arena'
    """
    return URL.create("postgresql", url.username, None, url.host, url.port, url.database).render_as_string()


def make_folder(url: URL) -> None:
    """Create a SQLite database file and its folder, private to the owner, if missing. Raises `StoreError`."""
    file = _file(url)
    if file is None:
        return
    folder = file.parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"the folder {folder} of the database cannot be created: {error.strerror}") from error
    if not os.path.lexists(file):
        with contextlib.suppress(OSError):  # opening it gives the error
            os.close(open_private(file, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC))


def explain(error: SQLAlchemyError, location: str) -> str:
    """Return one sentence about a database error, for a human reader. It depends on the code, never on the text."""
    original = getattr(error, "orig", None)
    text = (str(original or error).strip().splitlines() or ["no reason given"])[0]
    if _is_gone(error):
        return (
            f"the server of the database {location} cannot be reached, or closed the connection ({text}):"
            " try again when it is available"
        )
    code = getattr(original, "sqlite_errorcode", None)
    kind = getattr(original, "sqlstate", None) if code is None else code & _PRIMARY
    if kind == sqlite3.SQLITE_IOERR and _is_full(Path(location).parent):
        kind = sqlite3.SQLITE_FULL  # for the index of its log, SQLite reports a full disk as an I/O error
    return _SENTENCES.get(kind, "the database {location} failed: {text}").format(location=location, text=text)


def _is_gone(error: SQLAlchemyError) -> bool:
    """Return whether the server was unavailable: it refused, closed or lost the connection."""
    if not isinstance(error, DBAPIError) or not hasattr(type(error.orig), "sqlstate"):
        return False
    if error.connection_invalidated:
        return True
    state: str | None = getattr(error.orig, "sqlstate", None)
    # An error without a state is not from the server: the connection could not be opened, or it broke.
    return isinstance(error, OperationalError) and (
        state is None or state in _GONE or state.startswith(_CONNECTION_CLASS)
    )


def _is_full(folder: Path) -> bool:
    with contextlib.suppress(OSError):
        return shutil.disk_usage(folder).free < _FULL_BYTES
    return False


def _engine(url: URL, busy_timeout_s: float, file: ReadOnlyFile | None = None) -> Engine:
    if file is not None:
        engine = create_engine(url, creator=lambda: file.connect(busy_timeout_s))
        event.listen(engine, "connect", _set_reading)
        event.listen(engine, "begin", _begin_sqlite)
        return engine
    try:
        if not _is_sqlite(url):
            return create_engine(url, pool_pre_ping=True)
        engine = create_engine(url, connect_args={"timeout": busy_timeout_s, "check_same_thread": False})
    except NoSuchModuleError as error:
        raise StoreError(f"the database URL names an unknown driver: {error}") from error
    except ModuleNotFoundError as error:
        raise StoreError(
            f"a {url.get_backend_name()} database needs the package {error.name!r}:"
            f" install league-arena[{url.get_backend_name()}]"
        ) from error
    event.listen(engine, "connect", _set_pragmas)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _set_pragmas(connection: sqlite3.Connection, _record: Any) -> None:
    # By default, the driver starts no transaction for reads. So this turns it off, and `_begin_sqlite` sends BEGIN.
    connection.isolation_level = None
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _set_reading(connection: sqlite3.Connection, _record: Any) -> None:
    connection.isolation_level = None
    for pragma in PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: Connection) -> None:
    # If a transaction reads first and writes later, it fails at once if another process wrote in between, whatever the
    # timeout. A transaction that requests the write lock at its start waits for it.
    immediate = connection.get_execution_options().get(_WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")


def _is_sqlite(url: URL) -> bool:
    return url.get_backend_name() == "sqlite"


def _file(url: URL) -> Path | None:
    """Return the file of a SQLite database; None for a database in memory or on a server."""
    if not _is_sqlite(url) or not url.database or url.database == ":memory:" or url.query.get("mode") == "memory":
        return None
    # SQLite has its own URIs, which SQLAlchemy passes on: `sqlite:///file:/home/me/arena.db?mode=ro&uri=true`.
    return Path(url.database.removeprefix("file:"))
