"""Tests of the plan of a night: a plan that cannot be played is refused before its night exists."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.errors import ArenaError, NightError, UsageError
from arena.night.runner import run_night
from arena.schedules.plan import SCHEDULES, NightPlan
from arena.store.store import Store
from tests.support.made_up_night import RATING, RULES, SEED, hand_in_all, names, open_store, venue


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path) as opened:
        hand_in_all(opened, names(6))
        yield opened


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (NightPlan((4,), schedule="knockout"), "a knockout is played at two seats, and this night would have 4"),
        (NightPlan((3, 4), schedule="knockout"), "would have 3 or 4"),
        (NightPlan((2,), schedule="knockout", seatings="all"), "takes no --seatings all"),
        (NightPlan((6,), seatings="all"), "expected at most 5 seats"),
        (NightPlan((2,), schedule="gauntlet"), "needs a challenger"),
        (NightPlan((2,), schedule="gauntlet", challenger=99_999), "must be entered"),
        (NightPlan((2,), encounters=-1), "must be at least 1"),
        (NightPlan((7, 8)), "needs at least 7 bots"),
        (NightPlan(()), "needs at least 2 bots"),
        *((NightPlan((1,), schedule=name, encounters=2), "seats") for name in SCHEDULES if name != "gauntlet"),
    ],
)
def test_a_plan_that_cannot_be_played_begins_no_night(
    store: Store, tmp_path: Path, plan: NightPlan, message: str
) -> None:
    """The league stays free for another night."""
    with pytest.raises(ArenaError, match=message):
        run_night(venue(store, tmp_path), RULES, RATING, plan, SEED)
    assert store.nights() == []


@pytest.mark.parametrize("bots", range(2, 9))
def test_what_fits_can_be_planned(bots: int) -> None:
    """A plan that `fit` and `check` let pass gives its first round, for every schedule and field."""
    from arena.schedules.base import PlanningContext

    entrants = list(range(bots))
    planned = 0
    for name in SCHEDULES:
        for seats in ((2,), (3,), (2, 4), (4, 5)):
            try:
                plan = NightPlan(seats, schedule=name, challenger=0 if name == "gauntlet" else None).fit(bots)
                plan.check(entrants)
            except (NightError, UsageError):
                continue
            assert next(plan.make_schedule().rounds(PlanningContext.fixed(SEED, entrants)))
            planned += 1
    assert planned >= len(SCHEDULES)
