"""A sequential probability ratio test (SPRT) of whether one version is better than another.

A block is a set of matches that share random effects (with two seats: the pair of matches on one seed, with seats
swapped). It gives one value from 0 to 1: the share of the points that the new version won. The test compares two
hypotheses: "the true mean is one half" and "the true mean is one half plus a margin". For each hypothesis it takes the
most likely distribution of block values with that mean, and computes the likelihood ratio of the two. Wald's bounds on
the ratio give the error rates. Chess engines are tested in the same way on pairs of games.

>>> test = SequentialTest(Bounds(margin=0.1))
>>> for value in [1.0, 0.5, 1.0, 0.75] * 6:
...     _ = test.add(value)
>>> test.verdict
<Verdict.BETTER: 'better'>
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from arena.ratings.intervals import Z_95

HALF = 0.5
_FAITH = 2.0
"""Number of prior blocks that are added: without them, a few equal blocks would seem to have no variance."""
_RESERVE = 0.8
"""Factor for the error rates behind the bounds: estimating the variance from the same blocks adds further errors."""


class Verdict(StrEnum):
    """The result of a test."""

    BETTER = "better"
    NOT_BETTER = "not_better"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Bounds:
    """The margin and the error rates of a test. Raises `ValueError` for a number that makes no sense."""

    margin: float = 0.05
    """Difference that the test must detect: 0.05 means 55 % of the points, about 35 Elo at two seats."""
    false_better: float = 0.05
    """Allowed probability that a version that is not better is called better."""
    false_not_better: float = 0.05
    """Allowed probability that a version that is better by the margin is called not better."""

    def __post_init__(self) -> None:
        """Refuse numbers that no test can satisfy."""
        if not 0 < self.margin < HALF:
            raise ValueError(f"margin: expected a number between 0 and 0.5, got {self.margin!r}")
        for name in ("false_better", "false_not_better"):
            if not 0 < getattr(self, name) < HALF:
                raise ValueError(f"{name}: expected a number between 0 and 0.5, got {getattr(self, name)!r}")

    @property
    def upper(self) -> float:
        """Log likelihood ratio at which the verdict is "better"."""
        return math.log((1 - _RESERVE * self.false_not_better) / (_RESERVE * self.false_better))

    @property
    def lower(self) -> float:
        """Log likelihood ratio at which the verdict is "not better"."""
        return math.log(_RESERVE * self.false_not_better / (1 - _RESERVE * self.false_better))


class SequentialTest:
    """A test that takes block values one after another; its verdict is final."""

    def __init__(self, bounds: Bounds | None = None) -> None:
        self.bounds = bounds or Bounds()
        self.verdict = Verdict.UNDECIDED
        self.blocks = 0
        self.ratio = 0.0
        """Log likelihood ratio after the last block that was counted."""
        self._counts: Counter[float] = Counter()

    def add(self, value: float) -> Verdict:
        """Count the value of one block, from 0 (lost everything) to 1; return the verdict.

        Blocks after the verdict are ignored.
        """
        if not 0 <= value <= 1:
            raise ValueError(f"the value of a block lies between 0 and 1, got {value!r}")
        if self.verdict is not Verdict.UNDECIDED:
            return self.verdict
        # Round, so that equal values are equal floats: a third of a block is not always the same float.
        self._counts[round(value, 9)] += 1
        self.blocks += 1
        self.ratio = likelihood_ratio(self._counts, HALF, HALF + self.bounds.margin)
        if self.ratio >= self.bounds.upper:
            self.verdict = Verdict.BETTER
        elif self.ratio <= self.bounds.lower:
            self.verdict = Verdict.NOT_BETTER
        return self.verdict

    @property
    def share(self) -> float | None:
        """Mean value of the blocks so far; None before the first one."""
        return sum(value * count for value, count in self._counts.items()) / self.blocks if self.blocks else None

    @property
    def interval(self) -> tuple[float, float]:
        """A 95 % interval of the true mean, as if the number of blocks had been fixed beforehand."""
        counts = _with_faith(self._counts, HALF)
        total = sum(counts.values())
        mean = sum(value * count for value, count in counts.items()) / total
        variance = sum(count * (value - mean) ** 2 for value, count in counts.items()) / total
        half = Z_95 * math.sqrt(variance / total)
        return max(0.0, mean - half), min(1.0, mean + half)

    @property
    def histogram(self) -> dict[float, int]:
        """Number of blocks with each value, in ascending order of values."""
        return dict(sorted(self._counts.items()))


def likelihood_ratio(counts: Mapping[float, int], low: float, high: float) -> float:
    """Return the log likelihood ratio of "the mean is `high`" to "the mean is `low`", from the counts of each value.

    >>> likelihood_ratio({0.0: 10, 1.0: 10}, 0.4, 0.6) == 0.0
    True
    """
    weighed = _with_faith(counts, (low + high) / 2.0)
    under_low, under_high = _tilt(weighed, low), _tilt(weighed, high)
    return sum(
        count * (math.log1p(under_low * (value - low)) - math.log1p(under_high * (value - high)))
        for value, count in weighed.items()
    )


def _with_faith(counts: Mapping[float, int], mean: float) -> dict[float, float]:
    """Return the counts by ascending value, with the prior blocks, which have this mean and a large variance."""
    # A quarter of the prior blocks have the value one half; 0 and 1 are weighted to give the mean.
    tilt = mean - HALF
    added = {0.0: _FAITH * (0.375 - tilt), HALF: _FAITH * 0.25, 1.0: _FAITH * (0.375 + tilt)}
    return {value: counts.get(value, 0) + added.get(value, 0.0) for value in sorted({*counts, *added})}


def _tilt(weighed: Mapping[float, float], mean: float) -> float:
    """Return the t for which the weights n / (1 + t (x - mean)) have this mean.

    Of all distributions of these values with this mean, these weights are the most likely one.
    """
    total = sum(weighed.values())
    near, far = min(weighed) - mean, max(weighed) - mean
    low, high = -1.0 / far, -1.0 / near
    t = 0.0
    for _ in range(60):
        slope = pull = 0.0
        for value, count in weighed.items():
            part = (value - mean) / (1.0 + t * (value - mean))
            pull += count * part
            slope -= count * part * part
        # The pull falls as t grows. Keep the root between two ends; use Newton's step if it stays between them.
        low, high = (t, high) if pull > 0 else (low, t)
        if abs(pull) < 1e-12 * total:
            break
        step = t - pull / slope
        t = step if low < step < high else (low + high) / 2.0
    return t
