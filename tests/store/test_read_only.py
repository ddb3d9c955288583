"""Tests of a store that is only read: nothing is created or changed, and a change by others is noticed."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from arena.errors import StoreError
from arena.model.rules import LeagueRules
from arena.ratings.live import RatingSettings
from arena.store.read_only import ReadOnlyFile
from arena.store.schema import OlderSchema
from arena.store.store import Store
from tests.support.databases import place


def test_what_does_not_exist_is_not_created(tmp_path: Path) -> None:
    """Neither the file nor its folder."""
    with pytest.raises(StoreError, match="there is no database"):
        Store.open_to_read(tmp_path / "home")
    assert not [*tmp_path.iterdir()]


def test_an_empty_database_stays_empty(tmp_path: Path) -> None:
    """On a server too, where an administrator has created it."""
    (tmp_path / "arena.db").touch()
    with Store.open_to_read(tmp_path) as store:
        assert (store.bots(), store.leagues()) == ([], [])
    assert (tmp_path / "arena.db").stat().st_size == 0


def test_a_store_of_any_kind_is_read(tmp_path: Path) -> None:
    """The same content as for a writer, and no change through it."""
    location = place(tmp_path)
    Store.open(location).close()
    with Store.open_to_read(location) as store:
        assert store.leagues() == []


def test_a_reader_cannot_write(tmp_path: Path) -> None:
    """Not even by a method that would write."""
    Store.open(tmp_path).close()
    with Store.open_to_read(tmp_path) as store, pytest.raises(StoreError, match="cannot be written"):
        store.keep_league(LeagueRules(name="friday", game="lanterns"), RatingSettings(draw_probability=0.01))


def test_an_older_schema_is_not_upgraded(tmp_path: Path) -> None:
    """The error says what is needed."""
    Store.open(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / "arena.db")) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0001'")
        connection.commit()
    before = (tmp_path / "arena.db").read_bytes()
    with pytest.raises(OlderSchema, match="schema 0001"):
        Store.open_to_read(tmp_path)
    assert (tmp_path / "arena.db").read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["arena.db"]


def test_a_change_of_an_unchanging_file_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was read could be of two moments."""
    Store.open(tmp_path).close()
    monkeypatch.setattr("arena.store.read_only.os.access", lambda path, mode: mode == os.R_OK)
    file = ReadOnlyFile(tmp_path / "arena.db")
    file.check()
    os.utime(tmp_path / "arena.db", ns=(1, 1))
    with pytest.raises(StoreError, match="was changed while it was read: try again"):
        file.check()
