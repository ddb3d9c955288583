"""Nights with a database server: it stops, comes back, and serves several hosts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from arena.config.settings import DATABASE_FILE
from arena.errors import NightError, StoreError
from arena.night.events import MatchDone, NightEvent, RoundPlanned
from arena.night.runner import resume_night, run_night
from arena.store.connection import Database, find_url
from arena.store.schema import REVISIONS, OlderSchema, run_migrations
from arena.store.store import Store
from tests.support import databases
from tests.support.databases import Server
from tests.support.hosts import NEED_SANDBOX
from tests.support.made_up_night import PLAN, RATING, RULES, SEED, hand_in_all, names, open_store, outcome, venue

GAME = "burn_my_village"
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


def test_a_missing_server_fails_where_nothing_may_be_left_untried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else CI would pass without it; on other hosts what needs one is left out, and the summary says so."""
    monkeypatch.setattr(databases, "PROGRAMS", [])
    for value, outcome_of_it in (("1", pytest.fail.Exception), ("", pytest.skip.Exception)):
        monkeypatch.setenv(NEED_SANDBOX, value)
        with pytest.raises(outcome_of_it, match="no PostgreSQL server is installed here"):
            Server()


@pytest.mark.parametrize("back_at_once", [False, True])
def test_a_server_that_is_killed_ends_the_night_which_goes_on_exactly(
    own: Server, tmp_path: Path, back_at_once: bool
) -> None:
    """SIGKILL of the whole server between two batches: one sentence that names it; after its restart nothing is lost or
    doubled. Also when it is back before anybody noticed: the lock went with it, so the night does not play on."""
    expected = undisturbed(tmp_path / "undisturbed")
    with open_store(tmp_path) as store:
        hand_in_all(store, names(6))
        killed: list[NightEvent] = []

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


def test_a_league_is_held_on_a_server_by_the_command_line(own: Server, tmp_path: Path) -> None:
    """With `ARENA_DATABASE_URL` alone: submit, play, show, verify; nothing of it is in a file of the home, and another
    home with the same variable has the same board."""
    database = str(databases.place(tmp_path))
    environment = {"PATH": os.environ["PATH"], "ARENA_DATABASE_URL": database, "ARENA_AUTHOR": "ada"}

    def arena(*arguments: str, home: str = "home") -> str:
        here = {**environment, "ARENA_HOME": str(tmp_path / home)}
        command = [sys.executable, "-m", "arena", *arguments]
        ran = subprocess.run(command, env=here, cwd=tmp_path, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    for name in ("left", "right"):
        arena("new", name)
        with (tmp_path / f"{name}.py").open("a") as source:
            source.write(f"# {name}\n")
        assert arena("submit", f"{name}.py", "--game", GAME) == f"{name}:1 by ada is entered in {GAME}\n"
    arena("night", "run", GAME, "--encounters", "3", "--workers", "2", "--quiet")
    board = arena("leaderboard", GAME, "--json")
    assert {(row["bot"], row["matches"]) for row in json.loads(board)} == {("left", 6), ("right", 6)}
    assert arena("match", "verify", "--league", GAME) == "6 of 6 matches replay exactly as stored\n"
    assert arena("rating", "verify") == f"all 2 ratings of {GAME} match the stored values exactly\n"
    assert arena("leaderboard", GAME, "--json", home="elsewhere") == board
    assert not list(tmp_path.rglob(DATABASE_FILE))
    with Store.open(database) as store:
        assert store.count_matches() == 6


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
