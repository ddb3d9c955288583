"""The rules of Lanterns R8 and R9: placing and shortage, on positions played by hand."""

from __future__ import annotations

from typing import Any

import pytest

from engine.core import IllegalAction
from engine.lanterns import GAME
from engine.lanterns.actions import DISCARDS, PLACEMENTS, SKIP, Place
from engine.lanterns.components import SHOWN_LETTERS, cell_at
from tests.engine.lanterns.table import cards, everything, listed, play, start

# E5 to E7 continue one match, each adding to the one before.
E5_START = "25 27 10 2 9 3"


E5 = "p 25@-1,0/1"


E6 = E5 + "; p 2@0,1/0; p 27@-1,1/3"


E7 = E6 + "; p 3@-1,-1/2"


def test_a_tile_may_go_on_every_cell_beside_the_lake() -> None:
    """R8.1, E4: two faces in hand, one of them twice, give 4 x 4 + 4 x 2 placements in the order of the table."""
    state = start(2, 0, "25 10 10 2 9 24")
    actions = listed(state)
    assert len(actions) == 24
    assert actions[0] == "p 10@-1,0/0"
    assert actions[-1] == "p 25@1,0/1"
    assert actions[:4] == [f"p 10@-1,0/{rotation}" for rotation in range(4)]
    data = {"type": "place", "tile": 25, "x": 1, "y": 0, "rotation": 3}
    assert GAME.decode(data) is PLACEMENTS[25][cell_at(1, 0)][1]


@pytest.mark.parametrize(
    "action",
    [
        Place(1, 2, 0, 0),  # not beside the lake
        Place(1, 0, 0, 0),  # on the start tile
        Place(7, 1, 0, 0),  # not in hand
        Place(1, 1, 0, 4),
        Place(1, 0, 128, 0),  # a cell whose number would be another cell's
        Place(25, 1, 0, 2),  # looks like rotation 0: listed once
        SKIP,
        DISCARDS["B"],
    ],
)
def test_other_placements_are_refused(action: Any) -> None:
    """R8.1: a wrong cell, face or rotation is refused, and the position is as before."""
    state = start(2, 0, "1 2 25")
    before = everything(state)
    with pytest.raises(IllegalAction):
        state.apply(action)
    assert everything(state) == before


def test_a_placement_pays_bonus_favor_and_facing_cards() -> None:
    """R8.2 to R8.6, E5: a platform tile that matches: bonus card, one favor token, a card for each seat, a new tile."""
    state = start(2, 0, E5_START)
    events = play(state, E5)
    assert [event.seen_by(0) for event in events] == [
        {
            "type": "place",
            "seat": 0,
            "tile": 25,
            "x": -1,
            "y": 0,
            "rotation": 1,
            "bonus": "B",
            "favor": 1,
            "gains": ["O", "O"],
        },
        {"type": "draw", "seat": 0, "tile": 1},
    ]
    assert events[1].seen_by(1) == {"type": "draw", "seat": 0}
    assert [cards(held) for held in state.held] == ["B1 O1 R1", "K1 O1"]
    assert cards(state.supply) == "B4 G5 K4 O3 P5 R4 W5"
    assert state.favor == [1, 0]
    assert state.hands[0] == (1, 10, 27)
    assert state.to_act == 1


def test_the_start_tile_may_be_a_platform() -> None:
    """A12, E5: with `start_is_platform` the start tile pays a second favor token, and shows as a platform."""
    state = start(2, 0, E5_START, start_is_platform="yes")
    assert play(state, E5)[0].public["favor"] == 2
    assert [tile["platform"] for tile in state.observation(0)["board"]] == [True, True]


def test_nothing_matches_nothing_paid() -> None:
    """R8.4, E6: face 2 touches the start tile without a match: no bonus, no favor, only the facing cards."""
    state = start(2, 0, E5_START)
    placed = play(state, E5 + "; p 2@0,1/0")[2].public
    assert (placed["bonus"], placed["favor"], placed["gains"]) == ("", 0, ["B", "B"])


@pytest.mark.parametrize(("option", "favor"), [("per_platform", 2), ("per_match", 3)])
def test_platforms_pay_favor(option: str, favor: int) -> None:
    """R8.4, R8.5, A11, E6: two sides match, both tiles of one match have platforms; the last O ends the pile."""
    state = start(2, 0, E5_START, platform_favor=option)
    events = play(state, E6)
    placed = [event.public for event in events if event.type == "place"][2]
    assert SHOWN_LETTERS[4 * 27 + 3] == "WOOB"
    assert (placed["bonus"], placed["favor"], placed["gains"]) == ("OO", favor, ["W", "O"])
    assert "O" not in cards(state.supply)
    assert "W4" in cards(state.supply)


@pytest.mark.parametrize(("option", "favor"), [("per_platform", 3), ("per_match", 4)])
def test_every_matching_neighbour_with_a_platform_pays(option: str, favor: int) -> None:
    """R8.4, A11: face 34 meets face 24 on W and face 25 on O; all three have platforms."""
    state = start(2, 0, "25 34 1 24 2 3", platform_favor=option)
    placed = play(state, "p 25@-1,0/1; p 24@0,1/0; p 34@-1,1/2")[-2].public
    assert (placed["tile"], placed["bonus"], placed["favor"]) == (34, "WO", favor)


def test_a_platform_without_a_match_pays_nothing() -> None:
    """R8.4: a tile with a platform that matches nothing earns no token."""
    state = start(2, 0, E5_START)
    placed = play(state, "p 25@-1,0/0")[0].public  # shows BOBO; O meets the start tile's B
    assert (placed["bonus"], placed["favor"]) == ("", 0)


def test_facing_cards_go_clockwise_from_the_placing_seat() -> None:
    """R8.5, R9.2, E10: the placing seat takes the last K as its own; the other, faced by K too, gets nothing."""
    state = start(2, 0, "28 17 18 10 33 11")
    events = play(state, "p 17@1,0/0; p 33@0,-1/0")
    placed = [event.public for event in events if event.type == "place"]
    assert SHOWN_LETTERS[4 * 33] == "KWKW"
    assert (placed[1]["bonus"], placed[1]["favor"], placed[1]["gains"]) == ("K", 1, [None, "K"])
    assert "K" not in cards(state.supply)
    assert [cards(held) for held in state.held] == ["K1 R1 W1", "K4"]


def test_the_stack_is_drawn_from_the_top_until_it_is_empty() -> None:
    """R8.6, A18: the drawn tile is the stack's first, comes after the payments; with no stack there is no draw."""
    state = start(2, 0, E5_START)
    top = state.stack[0]
    events = play(state, E5)
    assert [event.type for event in events] == ["place", "draw"]
    assert top in state.hands[0]
    state.stack = ()
    events = play(state, "p 2@0,1/0")
    assert [event.type for event in events] == ["place"]
    assert len(state.hands[1]) == 2


def test_a_missing_card_is_not_made_up_for() -> None:
    """R9.1, R9.3, A15, E7: the match on O pays no card but its favor; seat 0, faced by O, gets nothing."""
    state = start(2, 0, E5_START)
    placed = play(state, E7)[-2].public
    assert (placed["bonus"], placed["favor"], placed["gains"]) == ("", 1, [None, "B"])


def test_a_sixth_card_comes_first_to_the_placing_seat() -> None:
    """R9.2, E7: with edition `text` the sixth O goes to seat 1 as its bonus; seat 0 still gets nothing."""
    state = start(2, 0, E5_START, edition="text")
    placed = play(state, E7)[-2].public
    assert (placed["bonus"], placed["favor"], placed["gains"]) == ("O", 1, [None, "B"])


def test_bonus_cards_come_north_east_south_west() -> None:
    """R9.2: matching sides are paid in the order N, E, S, W."""
    state = start(2, 1, "16 5 10 32 17 20 30 12 10 27 22 9")
    play(state, "p 32@0,-1/1; p 16@-1,0/3; -")
    assert play(state, "p 20@-1,-1/2")[0].public["bonus"] == "O"  # north matches on R, and no R is left
    state = start(2, 1, "16 5 10 32 17 20 30 12 10 27 22 9", edition="text")
    play(state, "p 32@0,-1/1; p 16@-1,0/3; -")
    assert play(state, "p 20@-1,-1/2")[0].public["bonus"] == "RO"


def test_a_short_favor_supply_pays_what_it_has() -> None:
    """R9.4, A14: of two tokens earned only the last one is there; the rest is not owed."""
    state = start(2, 0, E5_START, start_is_platform="yes")
    state.favor_supply, state.favor = 1, [0, 19]
    assert play(state, E5)[0].public["favor"] == 1
    assert state.favor_supply == 0
    assert state.favor == [1, 19]
