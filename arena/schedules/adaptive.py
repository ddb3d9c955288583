"""What the schedules share that plan each round from the results of those before it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

from arena.pairing import Field, Seatings, check_numbers, seatings_of
from arena.records import PlannedMatch


@dataclass(frozen=True, slots=True)
class Adaptive(ABC):
    """A number of rounds, each with one encounter of everybody at each seat count, as far as the field fills tables."""

    seat_counts: tuple[int, ...]
    encounters: int
    """How many rounds."""
    seatings: Seatings = "rotations"

    takes_newcomers = True
    looks_at_results = True

    def rounds(self, field: Field) -> Iterator[list[PlannedMatch]]:
        """The rounds of the night, each planned from the results of all before it."""
        check_numbers(self.seat_counts, len(field.entrants(0)), self.encounters)
        return self._rounds(field)

    def matches_ahead(self, entrants: int) -> int:
        """Exact: the tables that the field fills, in every round."""
        return self.encounters * sum(
            entrants // seats * seatings_of(seats, self.seatings) for seats in self.seat_counts
        )

    def rounds_ahead(self, entrants: int) -> int:
        """Exact."""
        return self.encounters

    @abstractmethod
    def _rounds(self, field: Field) -> Iterator[list[PlannedMatch]]:
        """The rounds, of a field that is large enough."""
