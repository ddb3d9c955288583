"""Ways through a game that tests, benchmarks and bots share: a random walk, a given list of actions, a full count."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random
from typing import NamedTuple

from engine.core import CHANCE, Action, Actor, Event, State


class Step(NamedTuple):
    """One action that was played: who chose it, what it was, what happened."""

    actor: Actor
    action: Action
    events: tuple[Event, ...]


def random_walk(state: State, rng: Random) -> Iterator[Step]:
    """Play the state itself to its end, every choice uniform over the legal actions, chance by the rules.

    Yields after each action, so the state may be looked at in between; stop iterating to stop early.
    """
    while (actor := state.to_act) is not None:
        action = state.sample_chance(rng) if actor == CHANCE else rng.choice(state.legal_actions())
        yield Step(actor, action, state.apply(action))


def replay_actions(state: State, actions: Iterable[Action]) -> Iterator[Step]:
    """Play the given actions, chance's among them, on the state itself; yields after each. Raises `IllegalAction`."""
    for action in actions:
        actor = state.to_act
        yield Step(actor, action, state.apply(action))


def settle_chance(state: State, rng: Random) -> None:
    """Let chance choose until a seat is to act or the state is terminal."""
    while state.to_act == CHANCE:
        state.apply(state.sample_chance(rng))


def perft(state: State, depth: int, seed: int = 0) -> int:
    """The number of action sequences of the seats that are `depth` long or ended before (a "performance test" count).

    Each pending chance takes the one outcome that `seed` and its `chance_key` give, so the count is exact and
    repeatable. The state is not changed.
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
