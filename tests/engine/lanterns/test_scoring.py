"""The rules of Lanterns R10: the final goes, the score, and ties."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from engine.core import CHANCE
from engine.lanterns import GAME
from engine.lanterns.actions import SKIP
from engine.lanterns.cards import pack
from engine.lanterns.components import COLOURS
from engine.lanterns.go import go_on
from engine.lanterns.scoring import ranks
from tests.engine.lanterns.table import counted, listed, play, position, start


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
