"""The rounds of a night: planned, foreseen, and counted as far as they are complete."""

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
    """Plans rounds lazily. The plan is a pure function of what is stored, so it can be made again at any time."""

    def __init__(self, schedule: Schedule, field: PlanningContext) -> None:
        self._schedule = schedule
        self._field = field
        self._plan: Iterator[list[PlannedMatch]] | None = None
        self._ahead: tuple[list[int], list[PlannedMatch]] | None = None
        """A round that was planned before its time, with the entrants that it was planned for."""

    def plan(self, number: int) -> list[PlannedMatch]:
        """The matches of the round of that number; all before it are played. Empty when the night has no more."""
        if self._ahead is not None:
            entrants, matches = self._ahead
            self._ahead = None
            if entrants == list(self._field.entrants(number)):
                return matches
            self._plan = None  # somebody left or came
        if self._plan is None:
            self._plan = self._schedule.rounds(self._field)
            # What was planned before comes out again, and is dropped.
            for _ in range(number):
                next(self._plan, None)
        return next(self._plan, [])

    def foresee(self, number: int) -> list[PlannedMatch]:
        """What `plan` will give for the round after the one that is being played, if nobody leaves or comes till then.

        Empty where the schedule waits for results.
        """
        if self._schedule.looks_at_results:
            return []
        if self._ahead is None:
            self._ahead = list(self._field.entrants(number)), self.plan(number)
        return self._ahead[1]


def expected_matches(store: Store, night: Night, counts: NightCounts) -> int:
    """The matches of a night: of one that is over those it had, of an open one those it will have.

    As `matches_in_all`: if from now on nobody leaves, and no pairing of a knockout stands level.
    """
    known = counts.played + counts.parked + counts.planned
    if night.state is not NightState.OPEN:
        return known
    try:
        schedule = NightPlan.from_json(night.plan).make_schedule()
    except NightError:  # of another version of the arena: it is listed all the same
        return known
    return matches_in_all(schedule, night_field(store, night), counts)


def matches_in_all(schedule: Schedule, field: PlanningContext, counts: NightCounts) -> int:
    """What the schedule expects, and never less than what is planned already."""
    known = counts.played + counts.parked + counts.planned
    return max(known, schedule.matches_in_all(field, complete_rounds(counts)))


def complete_rounds(counts: NightCounts) -> int:
    """So many rounds have no match to be played any more; also the number of the round that is played next."""
    return counts.rounds - (counts.planned > 0)


def night_field(store: Store, night: Night) -> PlanningContext:
    """Who takes part in the rounds of a stored night, and what came out."""
    entrants = store.entrants(night)
    return PlanningContext(night.seed, partial(of_round, entrants), partial(store.round_results, night))
