"""The legal actions of Please Don't Burn My Village!, and their JSON form."""

from __future__ import annotations

import json
from itertools import combinations
from random import Random
from typing import Any

import pytest

from engine.burn_my_village import GAME
from engine.burn_my_village.actions import BRIBES, BUYS, DRAW, Bribe
from engine.burn_my_village.components import NAMES, TYPES
from engine.burn_my_village.counts import as_json
from engine.core import Action, IllegalAction, MalformedAction, Scalar
from engine.walk import perft, random_walk, settle_chance
from tests.engine.burn_my_village.positions import (
    dealt,
    legal,
    position,
    resampled,
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
    assert resampled(state, 0, Random(1)).rules == state.rules


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
    assert sum(not isinstance(action, Bribe) for action in everything.legal_actions()) == 218
    largest = position(
        [" ".join(f"14{letter}" for letter in "AFSBCR") + " 20W", ""],
        stalls=dict.fromkeys(range(4), "A"),
        columns=["A1+0 F1+0 S1+0 B1+0 C1+0 R1+0"],
    )
    assert len(largest.legal_actions()) >= 2102
    assert as_json(largest.hands[0])["wild"] == 20


def list_by_the_book(seen: dict[str, Any]) -> list[dict[str, Any]]:
    """The legal list made from an observation by the words of the rules, slowly."""
    cards = [name for name in NAMES for _ in range(seen["hand"].get(name, 0))]
    columns = seen["tables"][seen["viewer"]]["bribes"]
    legal: list[dict[str, Any]] = [{"type": "draw"}]
    for stall, goods in enumerate(seen["stalls"]):
        if not goods:
            continue
        if stall == 0:
            legal.append({"type": "buy", "stall": 0, "pay": {}, "curse": None})
            continue
        payments = {tuple(sorted(NAMES.index(name) for name in paid)) for paid in combinations(cards, stall)}
        for payment in sorted(payments):
            pay = {NAMES[code]: payment.count(code) for code in sorted(set(payment))}
            legal += [{"type": "buy", "stall": stall, "pay": pay, "curse": name} for name in pay if name != "wild"]
    for name in TYPES:
        for count in range(cards.count(name) + 1):
            for wilds in range(cards.count("wild") + 1):
                if count or (wilds and name in columns):
                    legal.append({"type": "bribe", "treasure": name, "cards": count, "wilds": wilds})
    return legal


@pytest.mark.parametrize("seats", GAME.seats)
def test_the_list_is_the_one_of_the_rules(seats: int) -> None:
    """Decisions: on every position of random matches the list is what the rules say, in their order."""
    for seed in range(10):
        state = GAME.new(seats)
        settle_chance(state, Random(seed))
        for _ in random_walk(state, Random(seed)):
            if isinstance(state.to_act, int):
                written = [GAME.encode(action) for action in state.legal_actions()]
                assert written == list_by_the_book(state.observation(state.to_act))


def test_the_longest_list_fits_a_message() -> None:
    """Every action that there is, in one list, takes a sixth of what a message may hold."""
    everything = position(
        [" ".join(f"14{letter}" for letter in "AFSBCR") + " 20W", ""],
        stalls=dict.fromkeys(range(4), "A"),
        columns=["A1+0 F1+0 S1+0 B1+0 C1+0 R1+0"],
    )
    written = json.dumps([GAME.encode(action) for action in everything.legal_actions()])
    assert len(written) < (1 << 20) / 6


@pytest.mark.parametrize(
    ("seats", "counts"),
    [(2, [52, 2785, 59049]), (3, [82, 3025, 79788]), (4, [42, 3207, 98700]), (5, [58, 2865, 79670])],
)
def test_counts_of_sequences(seats: int, counts: list[int]) -> None:
    """So many sequences of one, two and three turns there are from a fixed start (seed 0)."""
    assert [perft(GAME.new(seats), depth) for depth in (1, 2, 3)] == counts


def test_counts_to_the_end_of_a_match() -> None:
    """From the position of example E7 with a deck of three cards, sequences that end early count as one."""
    state = position(["AACW", "FS"], "SWA", stalls={2: "F"})
    assert [perft(state, depth) for depth in (1, 2, 3, 4)] == [12, 50, 318, 832]


@pytest.mark.parametrize("seats", [2, 5])
def test_what_is_not_listed_is_refused(seats: int) -> None:
    """Decisions: of all actions that there are, exactly the listed ones are accepted, under the strictest options."""
    options: dict[str, Scalar] = {"empty_draw": "forced_only", "wilds": "all"}
    rng = Random(1)
    everything: list[Action] = [DRAW, *BUYS, *BRIBES]
    for seed in range(4):
        state = GAME.new(seats, options)
        for _ in random_walk(state, Random(seed)):
            if not isinstance(state.to_act, int):
                continue
            legal_now = set(state.legal_actions())
            for action in [DRAW, *rng.sample(everything, 100)]:
                if action not in legal_now:
                    with pytest.raises(IllegalAction):
                        state.clone().apply(action)
