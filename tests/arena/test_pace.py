"""Promises of how long a night is expected to take: as long as the last one, and at least its bots' turns."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from arena.night import resume_night, run_night
from arena.pace import Pace
from arena.store import MatchFilter, Store
from tests.arena.databases import place
from tests.arena.made_up_night import MOMENT, PLAN, RATING, RULES, SEED, hand_in_all, names, venue

pytestmark = pytest.mark.usefixtures("database")


class Clock:
    """A clock of the store that goes on by five seconds whenever it is looked at."""

    def __init__(self) -> None:
        self.late_s = 0

    def __call__(self) -> datetime:
        self.late_s += 5
        return MOMENT + timedelta(seconds=self.late_s)


def test_the_playing_time_of_a_night_leaves_out_when_it_stood_still(tmp_path: Path) -> None:
    """All matches are counted by their seats; an hour between stop and resume is not."""
    clock = Clock()
    with Store.open(place(tmp_path), now=clock) as store:
        hand_in_all(store, names(6))
        store.keep_league(RULES, RATING)
        assert store.playing_time(RULES.name) == ({}, 0.0)
        began_s = clock.late_s
        stopping = replace(venue(store, tmp_path), left_s=iter([1e9, 1e9, -1.0]).__next__)
        assert not run_night(stopping, RULES, RATING, PLAN, SEED).finished
        clock.late_s += 3600
        assert resume_night(venue(store, tmp_path), RULES.name).finished
        matches, wall_s = store.playing_time(RULES.name)
        assert sum(matches.values()) == store.count_matches(MatchFilter(league=RULES.name))
        assert set(matches) == {2, 3}
        assert 0 < wall_s <= clock.late_s - began_s - 3600


def test_a_forecast_holds_what_is_not_thinking() -> None:
    """Start-ups and the arena's own time are in the last night's; one that was too short to tell counts for nothing,
    and none makes a match shorter than its turns."""
    means = {2: 0.1}
    assert Pace(means).expected_s({2: 60}, 2) == pytest.approx(3.0)
    assert Pace(means, ({2: 120}, 26.0), workers=2).expected_s({2: 60}, 2) == pytest.approx(13.0)
    assert Pace(means, ({2: 120}, 2.0), workers=2).expected_s({2: 60}, 2) == pytest.approx(3.0)
    assert Pace(means, ({2: 120}, 5.0), workers=2).expected_s({2: 60}, 2) == pytest.approx(3.0)
    of_its_own = Pace(means, ({2: 120}, 26.0), workers=2)
    of_its_own.took({2: 10}, wall_s=4.0, workers=2)
    assert of_its_own.expected_s({2: 10}, 2) == pytest.approx(4.0)
    assert Pace({}, ({}, 0.0), workers=2).expected_s({2: 60}, 2) is None
