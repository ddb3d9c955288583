"""Gauntlet: one bot, the challenger, meets each of the rest; the rest do not meet without it."""

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
    """The challenger is in every match; with it the others sit as a round robin of one seat less would seat them.

    So the others' encounters never differ by more than 1 at a seat count, and at three seats and more none of them
    meets another more often than `pair_bound` of one seat less.
    """

    seat_counts: tuple[int, ...]
    challenger: int
    """Version id."""
    encounters: int | None = None
    """Of each of the others at each seat count; None is every set of them once."""
    repeat: bool = True
    seatings: Seatings = "rotations"

    takes_newcomers = True
    looks_at_results = False

    def rounds(self, context: PlanningContext) -> Iterator[list[PlannedMatch]]:
        """The rounds of the night; it ends when the challenger leaves. Raises `UsageError` where it is not there."""
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
        """Exact: the sets of the others at every seat count, times their seatings."""
        others = entrants - 1
        return sum(
            seatings_of(seats, self.seatings) * sets_ahead(seats - 1, others, self._wanted(seats, others))
            for seats in self.seat_counts
        )

    def matches_in_all(self, context: PlanningContext, complete: int) -> int:
        """Exact but in huge nights whose field has changed."""
        return count_matches(self, context, complete)

    def rounds_ahead(self, entrants: int) -> int:
        """Exact: what planning comes to."""
        from_nobody = Gauntlet(self.seat_counts, 0, self.encounters, self.repeat, self.seatings)
        return count_rounds(from_nobody, entrants)

    def _wanted(self, seats: int, others: int) -> int:
        whole = all_encounters(seats - 1, others)
        if self.encounters is None:
            return whole
        # Alone against the challenger there is one set only; that is what is played again and again.
        return self.encounters if self.repeat or seats == 2 else min(self.encounters, whole)
