"""The legal list of Please Don't Burn My Village!, and how its actions are read."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from engine.burn_my_village import GAME
from engine.burn_my_village.counts import as_json
from engine.core import IllegalAction, MalformedAction, Scalar
from engine.walk import random_walk, settle_chance
from tests.engine.village_positions import (
    dealt,
    legal,
    position,
    short,
)


def test_the_legal_list_ignores_hidden_cards() -> None:
    """Decisions: actions that fall together only at the end of the match are all listed."""
    state = position(["CCC", ""], track="AFSBRC", columns=["C1+0"])
    assert legal(state) == "draw, C1+0, C2+0, C3+0"


@pytest.mark.parametrize("seats", [2, 4])
def test_two_actions_never_have_one_effect(seats: int) -> None:
    """Decisions: any two legal actions whose results are not terminal give different states."""
    state = GAME.new(seats)
    for _ in random_walk(state, Random(5)):
        results = []
        for action in state.legal_actions():
            after = state.clone()
            after.apply(action)
            if after.to_act is not None:
                results.append(after)
        assert all(one != other for index, one in enumerate(results) for other in results[:index])


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"type": "draw"}, "draw"),
        ({"stall": 2, "type": "buy", "curse": "axe", "pay": {"wild": 1, "axe": 1, "crown": 0}}, "2 AW A"),
        ({"type": "buy", "stall": 0}, "0"),
        ({"type": "bribe", "treasure": "axe", "cards": 2}, "A2+0"),
        ({"type": "bribe", "treasure": "axe", "cards": 0, "wilds": 1}, "A0+1"),
    ],
)
def test_actions_are_read_freely(data: dict[str, Any], expected: str) -> None:
    """Decisions: key order is free, what is absent is read as 0, {} or null, a zero count is dropped."""
    assert short(GAME.decode(data)) == expected
    assert GAME.decode(data) is GAME.decode(GAME.encode(GAME.decode(data)))


@pytest.mark.parametrize(
    "data",
    [
        {"type": "pass"},
        {"type": "draw", "stall": 0},
        {"type": "buy"},
        {"type": "buy", "stall": 4},
        {"type": "buy", "stall": -1},
        {"type": "buy", "stall": True},
        {"type": "buy", "stall": 1.0},
        {"type": "buy", "stall": "1"},
        {"type": "buy", "stall": 1, "pay": ["axe"]},
        {"type": "buy", "stall": 1, "pay": {"gold": 1}},
        {"type": "buy", "stall": 1, "pay": {"axe": -1}},
        {"type": "buy", "stall": 1, "pay": {"axe": True}},
        {"type": "buy", "stall": 1, "pay": {"axe": 1}, "curse": "wild"},
        {"type": "buy", "stall": 1, "pay": {"axe": 1}, "curse": 0},
        {"type": "bribe", "treasure": "wild", "cards": 1},
        {"type": "bribe", "treasure": "axe"},
        {"type": "bribe", "cards": 1},
        {"type": "bribe", "treasure": "axe", "cards": 1, "wilds": None},
        {"type": "bribe", "treasure": ["axe"], "cards": 1},
        {"type": "track", "order": "axe"},
        {"type": "track", "order": ["wild"]},
        {"type": "shuffle", "order": [1]},
        {"type": "shuffle"},
    ],
    ids=str,
)
def test_what_cannot_be_read_is_malformed(data: dict[str, Any]) -> None:
    """Decisions: unknown fields and names, a stall outside 0 to 3, booleans, negatives and non-integers."""
    with pytest.raises(MalformedAction):
        GAME.decode(data)


@pytest.mark.parametrize(
    "data",
    [
        {"type": "buy", "stall": 0, "curse": "axe"},
        {"type": "buy", "stall": 0, "pay": {"axe": 1}},
        {"type": "buy", "stall": 1, "pay": {"axe": 10**15}, "curse": "axe"},
        {"type": "buy", "stall": 1, "pay": {"axe": 1}},
        {"type": "bribe", "treasure": "axe", "cards": 10**15},
        {"type": "bribe", "treasure": "axe", "cards": 0},
        {"type": "track", "order": ["axe"]},
    ],
    ids=str,
)
def test_what_can_be_read_may_be_illegal(data: dict[str, Any]) -> None:
    """Decisions: readable, but outside the legal set."""
    state = position(["AAAWW", ""], "S", stalls={0: "A", 1: "A"})
    action = GAME.decode(data)
    with pytest.raises(IllegalAction):
        state.apply(action)


def test_options_reach_the_state_and_its_beliefs() -> None:
    """Variants: an observation carries the options, so that a belief plays by the same rules."""
    options: dict[str, Scalar] = {"wilds": "all", "empty_draw": "forced_only", "refill_start": "continue"}
    state = dealt(2, 1, options)
    seen = state.observation(0)
    assert seen["options"] == {"market_start": 1, "track": "112234", **options}
    assert state.resample(0, Random(1)).rules == state.rules


def test_the_size_of_the_legal_list() -> None:
    """Decisions: about 25 to 55 actions on average, and never over 2,102, with 218 purchases and draw among them."""
    counts = []
    for seed in range(40):
        state = GAME.new(2 + seed % 4)
        settle_chance(state, Random(seed))
        for _ in random_walk(state, Random(seed)):
            counts.append(len(state.legal_actions()))
    assert 20 < sum(counts) / len(counts) < 60
    everything = position(["3A 3F 3S 3B 3C 3R 3W", ""], "A", stalls=dict.fromkeys(range(4), "A"))
    assert sum(action.type != "bribe" for action in everything.legal_actions()) == 218
    largest = position(
        [" ".join(f"14{letter}" for letter in "AFSBCR") + " 20W", ""],
        stalls=dict.fromkeys(range(4), "A"),
        columns=["A1+0 F1+0 S1+0 B1+0 C1+0 R1+0"],
    )
    assert len(largest.legal_actions()) >= 2102
    assert as_json(largest.hands[0])["wild"] == 20
