"""The rules of Lanterns by number, R8 to R10: placing, shortage, the end; on positions played by hand."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

from engine.core import CHANCE, IllegalAction
from engine.lanterns import GAME
from engine.lanterns.actions import DISCARDS, PLACEMENTS, SKIP, Place
from engine.lanterns.cards import pack
from engine.lanterns.components import COLOURS, SHOWN_LETTERS, cell_at
from engine.lanterns.go import go_on
from engine.lanterns.scoring import ranks
from tests.engine.lanterns.table import cards, counted, everything, listed, play, position, start

# E5 to E7 continue one match, each adding to the one before.
E5_START = "25 27 10 2 9 3"
E5 = "p 25@-1,0/1"
E6 = E5 + "; p 2@0,1/0; p 27@-1,1/3"
E7 = E6 + "; p 3@-1,-1/2"


# R8 placing


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


# R9 shortage


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


# R10 end, scores, ranks


@pytest.mark.parametrize(("seats", "each"), [(2, 11), (3, 9), (4, 8)])
def test_all_seats_place_equally_often(seats: int, each: int) -> None:
    """R10.1: when stack and hands are empty every seat has placed 11, 9 or 8 tiles."""
    state, rng = GAME.new(seats), Random(seats)
    placed: Counter[int] = Counter()
    while state.to_act is not None:
        action = state.sample_chance(rng) if state.to_act == CHANCE else rng.choice(state.legal_actions())
        placed.update(event.public["seat"] for event in state.apply(action) if event.type == "place")
    assert placed == dict.fromkeys(range(seats), each)
    assert state.stack == ()
    assert state.hands == [()] * seats


def test_final_goes_begin_with_the_start_seat() -> None:
    """R10.1, R10.2, A19: exchange, dedicate, discard in seat order from the start seat, once each, no placing."""
    state = position([counted("B4"), counted("G4"), counted("K4")], seat=1, start_seat=1, favor=[0, 2, 0], final=True)
    asked = []
    while state.to_act is not None:
        asked.append((state.to_act, state.step))
        state.apply(state.legal_actions()[-1] if state.step == "dedicate" else SKIP)
    assert asked == [(1, "exchange"), (1, "dedicate"), (2, "dedicate"), (0, "dedicate")]
    assert state.scores() == (6, 8, 7)


def test_final_goes_without_a_choice_do_not_appear() -> None:
    """R10.2, R4.3, E12: no sets and no favor: terminal at once; with favor one exchange, and its set, are asked."""
    seats = [counted("G3 P3 B1 K1 O1 R1"), counted("B3 W2")]
    assert position(seats, seat=1, start_seat=1, favor=[0, 1], final=True).to_act is None
    state = position(seats, seat=1, start_seat=1, favor=[0, 2], final=True)
    assert (state.to_act, state.step) == (1, "exchange")
    skipped = state.clone()
    play(skipped, "-")
    assert skipped.to_act is None
    other = state.clone()
    play(other, "x B>G")
    assert other.to_act is None
    play(state, "x W>B")
    assert listed(state) == ["-", "d BBBB"]


def test_the_last_placement_may_end_the_match() -> None:
    """R10.2: without any choice in the final goes, the placement of the last tile is the last turn."""
    state = start(2, 1)
    state.placements_left = 1
    state.seat, state.stack = 0, ()
    state.hands = [(1,), ()]
    go_on(state, "exchange")
    events = play(state, "p 1@0,1/0")
    assert [event.type for event in events] == ["place"]
    assert state.to_act is None
    assert state.observation(0)["step"] == "over"


def test_the_score_is_the_sum_of_tokens_at_any_time() -> None:
    """R10.3: favor tokens and cards score nothing."""
    state = position([counted("B3"), ""], favor=[3, 0], taken=[[8, 4], [9]])
    assert state.scores() == (12, 9)
    assert [table["score"] for table in state.observation(None)["tables"]] == [12, 9]


@pytest.mark.parametrize(
    ("triples", "expected"),
    [
        ([(12, 1, 3), (12, 0, 9)], (0, 1)),
        ([(12, 2, 3), (12, 2, 4)], (1, 0)),
        ([(5, 0, 2), (9, 1, 0), (5, 0, 2), (5, 0, 1)], (1, 0, 1, 3)),
        ([(7, 0, 4), (7, 0, 4), (7, 0, 4)], (0, 0, 0)),
    ],
)
def test_ties_break_by_favor_then_cards(triples: list[tuple[int, int, int]], expected: tuple[int, ...]) -> None:
    """R10.4, E13: score, then favor tokens, then held cards, then a shared rank, by themselves and in a position."""
    points, favor, held = zip(*triples, strict=True)
    assert ranks(points, favor, held) == expected
    state = position([""] * len(triples), taken=[[value] for value in points])
    state.favor = list(favor)
    state.held = [pack((COLOURS * 2)[:number]) for number in held]
    assert state.ranks() == expected
