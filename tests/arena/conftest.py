"""Fixtures that several tests of the arena use."""

from __future__ import annotations

import pytest

from engine import catalog

collect_ignore = ["attempts.py"]
"""A bot, not a module: it acts as soon as it is imported."""


@pytest.fixture
def tiny_game(monkeypatch: pytest.MonkeyPatch) -> str:
    """The game of `tiny_game.py` is in the catalog; gives its key."""
    monkeypatch.setitem(catalog.BUILT_IN, "tiny", "tests.arena.tiny_game")
    return "tiny"
