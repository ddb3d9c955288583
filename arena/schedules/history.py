"""What adaptive schedules know of the rounds so far: points, appearances, meetings; and who sits out."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import combinations

from arena.model.records import FinishedMatch


class Scores:
    """Points from results: the share of opponents that were beaten, a tie being half; by match, so that who played
    less is not behind for that alone."""

    def __init__(self) -> None:
        self._points: defaultdict[int, Fraction] = defaultdict(Fraction)
        self._matches: Counter[int] = Counter()

    def take(self, results: Iterable[FinishedMatch]) -> None:
        """Add the matches of a round."""
        for match in results:
            self._matches.update(match.versions)
            for version, points in zip(match.versions, points_of(match.ranks), strict=True):
                self._points[version] += points

    def share(self, version: int) -> Fraction:
        """From 0 to 1; half for one who has not played, as nothing speaks for or against it."""
        matches = self._matches[version]
        return self._points[version] / matches if matches else Fraction(1, 2)


def points_of(ranks: Sequence[int]) -> list[Fraction]:
    """The share of opponents that each seat has beaten.

    >>> [str(points) for points in points_of((0, 1, 1))]
    ['1', '1/4', '1/4']
    """
    others = len(ranks) - 1
    return [Fraction(sum(2 * (rank < other) + (rank == other) for other in ranks) - 1, 2 * others) for rank in ranks]


class Past:
    """Who has sat at tables of one seat count how often, and who with whom at any."""

    def __init__(self) -> None:
        self.meetings: Counter[tuple[int, int]] = Counter()
        self._appearances: defaultdict[int, dict[int, int]] = defaultdict(dict)

    def met(self, one: int, other: int) -> int:
        """How many encounters these two had."""
        return self.meetings[(one, other) if one < other else (other, one)]

    def again(self, lineup: Sequence[int]) -> int:
        """How many encounters all pairs of a table had."""
        return sum(self.met(one, other) for one, other in combinations(lineup, 2))

    def seated(self, lineups: Iterable[Sequence[int]]) -> None:
        """These tables are planned."""
        for lineup in lineups:
            self.meetings.update(combinations(sorted(lineup), 2))
            appearances = self._appearances[len(lineup)]
            for version in lineup:
                appearances[version] += 1

    def playing(self, present: Sequence[int], seats: int, last_out: Callable[[int], float]) -> list[int]:
        """Those of the present who play in the next round, as many as fill tables, in their order.

        Who has played most sits out first, and among those the one for whom `last_out` is least; so appearances at a
        seat count never differ by more than 1, a newcomer counting as one who has played least.
        """
        appearances = self._appearances[seats]
        least = min((appearances[version] for version in present if version in appearances), default=0)
        for version in present:
            appearances.setdefault(version, least)
        too_many = len(present) % seats
        by_right = sorted(present, key=lambda version: (-appearances[version], last_out(version)))
        out = set(by_right[:too_many])
        return [version for version in present if version not in out]
