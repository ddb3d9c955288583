"""If the database cannot be used, the arena reports it in one clear sentence and stores nothing partially."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import psycopg
import pytest
from sqlalchemy.exc import OperationalError

from arena.config.settings import DATABASE_FILE
from arena.errors import StoreError
from arena.store import schema
from arena.store.connection import Database, explain, find_url
from arena.store.schema import OlderSchema
from arena.store.store import Store
from tests.store import core_tables
from tests.support.store_cases import RULES, begin, entrants, plan, result


def the_error(place: str | Path, **options: object) -> str:
    """What opening says; always one sentence in one line."""
    with pytest.raises(StoreError) as caught:
        Store.open(place, **options)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_opening_makes_the_home_and_opening_again_changes_nothing(tmp_path: Path) -> None:
    """A store needs no preparation, and lies in WAL mode with full synchronisation and foreign keys."""
    home = tmp_path / "deep" / "home"
    Store.open(home).close()
    before = (home / DATABASE_FILE).read_bytes()
    with Store.open(f"sqlite:///{home / DATABASE_FILE}") as store, store._database.reading() as connection:
        pragmas = [
            connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        ]
        assert store.location == str(home / DATABASE_FILE)
    assert pragmas == ["wal", 2, 1, 5000]
    assert (home / DATABASE_FILE).read_bytes() == before


def test_a_home_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    """A file where a folder should be."""
    (tmp_path / "file").write_text("x")
    assert f"the folder {tmp_path / 'file' / 'home'} of the database cannot be created" in the_error(
        tmp_path / "file" / "home"
    )


def test_a_folder_in_the_place_of_the_database_is_named(tmp_path: Path) -> None:
    """SQLite cannot open a folder."""
    (tmp_path / DATABASE_FILE).mkdir()
    assert "cannot be opened" in the_error(tmp_path)


def test_a_database_that_may_not_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What can be read can be looked at; writing says what to check."""
    monkeypatch.chdir(tmp_path)
    Store.open(tmp_path).close()
    with Store.open(f"sqlite:///file:{tmp_path / DATABASE_FILE}?mode=ro&uri=true") as store:
        assert store.leagues() == []
        with pytest.raises(StoreError, match="cannot be written: check the permissions"):
            begin(store)
        assert store.location == str(tmp_path / DATABASE_FILE)
    assert not (tmp_path / "file:").exists()


def test_another_kind_of_file_is_named(tmp_path: Path) -> None:
    """Text is no database, and is left alone."""
    (tmp_path / DATABASE_FILE).write_text("dear diary, " * 500)
    assert "is not a database of the arena" in the_error(tmp_path)
    assert (tmp_path / DATABASE_FILE).read_text() == "dear diary, " * 500


def test_a_database_of_something_else_is_named(tmp_path: Path) -> None:
    """Other tables are not ours to write beside."""
    with closing(sqlite3.connect(tmp_path / DATABASE_FILE)) as other:
        other.execute("CREATE TABLE recipe (name TEXT)")
    assert "is not a database of the arena: it has the tables recipe" in the_error(tmp_path)


def test_a_newer_schema_asks_for_a_newer_arena(tmp_path: Path) -> None:
    """Nothing is written into a database that this version does not know."""
    Store.open(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / DATABASE_FILE)) as raw, raw:
        raw.execute("UPDATE alembic_version SET version_num = '9999'")
    message = the_error(tmp_path, upgrade=True)
    assert "newer version of the arena (schema 9999" in message
    assert "upgrade the arena" in message


def test_a_locked_database_is_named_after_the_timeout(tmp_path: Path) -> None:
    """Another writer that does not end: reading goes on, writing ends in one sentence."""
    with Store.open(tmp_path, busy_timeout_s=0.05) as store:
        night = begin(store)
        store.plan_round(night, plan(entrants(store, night), 2))
        with closing(sqlite3.connect(tmp_path / DATABASE_FILE, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            assert len(store.unplayed(night)) == 2
            with pytest.raises(StoreError, match="is locked by another process"):
                store.record(night, [result(night, 0)])
            other.execute("ROLLBACK")
        assert store.record(night, [result(night, 0)]) == (0,)


def test_a_full_disk_stores_nothing_of_the_batch(tmp_path: Path) -> None:
    """SQLite's own limit of pages stands for the disk: the batch is undone, and can be stored when there is room."""
    with Store.open(tmp_path) as store:
        night = begin(store)
        store.plan_round(night, plan(entrants(store, night), 40))
        with store._database.reading() as connection:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
            connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
        batch = [result(night, position) for position in range(40)]
        bulky = [replace(record, replay=os.urandom(20_000)) for record in batch]
        with pytest.raises(
            StoreError, match=r"the disk of the database .* is full: nothing of the last step was stored"
        ):
            store.record(night, bulky)
        assert len(store.unplayed(night)) == 40
        assert store.board(RULES.name) == []
        with store._database.reading() as connection:
            connection.exec_driver_sql("PRAGMA max_page_count = 1000000")
        assert len(store.record(night, bulky)) == 40


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    """Garbage inside of a database is not a traceback."""
    with Store.open(tmp_path) as store:
        night = begin(store)
        store.plan_round(night, plan(entrants(store, night), 40))
    file = tmp_path / DATABASE_FILE
    data = bytearray(file.read_bytes())
    data[4096 * 2 :] = b"\xff" * (len(data) - 4096 * 2)
    file.write_bytes(bytes(data))
    with pytest.raises(StoreError, match="damaged"), Store.open(tmp_path) as store:
        store.unplayed(night)


@pytest.mark.parametrize(("free", "message"), [(0, "is full"), (1 << 30, "failed (disk I/O error)")])
def test_a_disk_that_has_no_room_for_the_index_of_the_log_is_full(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, free: int, message: str
) -> None:
    """SQLite calls that an I/O error, as it does what a broken disk says; the room that is left tells them apart."""
    monkeypatch.setattr("shutil.disk_usage", lambda _folder: SimpleNamespace(free=free))
    original = sqlite3.OperationalError("disk I/O error")
    original.sqlite_errorcode = sqlite3.SQLITE_IOERR_SHMSIZE
    error = OperationalError("BEGIN", {}, original)
    assert f"the disk of the database {tmp_path}/arena.db {message}" in explain(error, f"{tmp_path}/arena.db")


def of_the_server(state: str | None) -> OperationalError:
    """An error of psycopg with that state, as SQLAlchemy passes it on."""
    original = psycopg.OperationalError("what the server said,\nin two lines")
    original.sqlstate = state
    return OperationalError("SELECT 1", {}, original)


@pytest.mark.parametrize(
    ("state", "message"),
    [
        (None, "cannot be reached, or closed the connection (what the server said,)"),
        ("08006", "cannot be reached, or closed the connection (what the server said,)"),
        ("57P03", "cannot be reached, or closed the connection (what the server said,)"),
        ("53100", "the disk of the database arena is full: nothing of the last step was stored"),
        ("42501", "refuses its user to do that (what the server said,): check the user's permissions"),
        ("XX000", "the database arena failed: what the server said,"),
    ],
)
def test_the_state_of_a_servers_error_chooses_the_sentence(state: str | None, message: str) -> None:
    """Servers speak many languages; the state is the same in all of them."""
    assert message in explain(of_the_server(state), "arena")


def test_words_of_an_error_choose_nothing() -> None:
    """A table called "locked", a message about a disk that is full: only the code counts."""
    original = sqlite3.OperationalError("no such column: disk is full, database is locked, malformed, server closed")
    original.sqlite_errorcode = sqlite3.SQLITE_ERROR
    assert explain(OperationalError("SELECT", {}, original), "arena").startswith("the database arena failed: no such")


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("mysql://me:secret@host/arena", "names 'mysql': expected sqlite or postgresql"),
        ("nonsense://", "names 'nonsense'"),
        ("://", "cannot be read"),
    ],
)
def test_a_url_that_cannot_be_used_is_named_without_its_password(url: str, message: str) -> None:
    """Only what can work is tried."""
    found = the_error(url)
    assert message in found
    assert "secret" not in found


def test_a_process_killed_in_the_middle_of_a_batch_leaves_no_part_of_it(tmp_path: Path) -> None:
    """SIGKILL between the writes of one transaction: the next process finds the batch unplayed and can store it."""
    with Store.open(tmp_path) as store:
        night = begin(store)
        store.plan_round(night, plan(entrants(store, night), 20))
        store.record(night, [result(night, position) for position in range(5)])
        expected = store.board(RULES.name)
    script = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "from arena.store.store import Store\n"
        "from tests.support.store_cases import RULES, result\n"
        "store = Store.open(Path(sys.argv[1]))\n"
        "store._write_tallies = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
        "night = store.open_night(RULES.name)\n"
        "store.record(night, [result(night, position) for position in range(5, 15)])\n"
    )
    root = Path(__file__).parents[2]
    killed = subprocess.run([sys.executable, "-c", script, str(tmp_path)], cwd=root, check=False)
    assert killed.returncode == -signal.SIGKILL
    with Store.open(tmp_path) as store:
        assert [match.position for match in store.unplayed(night)] == list(range(5, 20))
        assert store.board(RULES.name) == expected
        assert len(store.record(night, [result(night, position) for position in range(5, 20)])) == 15


def test_a_forked_child_that_forgets_leaves_the_parents_store_whole(tmp_path: Path) -> None:
    """Workers drop the connections that they inherit."""
    with Store.open(tmp_path) as store:
        night = begin(store)
        store.plan_round(night, plan(entrants(store, night), 2))
        child = os.fork()
        if child == 0:
            store.forget()
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        assert store.record(night, [result(night, 0)]) == (0,)


def test_many_first_openings_make_one_schema(tmp_path: Path) -> None:
    """Commands that start at the same moment on an empty home do not meet half a schema."""
    script = (
        "import sys; from pathlib import Path; from arena.store.store import Store; "
        "Store.open(Path(sys.argv[1])).leagues()"
    )
    started = [subprocess.Popen([sys.executable, "-c", script, str(tmp_path)]) for _ in range(4)]
    assert [process.wait() for process in started] == [0, 0, 0, 0]


def test_the_migrations_make_exactly_the_tables_of_the_code(tmp_path: Path) -> None:
    """The schema's history ends in the tables that the queries use, and its last revision is the one they expect."""
    from alembic.autogenerate import compare_metadata
    from alembic.config import Config
    from alembic.migration import MigrationContext
    from alembic.script import ScriptDirectory

    from arena.store.tables import metadata

    with Store.open(tmp_path) as store, store._database.reading() as connection:
        context = MigrationContext.configure(connection, opts={"compare_server_default": True})
        assert compare_metadata(context, metadata) == []
        tables = connection.exec_driver_sql("SELECT name, sql FROM sqlite_master WHERE type = 'table'").all()
    config = Config()
    config.set_main_option("script_location", str(schema.MIGRATIONS))
    history = [script.revision for script in ScriptDirectory.from_config(config).walk_revisions()]
    assert tuple(reversed(history)) == schema.REVISIONS
    assert {name for name, sql in tables if "WITHOUT ROWID" in sql} == {"forfeit_tally", "match", "tally", "seat"}


def test_the_tables_of_the_queries_are_written_from_the_models() -> None:
    """One declaration: `make tables` writes the file again after a change of a class."""
    assert core_tables.FILE.read_text(encoding="utf-8") == core_tables.source()


def an_old_database(folder: Path) -> None:
    """A database of the first schema, with a rated night in it."""
    database = Database(find_url(folder))
    with database.writing() as connection:
        schema.run_migrations(connection, "0001")
        connection.exec_driver_sql(
            "INSERT INTO league VALUES (1, 'old', 'lanterns', '{}', '{}', 0, '2030-01-01T00:00:00Z')"
        )
        connection.exec_driver_sql("INSERT INTO bot VALUES (1, 'greedy', 'ann', '2030-01-01T00:00:00Z')")
        connection.exec_driver_sql("INSERT INTO version VALUES (1, 1, 1, 'd', 'd', '[]', '2030-01-01T00:00:00Z')")
        connection.exec_driver_sql(
            "INSERT INTO night VALUES (1, 1, 1, 'closed', '00', '{\"name\":\"old\",\"game\":\"lanterns\"}', '{}', '[]',"
            " '2030-01-01T00:00:00Z', NULL)"
        )
        connection.exec_driver_sql("INSERT INTO tally VALUES (1, 2, 1, 3, 0, 0, 3, 6, 3, 0, 0, 9, 0, 0, 0)")
        connection.exec_driver_sql("INSERT INTO rating VALUES (1, 1, 26.5, 7.5, 1, 0)")
    database.close()
    with closing(sqlite3.connect(folder / DATABASE_FILE)) as raw:
        assert raw.execute("SELECT version_num FROM alembic_version").fetchall() == [("0001",)]


def test_an_older_schema_is_upgraded_only_when_that_is_wanted_and_after_a_backup(tmp_path: Path) -> None:
    """The offer names the backup; the upgrade keeps all that was stored; the backup is the old database."""
    an_old_database(tmp_path)
    copy = tmp_path / f"{DATABASE_FILE}.before-0002"
    with pytest.raises(OlderSchema, match=f"must be upgraded; the file is copied to {re.escape(str(copy))} first"):
        Store.open(tmp_path)
    assert not copy.exists()
    with Store.open(tmp_path, upgrade=True) as store:
        (point,) = store.rating_history("greedy")
        assert (point.rating.mu, point.tally.wins) == (26.5, 3)
    with closing(sqlite3.connect(copy)) as raw:
        assert raw.execute("SELECT version_num FROM alembic_version").fetchall() == [("0001",)]
        assert raw.execute("SELECT name FROM league").fetchall() == [("old",)]
    Store.open(tmp_path).close()


def test_an_upgrade_without_a_backup_does_not_begin(tmp_path: Path) -> None:
    """Where the copy cannot be made, the database stays as it was."""
    an_old_database(tmp_path)
    (tmp_path / f"{DATABASE_FILE}.before-0002").mkdir()
    assert "cannot be created, so nothing was upgraded" in the_error(tmp_path, upgrade=True)
    with pytest.raises(OlderSchema):
        Store.open(tmp_path)
