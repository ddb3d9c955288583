"""Simulate bots of known strength: matches of TrueSkill's model, whose luck is partly shared within an encounter.

A performance is skill plus luck, and the luck of one seat in one match always has the standard deviation beta. The
cases differ in how much of its variance is shared: by all matches of a bot in an encounter (the bot plays this shuffle
well), or by all bots in a seat (the shuffle favours that seat). A single match looks the same in all cases.
Luck is normal, or it has the heavier tails of a Laplace distribution. What is shared does not change its distribution.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from dataclasses import field as with_default
from itertools import pairwise

import numpy as np
from numpy.random import Generator
from scipy.special import log_ndtr

from arena.model.records import FinishedMatch
from arena.ratings.settled.fit import Model


@dataclass(frozen=True, slots=True)
class Luck:
    """Shares of the variance of luck that matches of one encounter have in common; the rest is new in every match."""

    of_bot: float = 0.0
    of_seat: float = 0.0
    heavy: bool = False
    """Whether luck has a Laplace distribution."""


@dataclass(frozen=True, slots=True)
class Field:
    """The numbers of a simulated night."""

    bots: int
    seats: int
    encounters: int
    """Number of encounters of each bot; every encounter is played in all rotations."""
    luck: Luck = with_default(default_factory=Luck)
    model: Model = with_default(default_factory=Model)
    """The constants with which the bots play."""
    guess: float | None = None
    """The draw probability that the settled ratings are told; None: the true one."""

    @property
    def told(self) -> Model:
        """The constants that the settled ratings are told."""
        return self.model if self.guess is None else replace(self.model, draw_probability=self.guess)


def skills(field: Field, rng: Generator) -> np.ndarray:
    """Return the true skills of bots 0, 1, 2, …"""
    return rng.normal(field.model.mu, field.model.sigma, field.bots)


def night(field: Field, truth: np.ndarray, rng: Generator) -> list[FinishedMatch]:
    """Return the results of one night."""
    played = (encounter(field, truth, seating, number, rng) for number, seating in enumerate(_seatings(field, rng)))
    return [result for block in played for result in block]


def encounter(field: Field, truth: np.ndarray, seating: np.ndarray, block: int, rng: Generator) -> list[FinishedMatch]:
    """Return the results of one encounter: every rotation of a seating."""
    seats = field.seats
    luck = field.luck
    of_bot = np.sqrt(luck.of_bot) * rng.normal(0, 1, seats)
    of_seat = np.sqrt(luck.of_seat) * rng.normal(0, 1, seats)
    own = np.sqrt(1.0 - luck.of_bot - luck.of_seat)
    results = []
    for rotation in range(seats):
        chair = (np.arange(seats) + rotation) % seats
        normal = of_bot + of_seat[chair] + own * rng.normal(0, 1, seats)
        performance = truth[seating] + field.model.beta * (laplace(normal) if luck.heavy else normal)
        results.append(FinishedMatch(tuple(seating.tolist()), ranks(performance, field.model.margin), (0, block)))
    return results


def laplace(normal: np.ndarray) -> np.ndarray:
    """Values of a Laplace distribution with deviation 1, at the same quantiles as these standard normal values."""
    values: np.ndarray = -np.sign(normal) * (np.log(2.0) + log_ndtr(-np.abs(normal))) / np.sqrt(2.0)
    return values


def ranks(performance: np.ndarray, margin: float) -> tuple[int, ...]:
    """Return ranks by performance; neighbours within the margin are tied."""
    order = np.argsort(-performance)
    found = [0] * len(order)
    for place, (better, worse) in enumerate(pairwise(order), start=1):
        tied = performance[better] - performance[worse] <= margin
        found[worse] = found[better] if tied else place
    return tuple(found)


def _seatings(field: Field, rng: Generator) -> Iterator[np.ndarray]:
    """Yield seatings in which every bot plays equally often, as far as the numbers allow."""
    waiting: list[int] = []
    for _ in range(field.encounters * field.bots // field.seats):
        table: list[int] = []
        while len(table) < field.seats:
            if not waiting:
                waiting = rng.permutation(field.bots).tolist()
            at = next((at for at, bot in enumerate(waiting) if bot not in table), None)
            if at is None:
                waiting += rng.permutation(field.bots).tolist()
            else:
                table.append(waiting.pop(at))
        yield np.array(table)
