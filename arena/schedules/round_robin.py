"""Every bot meets every other equally often."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from arena.model.records import PlannedMatch
from arena.model.seeds import planning_rng
from arena.schedules.balanced_sets import Circle, Sets, all_encounters, rounds_of_sets, sets_ahead
from arena.schedules.base import PlanningContext, Seatings, check_numbers, count_matches, count_rounds, seatings_of


@dataclass(frozen=True, slots=True)
class RoundRobin:
    """Every bot meets every other equally, at one or several seat counts.

    `encounters` is the number of encounters of every bot at each seat count; None is every subset once.
    """

    seat_counts: tuple[int, ...]
    encounters: int | None = None
    repeat: bool = True
    """Where there are fewer subsets than that, play them all again on new seeds; else once is enough."""
    seatings: Seatings = "rotations"

    takes_newcomers = True
    looks_at_results = False

    def rounds(self, context: PlanningContext) -> Iterator[list[PlannedMatch]]:
        """The rounds of the night; a round without matches is left out.

        Who is no longer in the field (suspended, dropped) is in no later match. Subsets leave the sets of such a bot
        out; selections go on with those who are left. What a newcomer plays, `arena.schedules.balanced_sets.Sets` says.
        """
        entrants = list(context.entrants(0))
        planning_rng(context.night_seed, "entrants").shuffle(entrants)
        circle = Circle(entrants)
        check_numbers(self.seat_counts, len(circle), self.encounters)
        slices = [
            Sets(
                seats,
                self._wanted(seats, len(circle)),
                circle,
                # The plans of all nights depend on this label, so it must never change.
                planning_rng(context.night_seed, f"blocks:{seats}"),
            )
            for seats in self.seat_counts
        ]
        return rounds_of_sets(context, circle, slices, self.seatings)

    def matches_ahead(self, entrants: int) -> int:
        """Exact: the encounters at every seat count, times their seatings."""
        return sum(
            seatings_of(seats, self.seatings) * sets_ahead(seats, entrants, self._wanted(seats, entrants))
            for seats in self.seat_counts
        )

    def matches_in_all(self, context: PlanningContext, complete: int) -> int:
        """Exact but in huge nights whose field has changed."""
        return count_matches(self, context, complete)

    def rounds_ahead(self, entrants: int) -> int:
        """Exact: what planning comes to."""
        return count_rounds(self, entrants)

    def _wanted(self, seats: int, entrants: int) -> int:
        whole = all_encounters(seats, entrants)
        if self.encounters is None:
            return whole
        return self.encounters if self.repeat else min(self.encounters, whole)


def plan_rounds(
    seat_counts: Sequence[int], entrants: Sequence[int], encounters: int | None, night_seed: bytes
) -> Iterator[list[PlannedMatch]]:
    """The rounds of a round robin that nobody leaves.

    >>> night = list(plan_rounds((2,), [11, 12, 13], None, b"seed"))
    >>> [len(matches) for matches in night]
    [6]
    >>> sorted(tuple(sorted(match.seating)) for match in night[0] if match.rotation == 0)
    [(11, 12), (11, 13), (12, 13)]
    """
    return RoundRobin(tuple(seat_counts), encounters).rounds(PlanningContext.fixed(night_seed, entrants))
