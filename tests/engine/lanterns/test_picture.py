"""The picture of the lake: what each viewer finds in it, and very wide and very long lakes."""

from __future__ import annotations

from functools import partial

import pytest

from engine.lanterns.game import GAME
from tests.engine import pictures
from tests.engine.pictures import ids, words
from tests.engine.test_pictures import is_readable

seen = partial(pictures.seen, GAME, steps=12)
"""An observation in the middle of a random match."""


def test_a_tile_has_the_letter_of_each_side() -> None:
    """Colour is never the only sign."""
    observation = seen(None)
    observation["board"] = observation["board"][:1]
    before = words(GAME.picture(observation))
    observation["board"] = []
    after = words(GAME.picture(observation))
    assert len(before) - len(after) == 4 + 2  # and the labels of its column and row


def test_only_the_viewer_sees_its_tiles() -> None:
    """A spectator sees none; the tiles of a seat keep their ids when they are placed."""
    observation = seen(1)
    drawn = ids(GAME.picture(observation))
    assert {f"pic-face-{tile['tile']}" for tile in observation["hand"]} <= set(drawn)
    assert "tiles of seat 1" in words(GAME.picture(observation))
    public = ids(GAME.picture(seen(None)))
    assert sum(name.startswith("pic-face") for name in public) == len(observation["board"])
    assert sum(name.startswith("pic-face") for name in drawn) == len(observation["board"]) + len(observation["hand"])


@pytest.mark.parametrize("across", [True, False])
@pytest.mark.parametrize("start", [-32, 0])
def test_the_longest_lake_can_be_read(across: bool, start: int) -> None:
    """All tiles in one line, to the west, east, north or south: a wide lake is drawn in parts."""
    observation = seen(0, seats=4)
    tile = observation["board"][0]
    observation["board"] = [
        {**tile, "tile": number, "x": start + number if across else 0, "y": 0 if across else start + number}
        for number in range(33)
    ]
    observation["hand"] = observation["hand"][:1]
    observation["hand"][0]["tile"] = 34
    svg = GAME.picture(observation)
    is_readable(svg)
    assert len([name for name in ids(svg) if name.startswith("pic-face")]) == 34
    assert {"N", "E", "S", "W"} <= {word[:1] for word in words(svg)}
