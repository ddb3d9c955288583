"""Plan the rounds of a night, predict the next round, and count the complete rounds."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from arena.errors import NightError
from arena.model.records import PlannedMatch
from arena.night.entrants import of_round
from arena.schedules.base import PlanningContext, Schedule
from arena.schedules.plan import NightPlan
from arena.store.store import Store
from arena.store.values import Night, NightCounts, NightState


class Rounds:
    """Generate the plan round by round. It is a pure function of stored values, so it can be generated again."""

    def __init__(self, schedule: Schedule, context: PlanningContext) -> None:
        self._schedule = schedule
        self._context = context
        self._plan: Iterator[list[PlannedMatch]] | None = None
        self._ahead: tuple[list[int], list[PlannedMatch]] | None = None
        """A round that was planned early, with the entrants that it was planned for."""

    def plan(self, number: int) -> list[PlannedMatch]:
        """Return the matches of a round whose earlier rounds are all played; empty if the night has no more rounds."""
        if self._ahead is not None:
            entrants, matches = self._ahead
            self._ahead = None
            if entrants == list(self._context.entrants(number)):
                return matches
            self._plan = None  # an entrant left or joined
        if self._plan is None:
            self._plan = self._schedule.rounds(self._context)
            # Skip the rounds that were planned before.
            for _ in range(number):
                next(self._plan, None)
        return next(self._plan, [])

    def foresee(self, number: int) -> list[PlannedMatch]:
        """Return what `plan` will return for this next round, if no entrant leaves or joins until then.

        The list is empty if the schedule depends on results.
        """
        if self._schedule.looks_at_results:
            return []
        if self._ahead is None:
            self._ahead = list(self._context.entrants(number)), self.plan(number)
        return self._ahead[1]


def expected_matches(store: Store, night: Night, counts: NightCounts) -> int:
    """Return the number of matches that a finished night had, or that an open night will have.

    As in `matches_in_all`, this assumes that no entrant leaves from now on, and that no pairing of a knockout is tied.
    """
    known = counts.played + counts.parked + counts.planned
    if night.state is not NightState.OPEN:
        return known
    try:
        schedule = NightPlan.from_json(night.plan).make_schedule()
    except NightError:  # the plan is from another version of the arena, but the night can still be listed
        return known
    return matches_in_all(schedule, planning_context(store, night), counts)


def matches_in_all(schedule: Schedule, context: PlanningContext, counts: NightCounts) -> int:
    """Return the number of matches that the schedule expects, but at least the number that is already planned."""
    known = counts.played + counts.parked + counts.planned
    return max(known, schedule.matches_in_all(context, complete_rounds(counts)))


def complete_rounds(counts: NightCounts) -> int:
    """Return the number of rounds without unplayed matches, which is also the number of the next round."""
    return counts.rounds - (counts.planned > 0)


def planning_context(store: Store, night: Night) -> PlanningContext:
    """Return the entrants of the rounds of a stored night, and their results, for planning."""
    entrants = store.entrants(night)
    return PlanningContext(night.seed, partial(of_round, entrants), partial(store.round_results, night))
