"""Walks through a game: random, repeated, counted."""

from __future__ import annotations

from random import Random

import pytest

from engine.burn_my_village import GAME
from engine.burn_my_village.actions import DRAW
from engine.core import CHANCE, IllegalAction
from engine.walk import perft, random_walk, replay_actions, settle_chance


def test_a_random_walk_ends_the_match_and_repeats() -> None:
    """The same generator gives the same steps, up to the end."""
    first, second = GAME.new(3), GAME.new(3)
    steps = list(random_walk(first, Random(1)))
    assert first.to_act is None
    assert steps == list(random_walk(second, Random(1)))
    assert [step.actor for step in steps[:4]] == [CHANCE, CHANCE, 0, 1]


def test_a_walk_may_stop_early() -> None:
    """A walk that is no longer asked plays no further."""
    state = GAME.new(2)
    walk = random_walk(state, Random(1))
    for _ in range(5):
        next(walk)
    assert state.turn == 3


def test_replaying_gives_the_same_state() -> None:
    """I9: the logged actions, chance's among them, lead to the same state, with the same events."""
    state = GAME.new(4)
    steps = list(random_walk(state, Random(2)))
    again = GAME.new(4)
    assert list(replay_actions(again, [step.action for step in steps])) == steps
    assert again == state


def test_replaying_refuses_what_is_illegal() -> None:
    """An action out of place ends the replay with `IllegalAction`."""
    with pytest.raises(IllegalAction):
        list(replay_actions(GAME.new(2), [DRAW]))


def test_settling_chance_stops_at_a_seat() -> None:
    """Both chances of the setup are drawn, nothing more."""
    state = GAME.new(2)
    settle_chance(state, Random(3))
    assert (state.to_act, state.turn) == (0, 0)


def test_perft_leaves_the_state_alone() -> None:
    """The count is made on clones."""
    state = GAME.new(2)
    assert perft(state, 1) > 1
    assert state.to_act == CHANCE


@pytest.mark.parametrize("seats", GAME.seats)
def test_perft_counts_sequences(seats: int) -> None:
    """Depth 0 is one sequence, depth 1 the legal list, depth 2 the sum of the lists after each first action."""
    state = GAME.new(seats)
    settle = state.clone()
    while settle.to_act == CHANCE:
        settle.apply(settle.sample_chance(Random(f"0:{settle.chance_key}")))
    second = 0
    for action in settle.legal_actions():
        child = settle.clone()
        child.apply(action)
        second += len(child.legal_actions())
    assert perft(state, 0) == 1
    assert perft(state, 1) == len(settle.legal_actions())
    assert perft(state, 2) == second
