"""Measure the progress and rate of a night, and predict the duration of matches from that of earlier matches.

>>> progress = NightProgress(0.0, done=0, total=100)
>>> progress.done = 30
>>> progress.mark(10.0)
>>> progress.rate, round(progress.left_s, 1)
(3.0, 23.3)
>>> Pace({2: 0.5}).expected_s({2: 40}, workers=2)
10.0
>>> pace = Pace({2: 0.5}, [PlayingTime(1, {2: 80}, 50.0)], workers=2)
>>> pace.expected_s({2: 40}, workers=2)
25.0
>>> pace.took({2: 40}, wall_s=20.0, workers=2)
>>> pace.expected_s({2: 10}, workers=1)
10.0
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from arena.store.values import TELLING_S, PlayingTime


@dataclass(frozen=True, slots=True)
class Basis:
    """The nights that a prediction is based on."""

    nights: tuple[int, ...]
    """Numbers of the nights, the newest first."""
    matches: Mapping[int, int]
    wall_s: float


def find_basis(nights: Sequence[PlayingTime]) -> Basis | None:
    """Return the first night, newest first, that was long enough; else all nights if they were so together; else None.

    >>> find_basis([PlayingTime(3, {2: 10}, 1.0), PlayingTime(2, {2: 300}, 9.0), PlayingTime(1, {2: 900}, 30.0)])
    Basis(nights=(2,), matches={2: 300}, wall_s=9.0)
    >>> find_basis([PlayingTime(2, {2: 10}, 2.0), PlayingTime(1, {2: 5, 3: 6}, 2.0)])
    Basis(nights=(2, 1), matches={2: 15, 3: 6}, wall_s=4.0)
    >>> find_basis([PlayingTime(1, {2: 10}, 1.0)])
    """
    for night in nights:
        if night.wall_s >= TELLING_S:
            return Basis((night.night,), night.matches, night.wall_s)
    wall_s = sum(night.wall_s for night in nights)
    if wall_s < TELLING_S:
        return None
    matches: Counter[int] = Counter()
    for night in nights:
        matches.update(night.matches)
    return Basis(tuple(night.night for night in nights), dict(matches), wall_s)


class Pace:
    """A model of the duration of matches, by their number of seats."""

    def __init__(self, means_s: Mapping[int, float], nights: Sequence[PlayingTime] = (), workers: int = 1) -> None:
        """Create the model of a league.

        `means_s` is the mean charged time of a match, summed over all seats, by number of seats. `nights` are the
        league's nights, newest first. A night's duration and number of matches are known, but not how many matches were
        played at the same time, so `workers` is assumed. A match never takes less than its turns, even if these nights
        were shorter.
        """
        self._means_s = dict(means_s)
        self.basis = find_basis(nights)
        """None if the nights were too short to measure the time outside of turns."""
        self._factor = 1.0
        """Ratio of the duration of matches to that of their turns: starts of bots and storing results take time too."""
        if self.basis is not None and (turns_s := self._weigh(self.basis.matches)) > 0:
            self._factor = max(1.0, self.basis.wall_s * workers / turns_s)
        self._work_s = 0.0
        self._weight = 0.0

    def took(self, matches: Mapping[int, int], wall_s: float, workers: int) -> None:
        """Add a measurement: these matches, by number of seats, took this wall time, including the starts of bots."""
        self._work_s += wall_s * workers
        self._weight += self._weigh(matches)

    def expected_s(self, matches: Mapping[int, int], workers: int) -> float | None:
        """Return how long these matches are expected to take; None if no similar match has been measured."""
        if self._weight > 0:
            return self._weigh(matches) * self._work_s / self._weight / workers
        if all(self._means_s.get(seats) for seats, count in matches.items() if count):
            return self._weigh(matches) * self._factor / workers
        return None

    def _weigh(self, matches: Mapping[int, int]) -> float:
        """Return the turn times of the matches. An unknown one is replaced by a value proportional to the seats."""
        known = all(self._means_s.values()) and bool(self._means_s)
        usual = sum(self._means_s.values()) / sum(self._means_s) if known else 1.0
        return sum(count * (self._means_s.get(seats) or usual * seats) for seats, count in matches.items())


_RATE_S: Final = 30.0
"""Period in seconds over which the rate is measured."""
_AHEAD_S: Final = 0.1
"""Playing time of the orders that a worker has queued, because the parent may be busy with storing results."""
_MOST_AHEAD: Final = 64
"""Maximum number of queued orders. They fit into a worker's pipe (1 kB each, of 200), so the parent never blocks."""


class NightProgress:
    """The number of done matches of a night, and its history over the last seconds."""

    def __init__(self, now: float, done: int, total: int) -> None:
        self.done = done
        """Number of matches of this night that are played or parked."""
        self.total = total
        """Expected number of matches of the whole night."""
        self._marks: deque[tuple[float, int]] = deque([(now, done)])

    def mark(self, now: float) -> None:
        """Record how many matches are done at this time."""
        self._marks.append((now, self.done))
        while now - self._marks[0][0] > _RATE_S and len(self._marks) > 2:
            self._marks.popleft()

    @property
    def rate(self) -> float:
        """Return the recent number of matches per second."""
        (since, before), (now, done) = self._marks[0], self._marks[-1]
        return (done - before) / (now - since) if now > since else 0.0

    @property
    def left_s(self) -> float | None:
        """Return how long the other matches take at this rate; None while the rate is 0."""
        rate = self.rate
        return (self.total - self.done) / rate if rate > 0 else None

    def depth(self, workers: int) -> int:
        """Return how many queued orders each worker should have.

        >>> NightProgress(0.0, done=0, total=9).depth(workers=2)
        1
        """
        return max(1, min(_MOST_AHEAD, 1 + int(_AHEAD_S * self.rate / workers)))
