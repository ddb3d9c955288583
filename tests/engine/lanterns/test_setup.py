"""The setup of Lanterns: rules R3."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

from engine.core import CHANCE, IllegalAction
from engine.lanterns import GAME
from engine.lanterns.actions import ORIENTS, Shuffle
from engine.lanterns.components import (
    BOX,
    COLOURS,
    POOL,
)
from tests.engine.lanterns.table import cards, everything, start


@pytest.mark.parametrize(
    ("seats", "options", "a_colour", "favor"),
    [
        (2, {}, 5, 20),
        (3, {}, 7, 20),
        (4, {}, 8, 20),
        (2, {"edition": "text"}, 6, 24),
        (3, {"edition": "text"}, 7, 24),
        (4, {"edition": "text"}, 8, 24),
        (2, {"edition": "older"}, 6, 24),
        (3, {"edition": "older"}, 7, 24),
        (4, {"edition": "older"}, 8, 24),
        (2, {"edition": "older", "two_player_stack": "5", "favor_supply": "20"}, 5, 20),
        (2, {"two_player_stack": "6"}, 6, 20),
        (2, {"edition": "text", "two_player_stack": "5"}, 5, 24),
        (4, {"two_player_stack": "6"}, 8, 20),
        (3, {"favor_supply": "24"}, 7, 24),
        (2, {"edition": "text", "favor_supply": "20"}, 6, 20),
    ],
)
def test_supplies_follow_seats_and_options(seats: int, options: dict[str, Any], a_colour: int, favor: int) -> None:
    """R1.6, R3.1, A1, A2: cards a colour and favor tokens at each number of seats, edition, and overriding option."""
    seen = GAME.new(seats, options).observation(None)
    assert seen["supply"] == dict.fromkeys(COLOURS, a_colour)
    assert seen["favor_supply"] == favor


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_dedication_stacks_begin_full(seats: int) -> None:
    """R3.2: the stacks, highest value on top, as in the data file."""
    assert start(seats, 0).observation(None)["dedications"] == BOX["dedications"]["by_seats"][str(seats)]


@pytest.mark.parametrize(
    ("seats", "options", "orient", "shown", "first"),
    [
        (4, {}, 2, "KBRW", "KBRW"),
        (3, {}, 0, "RWKB", "RWK"),
        (3, {}, 1, "BRWK", "BRW"),
        (3, {}, 2, "KBRW", "KBR"),
        (2, {}, 0, "RWKB", "RK"),
        (2, {}, 1, "KBRW", "KR"),
        (2, {"two_player_seats": "adjacent"}, 0, "RWKB", "RW"),
        (2, {"two_player_seats": "adjacent"}, 1, "BRWK", "BR"),
    ],
)
def test_red_faces_the_start_seat(seats: int, options: dict[str, Any], orient: int, shown: str, first: str) -> None:
    """R3.3, R3.5, R3.6, E2: how the start tile lies, who gets which first card, and who begins."""
    state = start(seats, orient, **options)
    seen = state.observation(None)
    tile = {"x": 0, "y": 0, "tile": 0, "rotation": ["BRWK", "KBRW", "WKBR", "RWKB"].index(shown), "shown": shown}
    assert seen["board"] == [{**tile, "platform": False}]
    assert [cards(held) for held in state.held] == [f"{letter}1" for letter in first]
    assert state.to_act == seen["start_seat"] == orient
    assert state.favor == [0] * seats
    full = BOX["cards_per_colour"]["official"][str(seats)]
    assert seen["supply"] == {letter: full - (letter in first) for letter in COLOURS}


def test_each_seat_faces_red_equally_often() -> None:
    """R3.3, A4: red always faces a seat that plays, and each of them about equally often."""
    state = GAME.new(3)
    assert state.to_act == CHANCE
    assert state.chance_key == "orient"
    rng = Random(1)
    drawn = Counter(state.sample_chance(rng) for _ in range(3000))
    assert set(drawn) == set(ORIENTS[:3])
    assert all(900 < number < 1100 for number in drawn.values())
    with pytest.raises(IllegalAction):
        state.apply(ORIENTS[3])


def test_the_order_of_the_pool_deals_hands_stack_and_removed() -> None:
    """R3.4, E3: at three seats a descending order gives these hands, this stack, these removed tiles."""
    descending = list(reversed(POOL))
    state = start(3, 1, descending)
    assert state.hands == [(32, 33, 34), (29, 30, 31), (26, 27, 28)]
    assert state.stack == tuple(descending[9:27])
    assert (state.stack[0], state.stack[-1], state.stack.count(10), len(state.stack)) == (25, 9, 2, 18)
    assert state.removed == tuple(range(1, 9))


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_shuffle_takes_exactly_the_pool(seats: int) -> None:
    """R3.4: a shuffle is the ascending pool shuffled by the generator; anything but the pool is refused."""
    state = GAME.new(seats)
    state.apply(ORIENTS[0])
    assert state.chance_key == "shuffle"
    expected = list(POOL)
    Random(9).shuffle(expected)
    assert state.sample_chance(Random(9)) == Shuffle(tuple(expected))
    before = everything(state)
    for wrong in (POOL[1:], (*POOL[1:], 2), (0, *POOL[1:])):
        with pytest.raises(IllegalAction):
            state.apply(Shuffle(wrong))
    assert everything(state) == before


@pytest.mark.parametrize(("seats", "stack", "removed"), [(2, 16, 12), (3, 18, 7), (4, 20, 2)])
def test_the_older_box_has_a_tile_less(seats: int, stack: int, removed: int) -> None:
    """R1.3, R1.4, R3.4, A3: edition `older` has 35 tiles, removes 12, 7 or 2, and has face 10 once."""
    state = start(seats, 0, edition="older")
    seen = state.observation(None)
    assert (seen["stack"], seen["removed"], seen["placements_left"]) == (stack, removed, 3 * seats + stack)
    tiles = [*(tile for hand in state.hands for tile in hand), *state.stack, *state.removed]
    assert sorted(tiles) == list(range(1, 35))
    assert GAME.decode(GAME.encode(Shuffle(tuple(tiles)))) == Shuffle(tuple(tiles))
    fresh = GAME.new(seats, {"edition": "older"})
    fresh.apply(ORIENTS[0])
    with pytest.raises(IllegalAction):
        fresh.apply(Shuffle(POOL))


def test_before_the_first_chance_nothing_lies() -> None:
    """R3: the observation of a new match: setup, an empty lake, no start seat, nobody holds anything."""
    seen = GAME.new(2).observation(1)
    assert (seen["step"], seen["to_act"], seen["start_seat"], seen["board"]) == ("setup", CHANCE, None, [])
    assert (seen["hand"], seen["stack"], seen["removed"]) == ([], 0, 0)
