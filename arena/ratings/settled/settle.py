"""Settled ratings: TrueSkill's model fitted to all matches at once, so that their order does not matter.

The live ratings (`arena.ratings.live`) depend on the order of matches. Here every match has the same weight, and no
permutation of matches or seats changes a digit. Pure. Import this module only inside the functions that use it,
because it imports numpy and scipy.

>>> results = [FinishedMatch(pair, (0, 1)) for pair in ((1, 2), (2, 3), (3, 1))]
>>> settled = settle(results)
>>> [round(rating.mu, 6) for rating in settled.ratings]
[25.0, 25.0, 25.0]
>>> settled == settle(reversed(results))
True
>>> settle([FinishedMatch((1, 2), (0, 1))] * 20).better(1, 2) > 0.999
True
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from scipy.special import ndtr

from arena.model.records import FinishedMatch
from arena.ratings.intervals import Z_95
from arena.ratings.settled.content import gather
from arena.ratings.settled.covariance import doubt
from arena.ratings.settled.fit import Fit, Model, fit
from arena.ratings.settled.moments import Array
from arena.ratings.settled.shape import shape

DRAWS_DIFFER = 6.63
"""Twice the logarithm of a likelihood ratio that chance exceeds in one of a hundred leagues."""


@dataclass(frozen=True, slots=True)
class SettledRating:
    """The rating of one version from all matches together."""

    version: int
    mu: float
    sigma: float
    """Standard deviation of `mu` relative to the anchors, or to the mean of all versions if there are no anchors.

    It is 0 for an anchor.
    """
    matches: int
    anchored: bool = False

    @property
    def low(self) -> float:
        """Lower end of the 95 % interval."""
        return self.mu - Z_95 * self.sigma

    @property
    def high(self) -> float:
        """Upper end of the 95 % interval."""
        return self.mu + Z_95 * self.sigma


@dataclass(frozen=True, slots=True)
class Settled:
    """The ratings of a set of matches, by version id, and how they depend on each other."""

    ratings: tuple[SettledRating, ...]
    matches: int
    blocks: int
    factor: float
    """Variance of the blocks relative to blocks of independent matches; 1 if there is no difference."""
    sweeps: int
    draw_guess: float
    draw_probability: float
    """What the matches make of the guess: two equal bots tie with this probability."""
    draws_differ: bool
    """Whether the matches clearly contradict the guess."""
    heaviness: float
    """The part of the variance of luck that has the heavy tails of a Laplace distribution."""
    covariance: Array = field(repr=False, compare=False)
    independent: Array = field(repr=False, compare=False)
    """Covariance as if all matches were independent; used only for comparison."""

    def better(self, one: int, other: int) -> float:
        """Return the probability that version `one` is really stronger than version `other`."""
        here, there = self._at(one), self._at(other)
        doubt = self.difference_sigma(one, other)
        gap = self.ratings[here].mu - self.ratings[there].mu
        if doubt == 0.0:
            return 0.5 if gap == 0.0 else float(gap > 0.0)
        return float(ndtr(gap / doubt))

    def difference_sigma(self, one: int, other: int) -> float:
        """Return the standard deviation of the difference of two versions' skills."""
        here, there = self._at(one), self._at(other)
        c = self.covariance
        return math.sqrt(max(float(c[here, here] + c[there, there] - 2 * c[here, there]), 0.0))

    def rating(self, version: int) -> SettledRating:
        """Return the rating of a version. Raises `KeyError` if it has none."""
        return self.ratings[self._at(version)]

    def _at(self, version: int) -> int:
        low, high = 0, len(self.ratings)
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if self.ratings[middle].version < version else (low, middle)
        if low == len(self.ratings) or self.ratings[low].version != version:
            raise KeyError(version)
        return low


def settle(
    results: Iterable[FinishedMatch],
    model: Model | None = None,
    *,
    anchors: Mapping[int, float] | None = None,
    also: Iterable[int] = (),
) -> Settled:
    """Return the ratings from all matches together; `also` are further versions to rate, which may not have played.

    `anchors` fixes the skill of some versions (for example of a bot that never changes). Without anchors, deviations
    are relative to the mean of all versions, because matches say nothing about the level of all skills together.
    Raises `NotSettled` if the fit does not converge.
    """
    model = model or Model()
    fixed = dict(anchors or {})
    content = gather(results, (*also, *fixed))
    plain = fit(content, model, fixed, learn_draws=True)
    shaped = shape(content, plain, doubt(content, model, plain).factor)
    found = shaped.fit
    doubted = doubt(content, model, found)
    spread = doubted.covariance + shaped.doubt
    spread = spread if fixed else _centred(spread)
    spread = doubted.widening[:, None] * spread * doubted.widening
    deviations = np.sqrt(np.maximum(np.diag(spread), 0.0))
    return Settled(
        ratings=tuple(
            SettledRating(version, float(mu), float(sigma), int(played), version in fixed)
            for version, mu, sigma, played in zip(content.versions, found.mean, deviations, content.played, strict=True)
        ),
        matches=content.matches,
        blocks=int(content.blocks.copies.sum()),
        factor=doubted.factor,
        sweeps=found.sweeps,
        draw_guess=model.draw_probability,
        draw_probability=found.model.draw_probability,
        draws_differ=_differ(model.draw_probability, found),
        heaviness=shaped.heaviness,
        covariance=spread,
        independent=found.covariance if fixed else _centred(found.covariance),
    )


def _differ(guess: float, found: Fit) -> bool:
    """Return whether the learned draw probability has at least twice or at most half the odds, and not by chance."""
    learned = found.model.draw_probability
    odds = learned * (1.0 - guess) / (guess * (1.0 - learned))
    surprise = learned * math.log(learned / guess) + (1.0 - learned) * math.log((1.0 - learned) / (1.0 - guess))
    return not 0.5 < odds < 2.0 and 2.0 * found.draw_evidence * surprise > DRAWS_DIFFER


def _centred(covariance: Array) -> Array:
    """Return the covariance of all skills relative to their mean."""
    if not len(covariance):
        return covariance
    rows = covariance.mean(axis=0)
    centred: Array = covariance - rows[:, None] - rows[None, :] + rows.mean()
    return (centred + centred.T) / 2.0
