"""A game without rules: all positions look the same and no action has an effect, so only the arena costs time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from time import perf_counter
from typing import Any, NamedTuple

from engine.core import Action, Actor, Belief, Event, Game, MalformedAction, Option, Scalar, State, Viewer


class Take(NamedTuple):
    """A choice that has no effect."""

    number: int


TAKES = tuple(Take(number) for number in range(64))
STAMPS: list[float] = []
"""Times at which the turns of this process ended; a benchmark clears the list before it measures."""
FILL = {300: (4, 95), 2000: (24, 1200)}
"""Approximate bytes of a turn message -> (number of legal actions, bytes of the observation)."""


class FlatState(State):
    """A position with a number of remaining turns; the seats take turns in order."""

    __slots__ = ("_legal", "_seats", "_seen", "_turn", "_turns")

    def __init__(self, seats: int, turns: int, size: int) -> None:
        actions, filling = FILL[size]
        self._seats = seats
        self._turn = 0
        self._turns = turns
        self._legal = TAKES[:actions]
        fields = {"viewer": 0, "seats": seats, "to_act": 0, "turn": 0}
        cells = [[row, "abcdefgh"[row % 8], row % 2 == 0] for row in range(max(0, filling - 90) // 13)]
        self._seen = {**fields, "tables": [{"points": seat} for seat in range(seats)], "cells": cells}

    @property
    def game(self) -> Game:
        return GAME

    @property
    def seats(self) -> int:
        return self._seats

    @property
    def to_act(self) -> Actor:
        return self._turn % self._seats if self._turn < self._turns else None

    def legal_actions(self) -> Sequence[Action]:
        return self._legal

    def apply(self, action: Action) -> tuple[Event, ...]:
        self._turn += 1
        STAMPS.append(perf_counter())
        return ()

    @property
    def chance_key(self) -> str:
        raise AssertionError("there is no chance")

    def sample_chance(self, rng: Random) -> Action:
        raise AssertionError("there is no chance")

    def observation(self, viewer: Viewer) -> dict[str, Any]:
        return self._seen

    def scores(self) -> tuple[float, ...]:
        return (0.0,) * self._seats

    def ranks(self) -> tuple[int, ...]:
        return (0,) * self._seats

    def clone(self) -> FlatState:
        raise AssertionError("nobody searches here")


class FlatGame(Game):
    """The rule set."""

    key = "flat"
    title = "Nothing happens"
    version = 1
    seats = range(2, 5)
    options = {  # noqa: RUF012 - the contract's own type
        "turns": Option(2, (2, 20, 200, 2000), "turns of a match"),
        "size": Option(300, tuple(FILL), "bytes of a turn message, about"),
    }
    draw_probability = 0.5
    max_turns = 2000

    def new(self, seats: int, options: Mapping[str, Scalar] | None = None) -> State:
        complete = self.complete_options(options)
        turns, size = complete["turns"], complete["size"]
        assert isinstance(turns, int) and isinstance(size, int)
        return FlatState(self.check_seats(seats), turns, size)

    def encode(self, action: Action) -> dict[str, Any]:
        return {"type": "take", "number": action.number}  # type: ignore[attr-defined]

    def decode(self, data: Mapping[str, Any]) -> Action:
        match data:
            case {"type": "take", "number": int(number)} if len(data) == 2 and 0 <= number < len(TAKES):
                return TAKES[number]
        raise MalformedAction('expected {"type":"take","number":N}')

    def belief(self, observation: Mapping[str, Any]) -> Belief:
        raise AssertionError("nobody imagines here")


GAME = FlatGame()
