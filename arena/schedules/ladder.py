"""Ladder: choose the matches that are expected to improve the ratings most, and let every bot play equally often."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from arena.model.records import PlannedMatch
from arena.model.seeds import planning_rng
from arena.ratings.live import Rating, RatingSettings, rate
from arena.schedules.adaptive import Adaptive
from arena.schedules.base import Numbers, PlanningContext
from arena.schedules.history import Past

WINDOW = 8
"""Number of free neighbours, above and below in the ratings, that are candidates for an opponent."""
_USUAL = RatingSettings()


@dataclass(frozen=True, slots=True)
class Ladder(Adaptive):
    """A number of rounds; in each one, every entrant plays one encounter at each seat count.

    Opponents are chosen by how much variance of the ratings their match is expected to remove; the value of a match is
    lower if they met before. If the entrants do not fill every match, the bots with the most certain ratings sit out.
    Nobody sits out a second time before everybody else has sat out once. Therefore appearances at a seat count never
    differ by more than 1.
    """

    settings: RatingSettings = _USUAL

    def _rounds(self, context: PlanningContext) -> Iterator[list[PlannedMatch]]:
        numbers, past = Numbers(self.seatings), Past()
        ratings: dict[int, Rating] = {}
        while numbers.round < self.encounters:
            if numbers.round:
                for match in context.results(numbers.round - 1):
                    before = [ratings[version] for version in match.versions]
                    after = rate(before, match.ranks, self.settings)
                    ratings.update(zip(match.versions, after, strict=True))
            present = list(context.entrants(numbers.round))
            planning_rng(context.night_seed, f"ladder:{numbers.round}").shuffle(present)
            for version in present:
                ratings.setdefault(version, self.settings.prior)
            lineups: list[tuple[int, ...]] = []
            for seats in self.seat_counts:
                playing = past.playing(present, seats, lambda version: ratings[version].sigma)
                seated = spread_last(list(self._lineups(playing, seats, ratings, past)), past)
                past.seated(seated)
                lineups += seated
            if not lineups:
                return
            yield numbers.matches(lineups)

    def _lineups(
        self, playing: list[int], seats: int, ratings: dict[int, Rating], past: Past
    ) -> Iterator[tuple[int, ...]]:
        """Yield the sets; the bot with the least certain rating chooses first, among its free neighbours."""
        line = _Line(sorted(playing, key=lambda version: ratings[version].mu))
        for chooser in sorted(playing, key=lambda version: -ratings[version].sigma):
            if chooser not in line:
                continue
            lineup = [chooser]
            neighbours = line.around(chooser, WINDOW + seats - 2)
            while len(lineup) < seats:
                best = max(
                    neighbours,
                    key=lambda version: sum(
                        expected_gain(ratings[version], ratings[seated], self.settings.beta)
                        / (1 + past.met(version, seated))
                        for seated in lineup
                    ),
                )
                neighbours.remove(best)
                lineup.append(best)
            line.take(lineup)
            yield tuple(lineup)


def spread_last(lineups: list[tuple[int, ...]], past: Past) -> list[tuple[int, ...]]:
    """Return the tables, with one bot of the last table exchanged for a bot of another one if that saves rematches.

    The last table takes the bots that are left. Without the exchange, the same two could be left in every round.

    >>> past = Past()
    >>> past.meetings[(0, 1)] = 1
    >>> spread_last([(2, 3), (0, 1)], past)
    [(0, 3), (2, 1)]
    """
    if not lineups or not past.again(lineups[-1]):
        return lineups
    last = lineups[-1]
    saved, best = 0, lineups
    for number, lineup in enumerate(lineups[:-1]):
        for here, leaving in enumerate(last):
            for there, coming in enumerate(lineup):
                new_last = (*last[:here], coming, *last[here + 1 :])
                new_lineup = (*lineup[:there], leaving, *lineup[there + 1 :])
                saving = past.again(last) + past.again(lineup) - past.again(new_last) - past.again(new_lineup)
                if saving > saved:
                    saved, best = saving, [*lineups[:number], new_lineup, *lineups[number + 1 : -1], new_last]
    return best


def expected_gain(one: Rating, other: Rating, beta: float) -> float:
    """Return how much variance of the two ratings a match between them is expected to remove.

    This is the mean of TrueSkill's update for a win, over both possible winners; ties are not modelled.

    >>> sure, unsure = Rating(25, 1), Rating(25, 8)
    >>> expected_gain(unsure, unsure, 4) > expected_gain(unsure, sure, 4) > expected_gain(sure, sure, 4)
    True
    >>> expected_gain(Rating(25, 2), Rating(26, 2), 4) > expected_gain(Rating(25, 2), Rating(40, 2), 4)
    True
    """
    variance = 2 * beta**2 + one.sigma**2 + other.sigma**2
    t = (one.mu - other.mu) / math.sqrt(variance)
    density = math.exp(-t * t / 2) / math.sqrt(2 * math.pi)
    lower, upper = math.erfc(t / math.sqrt(2)) / 2, math.erfc(-t / math.sqrt(2)) / 2
    surprise = density**2 / (lower * upper) if lower > 0 and upper > 0 else 0.0
    return (one.sigma**4 + other.sigma**4) / variance * surprise


class _Line:
    """Bots in a row, of which some are taken; returns the free neighbours of a bot."""

    def __init__(self, order: list[int]) -> None:
        self._before = {after: before for before, after in pairwise(order)}
        self._after = dict(pairwise(order))
        self._free = set(order)

    def __contains__(self, version: int) -> bool:
        return version in self._free

    def around(self, version: int, reach: int) -> list[int]:
        """Return up to `reach` of the nearest free bots on each side."""
        found: list[int] = []
        for step in (self._before, self._after):
            at: int | None = version
            for _ in range(reach):
                at = step.get(at) if at is not None else None
                if at is None:
                    break
                found.append(at)
        return found

    def take(self, lineup: list[int]) -> None:
        """Mark these bots as no longer free."""
        for version in lineup:
            self._free.discard(version)
            before, after = self._before.pop(version, None), self._after.pop(version, None)
            if before is not None:
                self._after.pop(before, None)
            if after is not None:
                self._before.pop(after, None)
            if before is not None and after is not None:
                self._after[before], self._before[after] = after, before
