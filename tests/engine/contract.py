"""Helpers for the contract test: every registered game at every seat count and with every option, and comparisons.

A game is tested if it is in `engine.catalog.game_keys()`: a built-in package (`engine/<key>/` with
its `GAME`), or a package installed with an entry point of the group `arena.games`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from engine.catalog import game_keys, get_game
from engine.core import CHANCE, Action, Event, Game, Scalar, State, Viewer
from engine.walk import random_walk


@dataclass(frozen=True)
class Table:
    """One way to play a game: its seat count and options."""

    game: Game
    seats: int
    options: dict[str, Scalar] = field(default_factory=dict)

    def new(self) -> State:
        return self.game.new(self.seats, self.options)

    @property
    def viewers(self) -> tuple[Viewer, ...]:
        return (None, *range(self.seats))

    def __str__(self) -> str:
        options = "".join(f",{name}={value}" for name, value in self.options.items())
        return f"{self.game.key}-{self.seats}{options}"


def games() -> list[Game]:
    """Every registered game."""
    return [get_game(key) for key in game_keys()]


def tables() -> list[Table]:
    """Every registered game at every seat count, with default options."""
    return [Table(game, seats) for game in games() for seats in game.seats]


def option_tables() -> list[Table]:
    """Every choice of every option that is no default, alone, at the smallest and the largest seat count."""
    return [
        Table(game, seats, {name: choice})
        for game in games()
        for name, option in game.options.items()
        for choice in option.choices
        if choice != option.default
        for seats in (game.seats[0], game.seats[-1])
    ]


def positions(table: Table, seed: int, every: int = 1) -> Iterator[tuple[State, Random]]:
    """A fresh state, then the state after each `every`-th action of a random match, the last one included.

    The state is the one that is being played: don't play on it. The generator of random numbers is another one than
    the walk's, so it may be used freely.
    """
    state = table.new()
    other = Random(f"{seed}:other")
    yield state, other
    for number, _ in enumerate(random_walk(state, Random(seed)), 1):
        if number % every == 0 or state.to_act is None:
            yield state, other


def as_json(value: Any) -> str:
    """The text that a bot would get; refuses NaN and everything that JSON cannot hold."""
    return json.dumps(value, allow_nan=False)


def round_trip(value: Any) -> Any:
    """The value after a journey to a bot and back."""
    return json.loads(as_json(value))


def views(state: State) -> list[str]:
    """The observations of every viewer, spectator first."""
    return [as_json(state.observation(viewer)) for viewer in (None, *range(state.seats))]


def seen(events: tuple[Event, ...], viewer: Viewer) -> list[dict[str, Any]]:
    """The events as one viewer gets them."""
    return [event.seen_by(viewer) for event in events]


def fingerprint(state: State, depth: int = 12) -> list[str]:
    """Everything about a position that can ever matter, hidden parts included, as far as `depth` random actions show:
    what everyone sees now and on the way of a fixed random continuation, played on a clone.
    """
    ahead = state.clone()
    prints = [*views(ahead), str(list(ahead.legal_actions()))]
    for step, _ in zip(random_walk(ahead, Random(1)), range(depth), strict=False):
        prints.append(f"{step.actor} {step.action}")
        prints += [as_json(seen(step.events, viewer)) for viewer in (None, *range(state.seats))]
    return [*prints, *views(ahead)]


def chosen(state: State, rng: Random) -> Action:
    """A random action of whoever is to act."""
    return state.sample_chance(rng) if state.to_act == CHANCE else rng.choice(state.legal_actions())


def ends(table: Table, seed: int) -> None:
    """Play a random match to its end, and check its turns and the keys of its chances on the way."""
    state = table.new()
    turns = 0
    keys: list[str] = []
    actor, pending = state.to_act, state.chance_key if state.to_act == CHANCE else ""
    for step in random_walk(state, Random(seed)):
        assert step.actor == actor
        if actor == CHANCE:
            keys.append(pending)
        else:
            turns += 1
        assert state.observation(None)["turn"] == turns <= table.game.max_turns
        actor, pending = state.to_act, state.chance_key if state.to_act == CHANCE else ""
    assert state.to_act is None
    assert len(set(keys)) == len(keys), "each chance of a match has a key of its own"


def spoil(value: Any) -> None:
    """Empty every container inside."""
    if isinstance(value, dict | list):
        for entry in list(value.values() if isinstance(value, dict) else value):
            spoil(entry)
        value.clear()
