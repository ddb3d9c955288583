"""The version of the schema: create a new database, and refuse or upgrade a database of another version.

The version is the revision that alembic stores in the database. Alembic itself is loaded only if there is a migration
to run. For a store that is up to date, its revision is read and nothing else happens.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from contextlib import closing
from pathlib import Path

from sqlalchemy import Connection, inspect, text

from arena.errors import StoreError
from arena.linux.private import open_private
from arena.store.connection import Database
from arena.store.tables import metadata

REVISIONS = ("0001", "0002", "0003", "0004")
"""Every revision of the schema, oldest first. This code reads and writes the last one."""

MIGRATIONS = Path(__file__).parent / "migrations"

_LOCK = 0x6172656E61
"""Key of the PostgreSQL lock that permits one process at a time to create or upgrade the schema."""


class OlderSchema(StoreError):
    """The database has an older schema, which `Store.open(..., upgrade=True)` can upgrade."""


def prepare_schema(database: Database, *, upgrade: bool) -> None:
    """Migrate a database to the schema of this code: create it in an empty database, or upgrade it if requested.

    Before an upgrade, a SQLite file is copied to `NAME.before-REVISION`. Raises `OlderSchema` for an older schema
    without `upgrade`, and `StoreError` for a newer schema or a database that is not the arena's.
    """
    with database.reading() as connection:
        found = _revision(connection, database.location)
    if found == REVISIONS[-1]:
        return
    if found is not None:
        if not upgrade:
            raise OlderSchema(_offer(database, found))
        _back_up(database, found)
    with database.writing() as connection:
        if not database.is_sqlite:
            connection.execute(text(f"SELECT pg_advisory_xact_lock({_LOCK})"))
        # Another process may have migrated the database while this one waited for the lock.
        if _revision(connection, database.location) != REVISIONS[-1]:
            run_migrations(connection)


def check_schema(database: Database) -> bool:
    """Return whether the database has the schema of this code, and change nothing; False for an empty database.

    Raises `OlderSchema` for an older schema, and `StoreError` for a newer one or a database that is not the arena's.
    """
    with database.reading() as connection:
        found = _revision(connection, database.location)
        # Where a table is expected, the file of somebody else could have a view that computes without end.
        missing = set(metadata.tables) - set(inspect(connection).get_table_names())
    if found not in (None, REVISIONS[-1]):
        raise OlderSchema(_offer(database, str(found)))
    if found is not None and missing:
        raise StoreError(
            f"the database {database.location} is damaged: it lacks the tables {', '.join(sorted(missing))}"
        )
    return found is not None


def run_migrations(connection: Connection, revision: str = "head") -> None:
    """Migrate the schema to a revision, inside an open transaction."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


def _revision(connection: Connection, location: str) -> str | None:
    """Return the revision of the database's schema; None for an empty database."""
    tables = set(inspect(connection).get_table_names())
    if not tables:
        return None
    found = connection.execute(text("SELECT version_num FROM alembic_version")).scalar() if _ours(tables) else None
    if found is None:
        raise StoreError(
            f"{location} is not a database of the arena: it has the tables {', '.join(sorted(tables)[:5])}"
        )
    if found not in REVISIONS:
        raise StoreError(
            f"the database {location} is of a newer version of the arena (schema {found}; this version knows"
            f" {REVISIONS[-1]}): upgrade the arena"
        )
    return str(found)


def _ours(tables: set[str]) -> bool:
    return "alembic_version" in tables and "league" in tables


def _offer(database: Database, found: str) -> str:
    backup = (
        f"the file is copied to {_backup_file(database, found)} first"
        if database.is_sqlite
        else f"make a backup first, for example: pg_dump --format=custom --file=arena-{found}.dump {database.location}"
    )
    return (
        f"the database {database.location} is of an older version of the arena (schema {found}, now {REVISIONS[-1]})"
        f" and must be upgraded; {backup}"
    )


def _backup_file(database: Database, found: str) -> Path:
    file = Path(database.location)
    return file.with_name(f"{file.name}.before-{REVISIONS[REVISIONS.index(found) + 1]}")


def _back_up(database: Database, found: str) -> None:
    if not database.is_sqlite:
        return
    copy = _backup_file(database, found)
    partial = copy.with_name(f"{copy.name}.part")
    try:
        os.close(open_private(partial, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC))
        # SQLite's own backup function includes the content of the write-ahead log.
        with closing(sqlite3.connect(database.location)) as source, closing(sqlite3.connect(partial)) as target:
            source.backup(target)
        partial.replace(copy)
    except (sqlite3.Error, OSError) as error:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
        raise StoreError(f"the backup {copy} cannot be created, so nothing was upgraded: {error}") from error
