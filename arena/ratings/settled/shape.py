"""The fit with luck that has heavier tails than normal luck, as far as the matches show such tails.

Expectation propagation gives the start, the covariance, and the cavity of each match: the distribution of the match's
skills given all other matches. `chain` then treats each match as a whole, not each pair of neighbours. Of a cavity only
one variance for each seat is used, fitted to the variances of the differences between two seats.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from arena.ratings.settled.chain import chain
from arena.ratings.settled.content import Content
from arena.ratings.settled.fit import Fit, NotSettled
from arena.ratings.settled.moments import Array

TOLERANCE = 1e-6
"""The fit is done when no mean moves by more than this part of its deviation."""
STEPS = 100
HALF_STEP = 0.05
"""Gradients are compared at skills `HALF_STEP` betas higher and lower. This gives the weights of the matches."""
_SQUARES = np.linspace(0.0, 1.0, 2001)
"""Squares of the heaviness, all believed alike before the matches are seen. Tails act by their fourth moment, which
grows with the square."""


@dataclass(frozen=True, slots=True)
class Shaped:
    """A fit, and what is known of the tails of luck."""

    fit: Fit
    heaviness: float
    """The part of the variance of luck that has a Laplace distribution: 0 is normal luck."""
    doubt: Array
    """What the uncertainty about the tails adds to the covariance."""


def shape(content: Content, found: Fit, factor: float) -> Shaped:
    """Return the fit with the tails that the matches show.

    `factor` is the variance of blocks relative to independent matches (see `Doubt.factor`). Raises `NotSettled`.
    """
    work = _Shaping(content, found)
    logs, means = [], []
    for heaviness, steps in ((0.0, 1), (0.5, 2), (1.0, 2)):
        logs.append(work.go(heaviness, steps))
        means.append(work.mean)
    low, middle, high = logs
    at = _SQUARES
    steep = (16.0 * middle - 15.0 * low - high) / 3.0
    log = (steep * at + (high - low - steep) * np.square(at)) / max(factor, 1.0)
    chance = np.exp(log - log.max())
    chance /= chance.sum()
    expected = float(chance @ at)
    spread = float(chance @ np.square(at - expected))
    heaviness = float(np.sqrt(expected))
    work.mean = means[0] + expected * (means[2] - means[0])
    work.go(heaviness, 1)
    work.weigh(heaviness)
    work.settle(heaviness)
    gap = np.sqrt(spread) * (means[2] - means[0]) * found.model.beta
    return Shaped(work.result(), heaviness, np.outer(gap, gap))


class _Shaping:
    """Newton steps; all is in units of beta and counted from the mean of the prior."""

    def __init__(self, content: Content, found: Fit) -> None:
        beta = found.model.beta
        self.content, self.found = content, found
        self.margin = found.model.margin / beta
        self.prior = (beta / found.model.sigma) ** 2
        self.mean = (found.mean - found.model.mu) / beta
        self.covariance = found.covariance / beta**2
        self.pulls = [pull * beta for pull in found.pulls]
        self.weights = [weight * beta**2 for weight in found.weights]
        self._take_out()

    def _take_out(self) -> None:
        """Compute the cavity of each match, and how much doubt about each seat it means."""
        self.cavities: list[Array] = []
        self.extra: list[Array] = []
        self.feedback: list[Array] = []
        for table, weights in zip(self.content.tables, self.weights, strict=True):
            at, seats = table.places, table.seats
            own = self.covariance[at[:, :, None], at[:, None, :]]
            cavity = np.asarray(np.linalg.solve(np.eye(seats) - own @ weights, own), dtype=np.float64)
            ends = np.einsum("nii->ni", cavity)
            rows = (ends[:, :, None] + ends[:, None, :] - cavity - cavity.transpose(0, 2, 1)).sum(axis=2)
            total = rows.sum(axis=1, keepdims=True) / (2.0 * (seats - 1))
            extra = rows / 2.0 if seats == 2 else (rows - total) / (seats - 2)
            self.cavities.append(cavity)
            self.feedback.append(np.eye(seats) + weights @ cavity)
            self.extra.append(np.maximum(extra, 0.0))

    def _look(self, heaviness: float, number: int, aside: Array | float = 0.0) -> tuple[Array, Array]:
        """Return the log probabilities and pulls of the matches of one table."""
        table, pulls = self.content.tables[number], self.pulls[number]
        skill = self.mean[table.places] - np.einsum("nij,nj->ni", self.cavities[number], pulls) + aside
        logs, new = chain(skill, self.extra[number], table.tied, self.margin, heaviness)
        # An underflow says nothing; the pull that was there before is good enough.
        return np.where(np.isfinite(logs), logs, 0.0), np.where(np.isfinite(new), new, pulls)

    def _step(self, heaviness: float, damping: float = 1.0) -> tuple[float, float]:
        """Move the means once. Return the log probability before, and the largest move in deviations."""
        log = -0.5 * self.prior * float(self.mean @ self.mean)
        linear = -self.prior * self.mean
        for number, table in enumerate(self.content.tables):
            before = self.pulls[number]
            logs, new = self._look(heaviness, number)
            # The cavity's mean depends on the pull itself: a Newton step for both.
            self.pulls[number] = before + np.einsum("nij,nj->ni", self.feedback[number], new - before)
            log += float(table.times @ logs)
            pulled = table.times[:, None] * self.pulls[number]
            linear += np.bincount(table.places.ravel(), pulled.ravel(), len(linear))
        move = damping * (self.covariance @ linear)
        self.mean = self.mean + move
        free = self.found.free
        deviations = np.sqrt(np.diag(self.covariance)[free])
        return log, float(np.max(np.abs(move[free]) / deviations, initial=0.0))

    def go(self, heaviness: float, steps: int) -> float:
        """Take some steps, and return the log probability before the last."""
        for _ in range(steps):
            log, _ = self._step(heaviness)
        return log

    def settle(self, heaviness: float) -> None:
        """Repeat steps until nothing moves by more than the tolerance. Raises `NotSettled`."""
        damping, last = 1.0, np.inf
        for _ in range(STEPS):
            _, moved = self._step(heaviness, damping)
            if moved < TOLERANCE:
                return
            damping = damping if moved < 0.8 * last else max(damping * 0.7, 0.1)
            last = moved
        raise NotSettled(f"settled ratings did not come to rest in {STEPS} steps: last moved by {moved:.2g}")

    def weigh(self, heaviness: float) -> None:
        """Compute what each match adds to the precision, and the covariance with it."""
        count, free = len(self.mean), self.found.free
        precision = np.zeros(count * count)
        for number, table in enumerate(self.content.tables):
            at, seats = table.places, table.seats
            bend = np.zeros((len(at), seats, seats))
            for seat in range(seats - 1):
                aside = HALF_STEP * (np.arange(seats) == seat)
                higher, lower = (self._look(heaviness, number, sign * aside)[1] for sign in (1.0, -1.0))
                bend[:, :, seat] = (lower - higher) / (2.0 * HALF_STEP)
            # To move all skills together changes nothing.
            bend[:, :, -1] = -bend.sum(axis=2)
            bend = (bend + bend.transpose(0, 2, 1)) / 2.0
            weights = np.linalg.solve(np.eye(seats) - bend @ self.cavities[number], bend)
            self.weights[number] = (weights + weights.transpose(0, 2, 1)) / 2.0
            cells = (at[:, :, None] * count + at[:, None, :]).ravel()
            added = table.times[:, None, None] * self.weights[number]
            precision += np.bincount(cells, added.ravel(), count * count)
        own = precision.reshape(count, count)[np.ix_(free, free)]
        own[np.diag_indices_from(own)] += self.prior
        inverse = np.linalg.inv(own)
        self.covariance = np.zeros((count, count))
        self.covariance[np.ix_(free, free)] = (inverse + inverse.T) / 2.0
        self._take_out()

    def result(self) -> Fit:
        """Return the fit in the units of the model."""
        model = self.found.model
        return replace(
            self.found,
            mean=self.mean * model.beta + model.mu,
            covariance=self.covariance * model.beta**2,
            pulls=tuple(pull / model.beta for pull in self.pulls),
            weights=tuple(weights / model.beta**2 for weights in self.weights),
        )
