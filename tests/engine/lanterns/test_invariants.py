"""Invariants I1 to I14 of every position of Lanterns, and exact counts of sequences."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core import CHANCE, Action, IllegalAction
from engine.lanterns import GAME
from engine.lanterns.actions import DEDICATIONS, DISCARDS, EXCHANGES, PLACEMENTS, SKIP
from engine.lanterns.cards import count, unpack
from engine.lanterns.components import BOX, COLOURS, STEPS, cell_position
from engine.lanterns.go import go_on
from engine.walk import perft
from tests.engine.lanterns.matches import Match, any_match, slow
from tests.engine.lanterns.table import everything, play, start


@slow
@given(any_match)
def test_nothing_is_lost_or_made(match: Match) -> None:
    """I1 to I4: cards by colour, favor tokens, tiles and dedication tokens are conserved at every step."""
    fresh = match.new()
    full, favor, stacks, generic = fresh.supply, fresh.favor_supply, fresh.rules.dedications, fresh.generic_left
    for state, _ in match.walk():
        assert state.supply + sum(state.held) == full
        for packed in (state.supply, *state.held):
            assert all(0 <= number <= 8 for number in unpack(packed).values())
            assert count(packed) == sum(unpack(packed).values())
        assert state.favor_supply + sum(state.favor) == favor
        assert min(state.favor_supply, *state.favor) >= 0
        if state.hands[0] or len(state.lake) > 1:
            lying = [code // 4 for code in state.lake.values()]
            hidden = [*(tile for hand in state.hands for tile in hand), *state.stack, *state.removed]
            assert sorted([*lying, *hidden]) == [0, *state.rules.pool]
        left = Counter(value for tokens in state.dedications for value in tokens)
        taken = Counter(value for values in state.taken for value in values)
        extra = taken + left - Counter(value for tokens in stacks for value in tokens)
        assert set(extra) <= {BOX["dedications"]["generic"]["value"]}
        assert all(first[len(first) - len(now) :] == now for first, now in zip(stacks, state.dedications, strict=True))
        if generic is not None:
            assert state.generic_left == generic - extra.total() >= 0


@slow
@given(any_match)
def test_the_lake_stays_one_piece(match: Match) -> None:
    """I5: the lake is edge-connected, its frontier is exactly the empty cells beside it, at most 2 x placed + 2."""
    for state, _ in match.walk():
        cells = set(state.lake)
        reached, waiting = set(), list(cells)[:1]
        while waiting:
            cell = waiting.pop()
            if cell in cells and cell not in reached:
                reached.add(cell)
                waiting += [cell + step for step in STEPS]
        assert reached == cells
        assert state.frontier == sorted({cell + step for cell in cells for step in STEPS} - cells)
        if cells:
            assert len(state.frontier) <= 2 * len(cells) + 2
            assert cell_position(next(iter(cells if len(cells) == 1 else state.lake))) == (0, 0)


@slow
@given(any_match)
def test_hands_and_limits(match: Match) -> None:
    """I6, I7: three tiles at a place step while the stack lasts, hands differ by at most one, bounds on held cards."""
    discards = 0
    for state, events in match.walk():
        sizes = [len(hand) for hand in state.hands]
        assert max(sizes) - min(sizes) <= 1
        if state.step == "place":
            assert not state.stack or len(state.hands[state.seat]) == 3
            if state.rules.limit_before_place:
                assert count(state.held[state.seat]) <= 12
        assert all(count(held) <= state.seats + 16 for held in state.held)
        discards = discards + 1 if events[0].type == "discard" else 0
        assert discards <= state.seats + 4


@slow
@given(any_match)
def test_place_actions_are_counted_by_a_formula(match: Match) -> None:
    """I8: faces in hand, times two or four rotations, times empty neighbouring cells; sorted, each once."""
    for state, _ in match.walk():
        if state.step == "place":
            legal = list(state.legal_actions())
            faces = set(state.hands[state.seat])
            rotations = sum(2 if tile in (25, 33) else 4 for tile in faces)
            assert len(legal) == rotations * len(state.frontier)
            assert legal == sorted(set(legal))


@slow
@given(any_match)
def test_matches_end_in_bounds(match: Match) -> None:
    """I9: exactly 22, 27 or 32 placements, and no more decisions than the data file says."""
    placed = 0
    state = match.new()
    for state, events in match.walk():  # noqa: B007
        placed += sum(event.type == "place" for event in events)
    assert placed == BOX["tile_counts"]["by_seats"][str(match.seats)]["placements"]
    assert state.turn <= BOX["max_decisions"]["by_seats"][str(match.seats)] <= GAME.max_turns


@slow
@given(any_match)
def test_scores_rise_by_at_most_a_token_a_go(match: Match) -> None:
    """I10: no score falls, and one decision adds at most 10, to the seat that took it."""
    before: tuple[float, ...] = (0,) * match.seats
    for state, events in match.walk():
        now = state.scores()
        gains = [after - earlier for after, earlier in zip(now, before, strict=True)]
        assert all(0 <= gain <= 10 for gain in gains)
        for seat, gain in enumerate(gains):
            assert not gain or (events[0].type, events[0].public["seat"]) == ("dedicate", seat)
        before = now


EVERY_ACTION: list[Action] = [
    SKIP,
    *EXCHANGES.values(),
    *DEDICATIONS.values(),
    *DISCARDS.values(),
    *(action for tile in (1, 10, 25) for cell in PLACEMENTS[tile] for action in PLACEMENTS[tile][cell]),
]


@slow
@given(any_match, st.integers(0, 2**32))
def test_what_is_not_listed_is_refused_and_changes_nothing(match: Match, seed: int) -> None:
    """I11: the legal list and `apply` agree on every action there is; a refusal leaves an equal state."""
    rng = Random(seed)
    for state, _ in match.walk():
        if rng.random() < 0.9:
            continue
        legal = set(state.legal_actions())
        before = everything(state)
        for action in rng.sample(EVERY_ACTION, 40):
            if action in legal:
                state.clone().apply(action)
            else:
                with pytest.raises(IllegalAction):
                    state.apply(action)
        assert everything(state) == before


@slow
@given(any_match, st.integers(0, 2**32))
def test_clones_are_independent_and_equal(match: Match, seed: int) -> None:
    """I12: a clone equals its original and plays on without touching it."""
    rng = Random(seed)
    for state, _ in match.walk():
        if rng.random() < 0.8 or state.to_act is None:
            continue
        before = everything(state)
        clone = state.clone()
        assert everything(clone) == before
        clone.apply(match.choose(clone, rng))
        assert everything(state) == before != everything(clone)


@pytest.mark.parametrize(
    ("seats", "seed", "counts"),
    [
        (2, 0, [48, 3456]),
        (2, 5, [40, 2400]),
        (3, 0, [48, 3456]),
        (3, 3, [48, 2880]),
        (4, 0, [48, 3456]),
        (4, 3, [40, 2880]),
    ],
)
def test_perft_from_the_start(seats: int, seed: int, counts: list[int]) -> None:
    """The number of sequences of one and two decisions, with the chance outcomes of a seed; and the same by formula."""
    assert [perft(GAME.new(seats), depth, seed) for depth in (1, 2)] == counts
    state = GAME.new(seats)
    while state.to_act == CHANCE:
        state.apply(state.sample_chance(Random(f"{seed}:{state.chance_key}")))
    first = state.start_seat or 0
    # Nobody can exchange or dedicate yet; one placed tile makes four empty neighbours into six.
    rotations = [
        sum(2 if tile in (25, 33) else 4 for tile in set(state.hands[(first + turn) % seats])) for turn in (0, 1)
    ]
    assert counts == [4 * rotations[0], 4 * rotations[0] * 6 * rotations[1]]


def test_perft_to_the_end_of_the_match() -> None:
    """The number of ways through the last placement and the final goes, with exchanges, sets and discards in them."""
    state = start(2, 1, "1 2 3")
    play(state, "p 4@1,0/0")
    state.hands, state.stack, state.placements_left = [(3,), ()], (), 1
    state.held = [pack_text("BBBGGGKKKOOOP"), pack_text("RRRWW")]
    state.supply = state.rules.supply - sum(state.held)
    state.favor, state.favor_supply = [2, 4], 14
    go_on(state, "exchange")
    assert (state.to_act, state.step) == (0, "exchange")
    assert [perft(state, depth) for depth in range(1, 6)] == [31, 195, 4095, 77904, 246801]


def pack_text(letters: str) -> int:
    """Packed cards."""
    return sum(1 << 8 * COLOURS.index(letter) for letter in letters)
