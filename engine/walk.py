"""Play through a game for tests, benchmarks and bots: at random, by a list of actions, or along all sequences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random
from typing import NamedTuple

from engine.core import CHANCE, Action, Actor, Event, State


class Step(NamedTuple):
    """One action that was played: who chose it, the action, and what happened."""

    actor: Actor
    action: Action
    events: tuple[Event, ...]


def random_walk(state: State, rng: Random) -> Iterator[Step]:
    """Play the given state to its end: seats choose uniformly among legal actions, chance follows the rules.

    Yield after each action, so that the caller can look at the state in between. Stop iterating to stop early.
    """
    while (actor := state.to_act) is not None:
        action = state.sample_chance(rng) if actor == CHANCE else rng.choice(state.legal_actions())
        yield Step(actor, action, state.apply(action))


def replay_actions(state: State, actions: Iterable[Action]) -> Iterator[Step]:
    """Play the given actions of seats and chance on the given state. Yield after each. Raises `IllegalAction`."""
    for action in actions:
        actor = state.to_act
        yield Step(actor, action, state.apply(action))


def settle_chance(state: State, rng: Random) -> None:
    """Let chance choose until a seat is to act or the state is terminal."""
    while state.to_act == CHANCE:
        state.apply(state.sample_chance(rng))


def perft(state: State, depth: int, seed: int = 0) -> int:
    """Count the sequences of seats' actions that are `depth` long or reach the end before (a "performance test").

    Each pending chance takes the one outcome that `seed` and its `chance_key` determine, so the count is exact and
    repeatable. The state is unchanged.
    """
    state = state.clone()
    while state.to_act == CHANCE:
        state.apply(state.sample_chance(Random(f"{seed}:{state.chance_key}")))
    if depth == 0 or state.to_act is None:
        return 1
    total = 0
    for action in state.legal_actions():
        child = state.clone()
        child.apply(action)
        total += perft(child, depth - 1, seed)
    return total
