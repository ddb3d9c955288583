"""The rules of Lanterns by number, R1 to R3: what is in the box, the geometry of the lake, the setup."""

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
    FACES,
    POOL,
    REACH,
    SHOWN_LETTERS,
    START_TILE,
    cell_at,
    cell_position,
    shown_sides,
)
from tests.engine.lanterns.table import cards, everything, play, start

# E5 to E7 continue one match, each adding to the one before.
E5_START = "25 27 10 2 9 3"
E5 = "p 25@-1,0/1"


# R1 components


def test_the_box_holds_what_the_rules_say() -> None:
    """R1.1 to R1.7: totals of colours, cards, tiles and tokens in the data file, each part with its source mark."""
    assert COLOURS == "BGKOPRW"
    assert set(BOX["colours"]["names"]) == set(COLOURS)
    assert BOX["lantern_cards"]["in_box"] == 8 * 7 == BOX["lantern_cards"]["in_box_per_colour"] * len(COLOURS)
    assert [face.tile for face in FACES] == list(range(35))
    assert sum(face.copies for face in FACES) == 36
    assert [face.tile for face in FACES if face.copies == 2] == [10]
    assert len(POOL) == 35
    assert START_TILE not in POOL
    assert Counter(face.platform for face in FACES if face.tile in POOL for _ in range(face.copies)) == {
        False: BOX["tile_counts"]["pool_plain"],
        True: BOX["tile_counts"]["pool_platform"],
    }
    assert (BOX["tile_counts"]["pool_plain"], BOX["tile_counts"]["pool_platform"]) == (24, 11)
    assert not FACES[START_TILE].platform
    assert FACES[9].sides == FACES[START_TILE].sides
    assert all(len(face.sides) == 4 and set(face.sides) <= set(COLOURS) for face in FACES)
    assert [len(tokens) for tokens in BOX["dedications"]["in_box"].values()] == [9, 9, 9]
    assert BOX["dedications"]["generic"] == {"value": 4, "in_box": 3}
    assert (BOX["favor_tokens"]["official"], BOX["favor_tokens"]["text"]) == (20, 24)


def test_every_part_of_the_data_says_where_it_is_from() -> None:
    """R1: each section of the data file bears source marks, of the kinds that it explains."""
    marks = set(BOX["marks"])
    assert marks == {"T", "F", "C"}
    for name, section in BOX.items():
        if name not in ("game", "marks"):
            source = section["source"]
            assert set(source.values() if isinstance(source, dict) else [source]) <= marks, name


def test_stacks_by_seats_are_the_box_without_marked_tokens() -> None:
    """R3.2: at each number of seats a stack holds the tokens of the box that are not marked for more seats."""
    for seats, stacks in BOX["dedications"]["by_seats"].items():
        for kind, tokens in BOX["dedications"]["in_box"].items():
            values = [token["value"] for token in tokens if token["min_seats"] <= int(seats)]
            assert stacks[kind] == values == sorted(values, reverse=True)
    assert [len(BOX["dedications"]["by_seats"][seats]["four"]) for seats in "234"] == [6, 8, 9]


def test_tiles_by_seats_add_up() -> None:
    """R3.4, A3: hands, stack and removed tiles are the pool of 35; hands with the stack are the placements."""
    for seats, sizes in BOX["tile_counts"]["by_seats"].items():
        dealt = sizes["hand"] * int(seats) + sizes["stack"]
        assert dealt + sizes["removed"] == 35
        assert dealt == sizes["placements"] == sizes["placements_per_seat"] * int(seats)


# R2 geometry


def test_cells_count_east_and_north() -> None:
    """R2.1: cells keep their coordinates as far as any tile can lie, in the order of x, then y."""
    corners = [(x, y) for x in (-REACH - 1, -1, 0, REACH + 1) for y in (-REACH - 1, 0, 1, REACH + 1)]
    assert [cell_position(cell_at(x, y)) for x, y in corners] == corners
    assert [cell_at(x, y) for x, y in corners] == sorted(cell_at(x, y) for x, y in corners)


def test_rotation_turns_clockwise() -> None:
    """R2.2, E1: face 3 is BKOG and shows BKOG, GBKO, OGBK, KOGB at rotations 0 to 3."""
    assert [shown_sides(3, rotation) for rotation in range(4)] == ["BKOG", "GBKO", "OGBK", "KOGB"]
    assert [SHOWN_LETTERS[4 * 3 + rotation] for rotation in range(4)] == ["BKOG", "GBKO", "OGBK", "KOGB"]


@pytest.mark.parametrize("direction", range(4))
def test_touching_sides_are_opposite(direction: int) -> None:
    """R2.3: side d of a tile touches side d + 2 of its neighbour in direction d, in each of the four directions."""
    # Seat 0 faces red, so the start tile shows RWKB. Face 10 is BWGP: turned so that its one W, or B, meets the same.
    x, y = [(0, 1), (1, 0), (0, -1), (-1, 0)][direction]
    shown = "RWKB"[direction]
    for rotation in range(4):
        state = start(2, 0, "10 11 1")
        touching = SHOWN_LETTERS[4 * 10 + rotation][(direction + 2) % 4]
        event = play(state, f"p 10@{x},{y}/{rotation}")[0]
        assert event.public["bonus"] == (shown if touching == shown else "")


@pytest.mark.parametrize(
    ("seats", "options", "sides"),
    [(4, {}, "NESW"), (3, {}, "NES"), (2, {}, "NS"), (2, {"two_player_seats": "adjacent"}, "NE")],
)
def test_seats_own_directions(seats: int, options: dict[str, Any], sides: str) -> None:
    """R2.4, A5: seats sit clockwise from north; two sit opposite, or adjacent by option."""
    tables = start(seats, 0, **options).observation(None)["tables"]
    assert "".join(table["side"] for table in tables) == sides


def test_sides_that_face_nobody_pay_nobody_but_match() -> None:
    """R2.5, A6: at two seats the east side pays no seat, yet it is the side that matches here."""
    state = start(2, 0, E5_START)
    event = play(state, E5)[0]  # shows OBOB: north and south pay, B to the east only matches
    assert event.public["gains"] == ["O", "O"]
    assert event.public["bonus"] == "B"


# R3 setup


@pytest.mark.parametrize(
    ("seats", "options", "a_colour", "favor"),
    [
        (2, {}, 5, 20),
        (3, {}, 7, 20),
        (4, {}, 8, 20),
        (2, {"edition": "text"}, 6, 24),
        (3, {"edition": "text"}, 7, 24),
        (4, {"edition": "text"}, 8, 24),
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


def test_before_the_first_chance_nothing_lies() -> None:
    """R3: the observation of a new match: setup, an empty lake, no start seat, nobody holds anything."""
    seen = GAME.new(2).observation(1)
    assert (seen["step"], seen["to_act"], seen["start_seat"], seen["board"]) == ("setup", CHANCE, None, [])
    assert (seen["hand"], seen["stack"], seen["removed"]) == ([], 0, 0)
