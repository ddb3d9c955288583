"""How far a night is, how fast it goes, and how long matches will take, from how long they took.

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
    """The nights that an expectation rests on."""

    nights: tuple[int, ...]
    """Their numbers, the newest first."""
    matches: Mapping[int, int]
    wall_s: float


def find_basis(nights: Sequence[PlayingTime]) -> Basis | None:
    """The first of these nights, newest first, that took long enough to tell, else all of them if together they did.

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
    """What is known of the duration of matches, by their number of seats."""

    def __init__(self, means_s: Mapping[int, float], nights: Sequence[PlayingTime] = (), workers: int = 1) -> None:
        """Of a league: `means_s`, charged time of all seats together of an average match; and its nights, newest first.

        Of those it is known how long how many matches took, but not how many were played at the same time: it is
        taken to be `workers`. Matches take at least the turn times, however short those nights were.
        """
        self._means_s = dict(means_s)
        self.basis = find_basis(nights)
        """None where too little was played to tell what takes time beside the turns."""
        self._factor = 1.0
        """How much longer matches take than the turns in them: bots are started, results stored."""
        if self.basis is not None and (turns_s := self._weigh(self.basis.matches)) > 0:
            self._factor = max(1.0, self.basis.wall_s * workers / turns_s)
        self._work_s = 0.0
        self._weight = 0.0

    def took(self, matches: Mapping[int, int], wall_s: float, workers: int) -> None:
        """So many matches of each seat count took that long, starts of bots and all else included."""
        self._work_s += wall_s * workers
        self._weight += self._weigh(matches)

    def expected_s(self, matches: Mapping[int, int], workers: int) -> float | None:
        """How long such matches are expected to take; None where nothing like them has been measured."""
        if self._weight > 0:
            return self._weigh(matches) * self._work_s / self._weight / workers
        if all(self._means_s.get(seats) for seats, count in matches.items() if count):
            return self._weigh(matches) * self._factor / workers
        return None

    def _weigh(self, matches: Mapping[int, int]) -> float:
        """Their turn times, or where one is not known, something that grows with the seats."""
        known = all(self._means_s.values()) and bool(self._means_s)
        usual = sum(self._means_s.values()) / sum(self._means_s) if known else 1.0
        return sum(count * (self._means_s.get(seats) or usual * seats) for seats, count in matches.items())


_RATE_S: Final = 30.0
"""The rate is that of the last so many seconds."""


"""The rate is that of the last so many seconds."""


_AHEAD_S: Final = 0.1
"""Workers have orders in hand for about this long: the parent may be busy storing meanwhile."""


"""Workers have orders in hand for about this long: the parent may be busy storing meanwhile."""


_MOST_AHEAD: Final = 64
"""So many orders fit into a worker's pipe (1 kB each, of 200), so that the parent need not wait for it to read."""


"""So many orders fit into a worker's pipe (1 kB each, of 200), so that the parent need not wait for it to read."""


class NightProgress:
    """Matches that are done out of all, and the moments at which so many were."""

    def __init__(self, now: float, done: int, total: int) -> None:
        self.done = done
        """Matches that are settled in this night, one way or another."""
        self.total = total
        """Matches that the whole night is expected to have."""
        self._marks: deque[tuple[float, int]] = deque([(now, done)])

    def mark(self, now: float) -> None:
        """Note how many are done at this moment."""
        self._marks.append((now, self.done))
        while now - self._marks[0][0] > _RATE_S and len(self._marks) > 2:
            self._marks.popleft()

    @property
    def rate(self) -> float:
        """Matches a second, of late."""
        (since, before), (now, done) = self._marks[0], self._marks[-1]
        return (done - before) / (now - since) if now > since else 0.0

    @property
    def left_s(self) -> float | None:
        """How long the rest takes at this rate; None while there is none."""
        rate = self.rate
        return (self.total - self.done) / rate if rate > 0 else None

    def depth(self, workers: int) -> int:
        """How many orders each worker should have in hand.

        >>> NightProgress(0.0, done=0, total=9).depth(workers=2)
        1
        """
        return max(1, min(_MOST_AHEAD, 1 + int(_AHEAD_S * self.rate / workers)))
