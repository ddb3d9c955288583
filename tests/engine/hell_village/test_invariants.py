"""Invariants of Hell Village as properties of random matches, and exact counts of sequences."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given

from engine.core import CHANCE, Action, IllegalAction, Scalar
from engine.hell_village import GAME
from engine.hell_village.state import HellState
from engine.walk import perft
from tests.engine.hell_village.matches import check_position, option_sets, seat_counts, seeds, walk, walks

MOST_PLACEMENTS = {2: 41, 3: 49, 4: 67, 5: 80}


@walks
@given(seat_counts, option_sets, seeds)
def test_every_position_of_a_match_is_sound(seats: int, options: dict[str, Scalar], seed: int) -> None:
    """I1 to I7, I11, I12: cards conserved, rows within limits, three dice a seat, spaces respected, the village in one
    piece, hands of at most 6 after the hand limit, and bounds on the length of phases.
    """
    placements = turns = 0
    number = 0
    for state, action in walk(seats, options, seed):
        check_position(state)
        if state.round != number:
            number, placements, turns = state.round, 0, state.turn
            assert all(len(hand) <= 6 for hand in state.hands), "I7"
        if action is not None and action[0] == "place":
            placements += 1
            if not options.get("kick_own") and options.get("warlock_dice") != "any":
                assert placements <= MOST_PLACEMENTS[seats], "I11"
        assert state.turn - turns <= 810, "I12"
    assert state.turn <= GAME.max_turns


@walks
@given(seat_counts, option_sets, seeds)
def test_points_are_lost_in_the_payment_phase_alone(seats: int, options: dict[str, Scalar], seed: int) -> None:
    """I7: EP fall only when seats pay what a round asks."""
    before, number = [0] * seats, 0
    for state, _ in walk(seats, options, seed):
        if any(now < then for now, then in zip(state.ep, before, strict=True)):
            assert state.phase in ("payment", "end_of_round", "over") or state.round == number + 1
        before, number = state.ep[:], state.round


@walks
@given(seat_counts, option_sets, seeds)
def test_refused_actions_change_nothing(seats: int, options: dict[str, Scalar], seed: int) -> None:
    """I6: the list has no double, every entry can be played, and what is not in it is refused without a trace."""
    rng = Random(seed + 1)
    others: list[Action] = []
    for number, (state, _) in enumerate(walk(seats, options, seed)):
        legal = state.legal_actions()
        assert len(set(legal)) == len(legal)
        if number % 7 == 0 and legal:
            essence = state.clone().essence()
            state.clone().apply(rng.choice(legal))
            for action in others:
                if action not in legal:
                    with pytest.raises(IllegalAction):
                        state.apply(action)
            assert state.essence() == essence
            others = rng.sample(legal, min(3, len(legal)))


@walks
@given(seat_counts, option_sets, seeds)
def test_no_two_actions_lead_to_the_same_position(seats: int, options: dict[str, Scalar], seed: int) -> None:
    """R0.4: each action of a list comes to a position of its own, with stocks kept full to make that hard."""
    rng = Random(seed + 1)
    for number, (state, _) in enumerate(walk(seats, options, seed)):
        if number % 5 or state.to_act in (None, CHANCE):
            continue
        full = state.clone()
        full.stock = [min(12, max(amount, rng.choice((10, 11, 12)))) for amount in full.stock]
        full.legal = None
        results = []
        legal = full.legal_actions()
        for action in rng.sample(legal, min(len(legal), 12)):
            after = full.clone()
            after.legal = legal
            after.apply(action)
            results.append(after.essence())
        assert all(results.count(result) == 1 for result in results)


@walks
@given(seat_counts, option_sets, seeds)
def test_replaying_gives_the_same_match(seats: int, options: dict[str, Scalar], seed: int) -> None:
    """I10: the same actions give the same positions, and a clone never touches its original."""
    again = GAME.new(seats, options)
    for state, action in walk(seats, options, seed):
        if action is not None:
            untouched = again.clone()
            kept = untouched.essence()
            again.apply(action)
            assert untouched.essence() == kept
        assert again.essence() == state.essence()


def first_placement(seats: int) -> HellState:
    """The first die of a match in which all keep the first cards listed, chance drawn from its keys."""
    state = GAME.new(seats)
    while state.phase != "placement":
        if state.to_act == CHANCE:
            state.apply(state.sample_chance(Random(f"perft:{state.chance_key}")))
        else:
            state.apply(state.legal_actions()[0])
    return state


@pytest.mark.parametrize(("seats", "counts"), [(2, (20, 400)), (3, (20, 400)), (4, (20, 400)), (5, (20, 400))])
def test_perft_of_the_setup(seats: int, counts: tuple[int, ...]) -> None:
    """The number of action sequences from the start: each seat has 10 pairs of cards and 2 knowledge cards."""
    assert tuple(perft(GAME.new(seats), depth) for depth in (1, 2)) == counts


@pytest.mark.parametrize(
    ("seats", "counts"), [(2, (27, 646, 9229)), (3, (30, 803, 19852)), (4, (30, 828, 21528)), (5, (30, 834, 22353))]
)
def test_perft_of_the_first_placements(seats: int, counts: tuple[int, ...]) -> None:
    """The number of sequences of one to three turns from the first placement of a fixed match."""
    assert tuple(perft(first_placement(seats), depth) for depth in (1, 2, 3)) == counts
