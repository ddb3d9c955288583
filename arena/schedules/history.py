"""The points, appearances and meetings of earlier rounds, from which adaptive schedules plan the next round."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import combinations

from arena.model.records import FinishedMatch


class Scores:
    """The mean points of each bot: the share of opponents that it beat, with a tie as one half.

    It is a mean over matches, so that a bot is not behind only because it played fewer of them.
    """

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
        """Return the mean points, from 0 to 1; one half for a bot that has not played."""
        matches = self._matches[version]
        return self._points[version] / matches if matches else Fraction(1, 2)


def points_of(ranks: Sequence[int]) -> list[Fraction]:
    """Return the share of opponents that each seat beat.

    >>> [str(points) for points in points_of((0, 1, 1))]
    ['1', '1/4', '1/4']
    """
    others = len(ranks) - 1
    return [Fraction(sum(2 * (rank < other) + (rank == other) for other in ranks) - 1, 2 * others) for rank in ranks]


class Past:
    """The appearances of each bot at each seat count, and the meetings of each pair at any."""

    def __init__(self) -> None:
        self.meetings: Counter[tuple[int, int]] = Counter()
        self._appearances: defaultdict[int, dict[int, int]] = defaultdict(dict)

    def met(self, one: int, other: int) -> int:
        """Return the number of encounters that these two bots had."""
        return self.meetings[(one, other) if one < other else (other, one)]

    def again(self, lineup: Sequence[int]) -> int:
        """Return the number of encounters that the pairs of a table had, summed over all pairs."""
        return sum(self.met(one, other) for one, other in combinations(lineup, 2))

    def seated(self, lineups: Iterable[Sequence[int]]) -> None:
        """Count these planned encounters."""
        for lineup in lineups:
            self.meetings.update(combinations(sorted(lineup), 2))
            appearances = self._appearances[len(lineup)]
            for version in lineup:
                appearances[version] += 1

    def playing(self, present: Sequence[int], seats: int, last_out: Callable[[int], float]) -> list[int]:
        """Return the bots that play in the next round: as many as fill its matches, in the order of `present`.

        The bots that have played most sit out first; among them, the bots with the lowest `last_out`. Therefore
        appearances at a seat count never differ by more than 1. An entrant that joins later counts as one that has
        played least.
        """
        appearances = self._appearances[seats]
        least = min((appearances[version] for version in present if version in appearances), default=0)
        for version in present:
            appearances.setdefault(version, least)
        too_many = len(present) % seats
        by_right = sorted(present, key=lambda version: (-appearances[version], last_out(version)))
        out = set(by_right[:too_many])
        return [version for version in present if version not in out]
