"""What only a database server can do to a night: go away, come back, be asked by several hosts."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from arena.errors import NightError, StoreError
from arena.night import resume_night, run_night
from arena.night_events import MatchDone, NightEvent, RoundPlanned
from arena.store import OlderSchema, Store
from arena.store.connection import Database, find_url
from arena.store.schema import REVISIONS, run_migrations
from tests.arena import databases
from tests.arena.databases import Server
from tests.arena.made_up_night import (
    PLAN,
    RATING,
    RULES,
    SEED,
    hand_in_all,
    names,
    open_store,
    outcome,
    venue,
)

Outcome = tuple[str, dict[str, bytes]]


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch, server: Server) -> Iterator[Server]:
    """The server, on which the stores of this test are."""
    monkeypatch.setenv(databases.VARIABLE, str(server.folder))
    yield server
    server.start()


def undisturbed(folder: Path) -> Outcome:
    """What the night comes to when nothing happens."""
    with open_store(folder) as store:
        hand_in_all(store, names(6))
        run_night(venue(store, folder), RULES, RATING, PLAN, SEED)
        return outcome(store)


@pytest.mark.parametrize("back_at_once", [False, True])
def test_a_server_that_is_killed_ends_the_night_which_goes_on_exactly(
    own: Server, tmp_path: Path, back_at_once: bool
) -> None:
    """SIGKILL of the whole server between two batches: one sentence that names it; after its restart nothing is lost or
    doubled. Also when it is back before anybody noticed: the lock went with it, so the night does not play on."""
    expected = undisturbed(tmp_path / "undisturbed")
    with open_store(tmp_path) as store:
        hand_in_all(store, names(6))
        killed = []

        def kill(event: NightEvent) -> None:
            if isinstance(event, MatchDone) and event.match_id == "friday-1-20" and not killed:
                killed.append(event)
                own.kill()
                if back_at_once:
                    own.start()

        with pytest.raises(StoreError, match=r"postgresql://"):
            run_night(replace(venue(store, tmp_path, workers=2), report=kill), RULES, RATING, PLAN, SEED)
        assert killed
    own.start()
    with open_store(tmp_path) as store:
        assert resume_night(venue(store, tmp_path), RULES.name).finished
        assert outcome(store) == expected
        assert store.attempts(RULES.name) == []


def test_two_hosts_exclude_each_other(own: Server, tmp_path: Path) -> None:
    """Another home, as on another host, is refused while a night is played with this database, and is told by whom."""
    with open_store(tmp_path) as store:
        hand_in_all(store, names(4))
        refused = []

        def report(event: NightEvent) -> None:
            if isinstance(event, RoundPlanned):
                with pytest.raises(NightError, match=r"by process \d+ on .*: wait for it") as caught:
                    resume_night(venue(store, tmp_path / "elsewhere"), RULES.name)
                refused.append(caught.value)

        assert run_night(replace(venue(store, tmp_path), report=report), RULES, RATING, PLAN, SEED).finished
        assert refused


def test_an_older_schema_names_the_command_that_makes_a_backup(own: Server, tmp_path: Path) -> None:
    """Without leave nothing is changed; the sentence has the command for this very database, without a password."""
    with databases.connect(str(own.folder)) as connection:
        connection.execute("CREATE DATABASE older")
    url = databases.url(str(own.folder), "older")
    database = Database(find_url(url))
    with database.writing() as old:
        run_migrations(old, REVISIONS[0])
    database.close()
    with pytest.raises(OlderSchema, match=r"pg_dump --format=custom --file=arena-0001.dump postgresql://arena@/older"):
        Store.open(url)
    with Store.open(url, upgrade=True) as store:
        assert store.leagues() == []


def test_a_url_without_its_driver_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where psycopg is not installed, one sentence says what to install."""
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(StoreError, match=r"install league-arena\[postgresql\]"):
        Store.open("postgresql://arena@/nowhere?host=/nowhere")


def test_a_server_that_is_not_there_is_named(tmp_path: Path) -> None:
    """One sentence, without the password."""
    with pytest.raises(StoreError) as caught:
        Store.open(f"postgresql+psycopg://arena:secret@/arena?host={tmp_path}")
    assert "postgresql://arena@" in str(caught.value) and "secret" not in str(caught.value)
