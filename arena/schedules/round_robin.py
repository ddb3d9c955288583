"""Round robin: every bot meets every other bot equally often."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from arena.model.records import PlannedMatch
from arena.model.seeds import planning_rng
from arena.schedules.balanced_sets import Circle, Sets, all_encounters, rounds_of_sets, sets_ahead
from arena.schedules.base import PlanningContext, Seatings, check_numbers, count_matches, count_rounds, seatings_of


@dataclass(frozen=True, slots=True)
class RoundRobin:
    """A night in which every bot meets every other bot equally often, at one or several seat counts.

    `encounters` is the number of encounters of every bot at each seat count; None plays every subset once.
    """

    seat_counts: tuple[int, ...]
    encounters: int | None = None
    repeat: bool = True
    """Whether to play all subsets again, on new seeds, if there are fewer subsets than encounters."""
    seatings: Seatings = "rotations"

    takes_newcomers = True
    looks_at_results = False

    def rounds(self, context: PlanningContext) -> Iterator[list[PlannedMatch]]:
        """Return the rounds of the night; a round without matches is skipped.

        A bot that is no longer an entrant (suspended or dropped) is in no later match: its subsets are skipped, and
        selections continue with the other bots. See `arena.schedules.balanced_sets.Sets` for a bot that joins later.
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
        """Return the exact number: the sets of bots at every seat count, times their seatings."""
        return sum(
            seatings_of(seats, self.seatings) * sets_ahead(seats, entrants, self._wanted(seats, entrants))
            for seats in self.seat_counts
        )

    def matches_in_all(self, context: PlanningContext, complete: int) -> int:
        """Return the number of matches: an estimate if the entrants of a huge night changed, exact otherwise."""
        return count_matches(self, context, complete)

    def rounds_ahead(self, entrants: int) -> int:
        """Return the exact number, by planning the night."""
        return count_rounds(self, entrants)

    def _wanted(self, seats: int, entrants: int) -> int:
        whole = all_encounters(seats, entrants)
        if self.encounters is None:
            return whole
        return self.encounters if self.repeat else min(self.encounters, whole)


def plan_rounds(
    seat_counts: Sequence[int], entrants: Sequence[int], encounters: int | None, night_seed: bytes
) -> Iterator[list[PlannedMatch]]:
    """Return the rounds of a round robin that no bot leaves.

    >>> night = list(plan_rounds((2,), [11, 12, 13], None, b"seed"))
    >>> [len(matches) for matches in night]
    [6]
    >>> sorted(tuple(sorted(match.seating)) for match in night[0] if match.rotation == 0)
    [(11, 12), (11, 13), (12, 13)]
    """
    return RoundRobin(tuple(seat_counts), encounters).rounds(PlanningContext.fixed(night_seed, entrants))
