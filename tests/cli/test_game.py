"""Tests of `arena game check-tables`: it works for every game with a component table, and names no game itself."""

from __future__ import annotations

import json
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from arena.cli.commands import game as command
from engine import catalog
from engine.hell_village.components import read_built_in
from tests.cli.conftest import Arena


def test_a_table_is_checked_by_the_first_game_with_one(arena: Arena, place: Path) -> None:
    """The built-in table can be played; a spoiled one is refused with every problem, as text and as JSON."""
    Path("cards.json").write_text(json.dumps(read_built_in()))
    assert arena("game", "check-tables", "cards.json").out == "cards.json can be played\n"
    assert arena("game", "check-tables", "cards.json", "--game", "hell_village").status == 0
    Path("cards.json").write_text(json.dumps({**read_built_in(), "format": 2}))
    ran = arena("game", "check-tables", "cards.json")
    assert (ran.status, ran.out) == (1, "format: expected 1, got 2\n")
    assert "cards.json cannot be played: 1 problem" in ran.err
    assert json.loads(arena("game", "check-tables", "cards.json", "--json").out) == ["format: expected 1, got 2"]


def test_a_game_without_a_table_is_refused(arena: Arena, place: Path) -> None:
    """Most games have no table that another could replace."""
    Path("cards.json").write_text("{}")
    ran = arena("game", "check-tables", "cards.json", "--game", "lanterns")
    assert ran.status == 2
    assert "the game 'lanterns' is not made from a component table" in ran.err


def test_no_game_has_a_table(arena: Arena, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A game that cannot be loaded is passed over, and that no game has a table is said."""
    Path("cards.json").write_text("{}")
    monkeypatch.setattr(catalog, "BUILT_IN", {"lanterns": "engine.lanterns"})
    broken = EntryPoint("broken", "no_such_module:GAME", catalog.ENTRY_POINT_GROUP)
    monkeypatch.setattr(catalog, "entry_points", lambda group: [broken])
    ran = arena("game", "check-tables", "cards.json")
    assert ran.status == 2
    assert "no installed game is made from a component table" in ran.err


def test_the_commands_know_no_game_by_name() -> None:
    """A game says by `Game.check_tables` what its table may hold."""
    source = Path(command.__file__).read_text("utf-8")
    assert "engine.hell_village" not in source
    assert "Hell Village" not in source
