"""The JSON form of decisions in Lanterns, and the errors for JSON that is not an action."""

from __future__ import annotations

from typing import Any

import pytest

from engine.core import MalformedAction
from engine.lanterns import GAME
from engine.lanterns.actions import PLACEMENTS
from engine.lanterns.components import cell_at
from tests.engine.lanterns.table import read


@pytest.mark.parametrize(
    ("step", "data"),
    [
        ("-", {"type": "skip"}),
        ("x B>R", {"type": "exchange", "give": "B", "take": "R"}),
        ("d BBGGKK", {"type": "dedicate", "cards": "BBGGKK"}),
        ("c B", {"type": "discard", "card": "B"}),
        ("p 25@-1,0/1", {"type": "place", "tile": 25, "x": -1, "y": 0, "rotation": 1}),
    ],
)
def test_actions_have_the_json_of_the_table(step: str, data: dict[str, Any]) -> None:
    """Decisions: each kind of action is written and read as the table says, and read as the one object there is."""
    assert GAME.encode(read(step)) == data
    assert GAME.decode(data) is read(step)


def test_reading_is_lenient_in_two_points() -> None:
    """Decisions: cards of a set in any order; half a turn of faces 25 and 33 counts as none."""
    assert GAME.decode({"type": "dedicate", "cards": "KGBBGK"}) is read("d BBGGKK")
    for tile in (25, 33):
        for rotation in range(4):
            data = {"type": "place", "tile": tile, "x": 0, "y": 1, "rotation": rotation}
            assert GAME.decode(data) is PLACEMENTS[tile][cell_at(0, 1)][rotation % 2]


@pytest.mark.parametrize(
    ("data", "hint"),
    [
        ({"type": "plaice"}, "did you mean 'place'"),
        ({"type": "skip", "step": "exchange"}, "expected the fields type, got step, type"),
        ({"type": "exchange", "give": "B", "take": "B"}, "two different colours"),
        ({"type": "exchange", "give": "B", "take": "blue"}, "take: expected one of the colours"),
        ({"type": "dedicate", "cards": "BBB"}, "expected a set such as"),
        ({"type": "dedicate", "cards": "BBBBGG"}, "expected a set such as"),
        ({"type": "dedicate", "cards": ["B"] * 4}, "expected a set such as"),
        ({"type": "discard", "card": "BB"}, "card: expected one of the colours"),
        ({"type": "place", "tile": 0, "x": 0, "y": 1, "rotation": 0}, "tile: expected an integer from 1 to 34"),
        ({"type": "place", "tile": 1, "x": 0, "y": True, "rotation": 0}, "y: expected an integer"),
        ({"type": "place", "tile": 1, "x": 33, "y": 0, "rotation": 0}, "x: expected an integer from -32 to 32"),
        ({"type": "place", "tile": 25, "x": 0, "y": 1, "rotation": 4}, "rotation: expected an integer from 0 to 3"),
        ({"type": "orient", "seat": 4}, "seat: expected"),
        ({"type": "shuffle", "order": [1, 2, 3]}, "order: expected all faces of the pool"),
    ],
)
def test_what_cannot_be_read_is_explained(data: dict[str, Any], hint: str) -> None:
    """Decisions: everything else is malformed, with a message that says what was expected."""
    with pytest.raises(MalformedAction, match=hint):
        GAME.decode(data)


def test_only_actions_have_json() -> None:
    """Encoding something that is no action of this game is a mistake of the caller."""
    with pytest.raises(TypeError, match="expected an action of lanterns"):
        GAME.encode(("exchange", "B", "R"))
