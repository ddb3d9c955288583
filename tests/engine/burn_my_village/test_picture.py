"""The picture of the village: points, columns with Wilds, and who sees which hand."""

from __future__ import annotations

from functools import partial
from random import Random

import pytest

from engine.burn_my_village import GAME
from engine.walk import random_walk
from tests.engine import pictures
from tests.engine.pictures import ids, words
from tests.engine.test_pictures import is_readable

seen = partial(pictures.seen, GAME, steps=30)
"""An observation in the middle of a random match."""


def test_the_points_at_the_end_are_those_of_the_match() -> None:
    """The picture adds up what the viewer sees, and comes to the scores of the rules."""
    for seed in range(8):
        state = GAME.new(4)
        for _ in random_walk(state, Random(seed)):
            pass
        shown = words(GAME.picture(state.observation(None)))
        assert [f"{score:g} points" for score in state.scores()] == [word for word in shown if word.endswith(" points")]


def test_only_the_viewer_sees_its_hand() -> None:
    """Each kind of card of the hand is drawn for its owner, and for nobody else before the end."""
    observation = seen(1)
    drawn = [name for name in ids(GAME.picture(observation)) if name.startswith("pic-hand-")]
    assert drawn == [f"pic-hand-1-{name}" for name in observation["hand"]]
    assert not [name for name in ids(GAME.picture(seen(None))) if name.startswith("pic-hand-")]


def test_every_type_is_named_on_the_track_and_above_its_column() -> None:
    """Colour is never the only sign: each column of cards has its name, and each card a sign of its kind."""
    shown = words(GAME.picture(seen(None)))
    for name in ("axe", "feather", "scroll", "sword", "crown", "relic"):
        assert shown.count(name) == 2
    assert shown.count("wild") == 1


@pytest.mark.parametrize(("cards", "wilds"), [(1, 0), (3, 2), (14, 0), (14, 9), (14, 20), (1, 20)])
def test_a_full_column_can_be_read(cards: int, wilds: int) -> None:
    """All treasures and all Wilds may lie in one column, and all kinds in one stall."""
    observation = seen(0)
    for table in observation["tables"]:
        table["bribes"] = {name: {"cards": cards, "wilds": wilds} for name in observation["track"]}
    observation["stalls"] = [[*observation["track"], "wild"] * 9 for _ in range(4)]
    svg = GAME.picture(observation)
    is_readable(svg)
    assert words(svg).count(f"+{wilds}") == (18 if wilds else 0)
