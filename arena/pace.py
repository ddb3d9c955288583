"""How long matches will take, from how long they took.

>>> Pace({2: 0.5}).expected_s({2: 40}, workers=2)
10.0
>>> pace = Pace({2: 0.5}, last_night=({2: 80}, 50.0), workers=2)
>>> pace.expected_s({2: 40}, workers=2)
25.0
>>> pace.took({2: 40}, wall_s=20.0, workers=2)
>>> pace.expected_s({2: 10}, workers=1)
10.0
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_SHORTEST_S: Final = 3.0
"""A night that took less says nothing: the moments of its matches are stored in whole seconds."""


class Pace:
    """What is known of the duration of matches, by their number of seats."""

    def __init__(
        self, means_s: Mapping[int, float], last_night: tuple[Mapping[int, int], float] = ({}, 0.0), workers: int = 1
    ) -> None:
        """Of a league: `means_s`, charged time of all seats together of an average match; and its last night.

        Of that night it is known how long how many matches took, but not how many were played at the same time: it is
        taken to be `workers`. Matches take at least the turn times, however short that night was.
        """
        self._means_s = dict(means_s)
        matches, wall_s = last_night
        turns_s = self._weigh(matches)
        self._factor = max(1.0, wall_s * workers / turns_s) if turns_s > 0 and wall_s >= _SHORTEST_S else 1.0
        """How much longer matches take than the turns in them: bots are started, results stored."""
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
