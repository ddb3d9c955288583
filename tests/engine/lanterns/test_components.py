"""What is in the box of Lanterns, and the geometry of the lake: rules R1 and R2."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from engine.lanterns.components import (
    BOX,
    COLOURS,
    FACES,
    POOL,
    REACH,
    SHOWN,
    SHOWN_LETTERS,
    START_TILE,
    STEPS,
    cell_at,
    cell_position,
    shown_sides,
)
from tests.engine.lanterns.matches import Match
from tests.engine.lanterns.table import play, start


def test_sides_touch_as_drawn() -> None:
    """R2.3, R8.2: the bonus of a placement names just the colours that equal the touching ones, N, E, S, W."""
    for state, events in Match(3, seed=5, temper="match").walk():
        for event in events:
            if event.type == "place":
                fields = event.public
                cell = next(cell for cell in state.lake if cell_position(cell) == (fields["x"], fields["y"]))
                shown = SHOWN[4 * fields["tile"] + fields["rotation"]]
                equal = "".join(
                    COLOURS[shown[side]]
                    for side, step in enumerate(STEPS)
                    if cell + step in state.lake and SHOWN[state.lake[cell + step]][(side + 2) % 4] == shown[side]
                )
                rest = iter(equal)
                assert all(letter in rest for letter in fields["bonus"])  # a missing card is left out, order stays
                assert equal or not fields["favor"]


# E5 to E7 continue one match, each adding to the one before.
E5_START = "25 27 10 2 9 3"


E5 = "p 25@-1,0/1"


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
