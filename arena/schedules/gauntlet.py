"""Gauntlet: one bot, the challenger, plays against all others; the others never play without it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from arena.errors import UsageError
from arena.model.records import PlannedMatch
from arena.model.seeds import planning_rng
from arena.schedules.balanced_sets import Circle, Sets, all_encounters, rounds_of_sets, sets_ahead
from arena.schedules.base import PlanningContext, Seatings, check_numbers, count_matches, count_rounds, seatings_of


@dataclass(frozen=True, slots=True)
class Gauntlet:
    """A night with the challenger in every match; the other seats are planned as a round robin of one seat less.

    Therefore the numbers of encounters of the other bots never differ by more than 1 at a seat count. With three seats
    or more, no two of them meet more often than `pair_bound` of one seat less.
    """

    seat_counts: tuple[int, ...]
    challenger: int
    """Version id of the challenger."""
    encounters: int | None = None
    """Encounters of each other bot at each seat count; None plays every set of other bots once."""
    repeat: bool = True
    seatings: Seatings = "rotations"

    takes_newcomers = True
    looks_at_results = False

    def rounds(self, context: PlanningContext) -> Iterator[list[PlannedMatch]]:
        """Return the rounds of the night; it ends if the challenger leaves.

        Raises `UsageError` if the challenger is not an entrant.
        """
        others = [version for version in context.entrants(0) if version != self.challenger]
        if len(others) == len(context.entrants(0)):
            raise UsageError("the challenger of a gauntlet must be entered in the league")
        check_numbers(self.seat_counts, len(others) + 1, self.encounters)
        planning_rng(context.night_seed, "entrants").shuffle(others)
        circle = Circle(others)
        slices = [
            Sets(
                seats - 1,
                self._wanted(seats, len(others)),
                circle,
                # The plans of all nights depend on this label, so it must never change.
                planning_rng(context.night_seed, f"blocks:{seats}"),
            )
            for seats in self.seat_counts
        ]
        return rounds_of_sets(context, circle, slices, self.seatings, (self.challenger,))

    def matches_ahead(self, entrants: int) -> int:
        """Return the exact number: the sets of other bots at every seat count, times their seatings."""
        others = entrants - 1
        return sum(
            seatings_of(seats, self.seatings) * sets_ahead(seats - 1, others, self._wanted(seats, others))
            for seats in self.seat_counts
        )

    def matches_in_all(self, context: PlanningContext, complete: int) -> int:
        """Return the number of matches: an estimate if the entrants of a huge night changed, exact otherwise."""
        return count_matches(self, context, complete)

    def rounds_ahead(self, entrants: int) -> int:
        """Return the exact number, by planning the night."""
        from_nobody = Gauntlet(self.seat_counts, 0, self.encounters, self.repeat, self.seatings)
        return count_rounds(from_nobody, entrants)

    def _wanted(self, seats: int, others: int) -> int:
        whole = all_encounters(seats - 1, others)
        if self.encounters is None:
            return whole
        # At two seats each other bot has only one set, itself against the challenger: it is played repeatedly.
        return self.encounters if self.repeat or seats == 2 else min(self.encounters, whole)
