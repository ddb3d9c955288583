"""The rounds of a night in turn, as its schedule plans them; and a look at the next one while a round is played."""

from __future__ import annotations

from collections.abc import Iterator

from arena.model.records import PlannedMatch
from arena.schedules.base import PlanningContext, Schedule


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
