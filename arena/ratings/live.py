"""TrueSkill as a fold over the match log: the same matches in schedule order always give the same digits.

>>> settings = RatingSettings(draw_probability=0.001)
>>> after = fold({}, [FinishedMatch((7, 9), ranks=(0, 1))], settings)
>>> after[7].mu > settings.mu > after[9].mu
True
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

import trueskill

from arena.model.records import FinishedMatch

SMALLEST_DRAW_PROBABILITY = 0.001
"""Draw probability of games without draws: with a probability of 0, TrueSkill cannot model a tie by forfeit."""

SETTLED_MATCHES = 10
"""A version with fewer rated matches is marked as new."""


@dataclass(frozen=True, slots=True)
class RatingSettings:
    """The constants of TrueSkill, fixed for a league. Raises `ValueError` for a constant that makes no sense."""

    mu: float = 25.0
    sigma: float = 25.0 / 3
    beta: float = 25.0 / 6
    tau: float = 25.0 / 300
    draw_probability: float = 0.1

    def __post_init__(self) -> None:
        """Refuse what TrueSkill cannot compute with."""
        for name in ("sigma", "beta"):
            if not getattr(self, name) > 0:
                raise ValueError(f"rating setting {name}: expected a number above 0, got {getattr(self, name)!r}")
        if not self.tau >= 0:
            raise ValueError(f"rating setting tau: expected a number of at least 0, got {self.tau!r}")
        if not 0 < self.draw_probability < 1:
            raise ValueError(
                f"rating setting draw_probability: expected a number between 0 and 1, got {self.draw_probability!r}"
            )

    @classmethod
    def for_game(cls, draw_probability: float) -> RatingSettings:
        """Return the default constants with the draw probability of a game, or the smallest one if that is higher."""
        return cls(draw_probability=max(draw_probability, SMALLEST_DRAW_PROBABILITY))

    @property
    def prior(self) -> Rating:
        """Rating of a version that has not played."""
        return Rating(self.mu, self.sigma)

    def as_json(self) -> dict[str, float]:
        """Return the constants by name."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Rating:
    """The estimate of one version's skill, and its uncertainty."""

    mu: float
    sigma: float

    @property
    def shown(self) -> float:
        """`mu - 3 sigma`, which leaderboards show and sort by."""
        return self.mu - 3 * self.sigma


@dataclass(frozen=True, slots=True)
class RatingDifference:
    """A stored rating that differs from the rating computed again from all matches."""

    version: int
    stored: Rating | None
    """None if the matches give a rating but none is stored."""
    computed: Rating | None
    """None if a rating is stored but the matches give none."""


def fold(
    ratings: Mapping[int, Rating], matches: Iterable[FinishedMatch], settings: RatingSettings
) -> dict[int, Rating]:
    """Return the ratings after these matches; a version without a rating starts at the prior.

    The matches must be in schedule order, else this raises `ValueError`. To continue from a stored result gives the
    same digits as to fold all matches at once.
    """
    after = dict(ratings)
    last = None
    for match in matches:
        if last is not None and match.place <= last:
            raise ValueError(f"matches must come in schedule order: place {match.place} after place {last}")
        last = match.place
        before = [after.get(version, settings.prior) for version in match.versions]
        after.update(zip(match.versions, rate(before, match.ranks, settings), strict=True))
    return after


def rate(before: Iterable[Rating], ranks: Iterable[int], settings: RatingSettings) -> list[Rating]:
    """Return the ratings of the seats after one match, for any number of seats and with ties."""
    # A `trueskill.Rating` stores 1/sigma^2, and returns a mu that may differ in the last digit from the given one.
    # Each match starts from our own two floats instead, so that a stored rating is an exact checkpoint.
    groups = [(trueskill.Rating(rating.mu, rating.sigma),) for rating in before]
    try:
        after = _environment(settings).rate(groups, ranks=list(ranks))
    except (ArithmeticError, ValueError):
        # This happens only with three or more seats and ratings many dozens of sigma apart: rounding gives a negative
        # precision. A match must never stop the fold, so here it only adds the drift of `tau`.
        return [Rating(old.mu, math.hypot(old.sigma, settings.tau)) for (old,) in groups]
    return [Rating(new.mu, new.sigma) for (new,) in after]


def compare(stored: Mapping[int, Rating], computed: Mapping[int, Rating]) -> list[RatingDifference]:
    """Return every version whose stored rating differs from the computed one in any digit, by version id."""
    versions = sorted(stored.keys() | computed.keys())
    return [
        RatingDifference(version, stored.get(version), computed.get(version))
        for version in versions
        if stored.get(version) != computed.get(version)
    ]


class _Steady(trueskill.TrueSkill):  # type: ignore[misc]
    """TrueSkill that can compute every result.

    The library fails if a result is extremely unexpected or extremely certain, because its differences of tiny numbers
    become zero. This class returns the known limits there.
    """

    def w_win(self, diff: float, draw_margin: float) -> float:
        try:
            return float(super().w_win(diff, draw_margin))
        except FloatingPointError:
            x = diff - draw_margin
            return 0.0 if x > 0 else _narrowing(x)

    def w_draw(self, diff: float, draw_margin: float) -> float:
        try:
            w = float(super().w_draw(diff, draw_margin))
        except FloatingPointError:
            w = 1.0
        return w if w < 1 else _narrowing(draw_margin - abs(diff))


def _narrowing(x: float) -> float:
    """Return how much an unexpected result, `x` standard deviations away, reduces variance: near 1, but below it."""
    return 1 - 1 / (2 + x * x)


@lru_cache(maxsize=8)
def _environment(settings: RatingSettings) -> Any:
    return _Steady(**settings.as_json())
