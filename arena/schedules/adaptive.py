"""The base of all schedules that plan each round from the results of earlier rounds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

from arena.model.records import PlannedMatch
from arena.schedules.base import PlanningContext, Seatings, check_numbers, seatings_of


@dataclass(frozen=True, slots=True)
class Adaptive(ABC):
    """A number of rounds; in each one, every entrant plays one encounter at each seat count.

    If the entrants do not fill every match, some of them sit out a round.
    """

    seat_counts: tuple[int, ...]
    encounters: int
    """Number of rounds."""
    seatings: Seatings = "rotations"

    takes_newcomers = True
    looks_at_results = True

    def rounds(self, context: PlanningContext) -> Iterator[list[PlannedMatch]]:
        """Return the rounds of the night, each planned from the results of all earlier rounds."""
        check_numbers(self.seat_counts, len(context.entrants(0)), self.encounters)
        return self._rounds(context)

    def matches_ahead(self, entrants: int) -> int:
        """Return the exact number: the matches that the entrants fill, in every round."""
        return self.encounters * self._matches_a_round(entrants)

    def matches_in_all(self, context: PlanningContext, complete: int) -> int:
        """Return the exact number: the matches that the entrants of each round fill."""
        total = 0
        for number in range(self.encounters):
            matches = self._matches_a_round(len(context.entrants(number)))
            if not matches:
                break
            total += matches
        return total

    def rounds_ahead(self, entrants: int) -> int:
        """Return the exact number."""
        return self.encounters

    def _matches_a_round(self, entrants: int) -> int:
        return sum(entrants // seats * seatings_of(seats, self.seatings) for seats in self.seat_counts)

    @abstractmethod
    def _rounds(self, context: PlanningContext) -> Iterator[list[PlannedMatch]]:
        """Return the rounds; the caller has checked that there are enough entrants."""
