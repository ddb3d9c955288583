"""Is it better? A test that looks after every block of matches and stops as soon as it is sure.

A block is what shares its luck (two seats: the pair of matches on one seed, seats changed), and gives one value from
0 to 1: the part that the new version won. Two statements compete: "its true mean is one half" and "it is one half and a
margin". Their generalised likelihood ratio is that of the likeliest distributions of block values which have those
means; Wald's bounds on it give the error rates. Chess testers do the same on pairs of games.

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
"""Blocks counted besides those that were played: without them a few equal blocks would seem to be without any luck."""
_RESERVE = 0.8
"""The bounds are those of error rates this much smaller: that luck is estimated from the same blocks costs a part."""


class Verdict(StrEnum):
    """What a test says."""

    BETTER = "better"
    NOT_BETTER = "not_better"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Bounds:
    """How sure a test is to be. Raises `ValueError` for what makes no sense."""

    margin: float = 0.05
    """Better by this much is never to be missed: 0.05 stands for 55 % of the points, about 35 Elo at two seats."""
    false_better: float = 0.05
    """How often a version that is no better may be called better."""
    false_not_better: float = 0.05
    """How often a version that is better by the margin may be called not better."""

    def __post_init__(self) -> None:
        """Refuse what no test can hold."""
        if not 0 < self.margin < HALF:
            raise ValueError(f"margin: expected a number between 0 and 0.5, got {self.margin!r}")
        for name in ("false_better", "false_not_better"):
            if not 0 < getattr(self, name) < HALF:
                raise ValueError(f"{name}: expected a number between 0 and 0.5, got {getattr(self, name)!r}")

    @property
    def upper(self) -> float:
        """A log likelihood ratio from here on says better."""
        return math.log((1 - _RESERVE * self.false_not_better) / (_RESERVE * self.false_better))

    @property
    def lower(self) -> float:
        """A log likelihood ratio down to here says not better."""
        return math.log(_RESERVE * self.false_not_better / (1 - _RESERVE * self.false_better))


class SequentialTest:
    """Takes block values one after another; once it has said something it stays with it."""

    def __init__(self, bounds: Bounds | None = None) -> None:
        self.bounds = bounds or Bounds()
        self.verdict = Verdict.UNDECIDED
        self.blocks = 0
        self.ratio = 0.0
        """The log likelihood ratio at the last block that counted."""
        self._counts: Counter[float] = Counter()

    def add(self, value: float) -> Verdict:
        """Count one block: 0 all lost, 1 all won. Blocks after the verdict change nothing."""
        if not 0 <= value <= 1:
            raise ValueError(f"the value of a block lies between 0 and 1, got {value!r}")
        if self.verdict is not Verdict.UNDECIDED:
            return self.verdict
        # Equal values must be equal floats: a third of a block is not always the same number.
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
        """The mean of the blocks so far."""
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
        """How often each value came up, ascending."""
        return dict(sorted(self._counts.items()))


def likelihood_ratio(counts: Mapping[float, int], low: float, high: float) -> float:
    """The log likelihood ratio of "the mean is `high`" against "the mean is `low`", given how often each value came.

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
    """The counts by ascending value, and the blocks counted beforehand, with this mean and a good deal of luck."""
    # A quarter of them are one half; the ends are weighed so that all together have the mean.
    tilt = mean - HALF
    added = {0.0: _FAITH * (0.375 - tilt), HALF: _FAITH * 0.25, 1.0: _FAITH * (0.375 + tilt)}
    return {value: counts.get(value, 0) + added.get(value, 0.0) for value in sorted({*counts, *added})}


def _tilt(weighed: Mapping[float, float], mean: float) -> float:
    """The t for which weights n / (1 + t (x - mean)) have that mean: then they are the likeliest that do."""
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
        # The pull falls with t: keep the root between two ends, and step as Newton does while that stays inside.
        low, high = (t, high) if pull > 0 else (low, t)
        if abs(pull) < 1e-12 * total:
            break
        step = t - pull / slope
        t = step if low < step < high else (low + high) / 2.0
    return t
