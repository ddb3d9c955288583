"""What each viewer of Lanterns sees: observations, events, the first of each list."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from engine.core import IllegalAction, OptionError
from engine.lanterns import GAME
from engine.lanterns.actions import ORIENTS, SKIP, Shuffle
from engine.lanterns.components import BOX, POOL
from tests.engine.lanterns.table import counted, play, position, start

# E5 to E7 continue one match, each adding to the one before.
E5_START = "25 27 10 2 9 3"


E5 = "p 25@-1,0/1"


def test_refusals_say_who_is_to_act() -> None:
    """A refused action names the seat and the step that it does not fit."""
    with pytest.raises(IllegalAction, match="seat 0 is to act, in step place"):
        start(2, 0).apply(SKIP)
    with pytest.raises(IllegalAction, match="nobody is to act, in step setup"):
        GAME.new(2).apply(SKIP)


def test_wrong_options_are_refused() -> None:
    """Options: an unknown name or value is an error that names what was expected."""
    with pytest.raises(OptionError, match="did you mean 'edition'"):
        GAME.new(2, {"editon": "text"})
    with pytest.raises(OptionError, match="expected one of"):
        GAME.new(2, {"two_player_stack": 5})


def test_unseen_tiles_of_a_small_position() -> None:
    """K1, K2, E14: after two placements viewer 0 has 30 unseen faces, one of them 10, at these sizes."""
    state = start(2, 0, E5_START)
    play(state, E5 + "; p 2@0,1/0")
    seen = state.observation(0)
    assert [tile["tile"] for tile in seen["hand"]] == [1, 10, 27]
    assert [tile["tile"] for tile in seen["board"]] == [0, 25, 2]
    sample = state.resample(0, Random(1))
    sizes = len(sample.hands[1]), len(sample.stack), len(sample.removed)  # type: ignore[attr-defined]
    assert sizes == (3, 14, 13)
    unseen = sorted([*sample.hands[1], *sample.stack, *sample.removed])  # type: ignore[attr-defined]
    expected = Counter(POOL) - Counter([1, 10, 27, 25, 2])
    assert Counter(unseen) == expected
    assert len(unseen) == 30
    assert unseen.count(10) == 1
    assert unseen.count(9) == 1  # the start tile on the lake does not use up face 9


def test_events_of_a_small_match_by_viewer() -> None:
    """E14: the shuffle and each draw show a seat its own tiles, and a spectator none."""
    state = GAME.new(2)
    events = [*state.apply(ORIENTS[0])]
    first = [25, 27, 10, 2, 9, 3]
    rest = list(POOL)
    for tile in first:
        rest.remove(tile)
    events += state.apply(Shuffle((*first, *rest)))
    events += play(state, E5 + "; p 2@0,1/0")
    by_viewer = {viewer: [event.seen_by(viewer) for event in events] for viewer in (None, 0, 1)}
    for seen in by_viewer.values():
        assert [event["type"] for event in seen] == ["orient", "shuffle", "place", "draw", "place", "draw"]
    assert by_viewer[0][0] == {"type": "orient", "seat": 0, "rotation": 3}
    assert by_viewer[0][1] == {"type": "shuffle", "cards": ["R", "K"], "hand": [10, 25, 27]}
    assert by_viewer[1][1] == {"type": "shuffle", "cards": ["R", "K"], "hand": [2, 3, 9]}
    assert by_viewer[None][1] == {"type": "shuffle", "cards": ["R", "K"]}
    assert [by_viewer[0][index].get("tile") for index in (3, 5)] == [1, None]
    assert [by_viewer[1][index].get("tile") for index in (3, 5)] == [None, 4]
    assert [by_viewer[None][index].get("tile") for index in (3, 5)] == [None, None]


def test_a_spectator_sees_no_hand() -> None:
    """Observation: the field `hand` is the viewer's own; a spectator has none, others are only counted."""
    state = start(3, 0)
    assert "hand" not in state.observation(None)
    for viewer in range(3):
        seen = state.observation(viewer)
        assert [tile["tile"] for tile in seen["hand"]] == list(state.hands[viewer])
        assert [table["hand_size"] for table in seen["tables"]] == [3, 3, 3]


def test_an_observation_in_full() -> None:
    """Observation: the whole of it after E5, for the seat to act."""
    state = start(2, 0, E5_START)
    play(state, E5)
    seen = state.observation(1)
    options = {name: option.default for name, option in GAME.options.items()}
    assert seen == {
        "viewer": 1,
        "seats": 2,
        "to_act": 1,
        "turn": 1,
        "options": options,
        "step": "place",
        "start_seat": 0,
        "final": False,
        "placements_left": 21,
        "board": [
            {"x": 0, "y": 0, "tile": 0, "rotation": 3, "shown": "RWKB", "platform": False},
            {"x": -1, "y": 0, "tile": 25, "rotation": 1, "shown": "OBOB", "platform": True},
        ],
        "supply": {"B": 4, "G": 5, "K": 4, "O": 3, "P": 5, "R": 4, "W": 5},
        "favor_supply": 19,
        "dedications": BOX["dedications"]["by_seats"]["2"],
        "generic_left": None,
        "stack": 15,
        "removed": 13,
        "tables": [
            {
                "seat": 0,
                "side": "N",
                "cards": {"B": 1, "G": 0, "K": 0, "O": 1, "P": 0, "R": 1, "W": 0},
                "favor": 1,
                "taken": [],
                "score": 0,
                "hand_size": 3,
            },
            {
                "seat": 1,
                "side": "S",
                "cards": {"B": 0, "G": 0, "K": 1, "O": 1, "P": 0, "R": 0, "W": 0},
                "favor": 0,
                "taken": [],
                "score": 0,
                "hand_size": 3,
            },
        ],
        "hand": [
            {"tile": 2, "sides": "BGBO", "platform": False},
            {"tile": 3, "sides": "BKOG", "platform": False},
            {"tile": 9, "sides": "BRWK", "platform": False},
        ],
    }


def test_the_fallback_is_the_first_of_each_list() -> None:
    """Decisions: the first entry is skip, skip, the first colour held, the first placement."""
    state = position([counted("G5 K4 O2 P2"), ""], favor=[2, 0])
    fallbacks = []
    for _ in range(4):
        action = state.legal_actions()[0]
        fallbacks.append(GAME.encode(action)["type"])
        state.apply(action)
    assert fallbacks == ["skip", "skip", "discard", "place"]
