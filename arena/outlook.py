"""What a stored night comes to: how many matches it has in all, as far as can be said before it is over."""

from __future__ import annotations

from functools import partial

from arena.errors import NightError
from arena.roster import of_round
from arena.schedules.base import PlanningContext, Schedule
from arena.schedules.plan import NightPlan
from arena.store.store import Store
from arena.store.values import Night, NightCounts, NightState


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
