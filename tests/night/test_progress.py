"""Tests of the expected duration of a night: estimated from the last night, at least the time of the bots' turns."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from arena.night.progress import Pace
from arena.night.runner import resume_night, run_night
from arena.store.store import Store
from arena.store.values import MatchFilter, PlayingTime
from tests.support.databases import place
from tests.support.made_up_night import MOMENT, PLAN, RATING, RULES, SEED, hand_in_all, names, venue

pytestmark = pytest.mark.usefixtures("database")


class Clock:
    """A clock of the store that goes on by five seconds whenever it is looked at, or by as many as are set."""

    def __init__(self) -> None:
        self.late_s = 0
        self.step_s = 5

    def __call__(self) -> datetime:
        self.late_s += self.step_s
        return MOMENT + timedelta(seconds=self.late_s)


def test_the_playing_time_of_a_night_leaves_out_when_it_stood_still(tmp_path: Path) -> None:
    """All matches are counted by their seats; an hour between stop and resume is not."""
    clock = Clock()
    with Store.open(place(tmp_path), now=clock) as store:
        hand_in_all(store, names(6))
        store.keep_league(RULES, RATING)
        assert store.playing_times(RULES.name) == []
        began_s = clock.late_s
        stopping = replace(venue(store, tmp_path), left_s=iter([1e9, 1e9, -1.0]).__next__)
        assert not run_night(stopping, RULES, RATING, PLAN, SEED).finished
        clock.late_s += 3600
        assert resume_night(venue(store, tmp_path), RULES.name).finished
        (night,) = store.playing_times(RULES.name)
        assert sum(night.matches.values()) == store.count_matches(MatchFilter(league=RULES.name))
        assert set(night.matches) == {2, 3}
        assert 0 < night.wall_s <= clock.late_s - began_s - 3600


def test_a_night_that_was_too_short_to_tell_does_not_hide_the_one_before(tmp_path: Path) -> None:
    """The expectation is that of the newest night that says something, and names it."""
    clock = Clock()
    with Store.open(place(tmp_path), now=clock) as store:
        hand_in_all(store, names(6))
        for number, step_s in enumerate((5, 5, 0)):
            clock.step_s = step_s
            run_night(venue(store, tmp_path), RULES, RATING, PLAN, SEED + bytes([number]))
        short, telling = store.playing_times(RULES.name)
        assert (short.night, short.wall_s) == (3, 0.0)
        assert telling.night == 2 and telling.wall_s >= 5
        pace = Pace(dict.fromkeys(RULES.seats, 0.001), [short, telling])
        assert pace.basis is not None and pace.basis.nights == (2,)
        assert pace.expected_s(telling.matches, workers=1) == pytest.approx(telling.wall_s)


def test_a_forecast_holds_what_is_not_thinking() -> None:
    """Start-ups and the arena's own time are in the nights that were played; what was too short to tell counts for
    nothing, unless together it does, and nothing makes a match shorter than its turns."""
    means = {2: 0.1}

    def expected_s(*walls_s: float) -> float | None:
        nights = [PlayingTime(number, {2: 120}, wall_s) for number, wall_s in enumerate(walls_s)]
        return Pace(means, nights, workers=2).expected_s({2: 60}, 2)

    assert expected_s() == pytest.approx(3.0)
    assert expected_s(26.0) == expected_s(26.0, 100.0) == expected_s(2.0, 26.0) == pytest.approx(13.0)
    assert expected_s(2.0) == pytest.approx(3.0)
    assert expected_s(*[2.5] * 8) == pytest.approx(3.0)
    assert Pace({2: 0.01}, [PlayingTime(2, {2: 6}, 2.0), PlayingTime(1, {2: 4}, 2.0)]).expected_s({2: 100}, 1) == 40.0
    assert expected_s(5.0) == pytest.approx(3.0)
    of_its_own = Pace(means, [PlayingTime(1, {2: 120}, 26.0)], workers=2)
    of_its_own.took({2: 10}, wall_s=4.0, workers=2)
    assert of_its_own.expected_s({2: 10}, 2) == pytest.approx(4.0)
    assert Pace({}, workers=2).expected_s({2: 60}, 2) is None
