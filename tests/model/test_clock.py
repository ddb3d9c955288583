"""Tests of time: the form of a time control, the charge of a turn, and when a seat is late."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import SettingsError
from arena.model.causes import Cause
from arena.model.clock import MARGIN_S, Clock, TimeControl, TurnTimes

MILLISECONDS = st.integers(0, 999_999_999).map(lambda count: count / 1000)


@pytest.mark.parametrize("text", ["10+0.1/2", "300+0/300", "0.5+0.001/0.05", "123456.789+1/2"])
def test_a_control_is_written_as_it_was_read(text: str) -> None:
    """`str` gives back what `parse` took."""
    assert str(TimeControl.parse(text)) == text


@given(base=MILLISECONDS.filter(bool), increment=MILLISECONDS, cap=MILLISECONDS.filter(bool))
def test_every_control_survives_writing(base: float, increment: float, cap: float) -> None:
    """Any control in whole milliseconds is read back exactly."""
    control = TimeControl(base, increment, cap)
    assert TimeControl.parse(str(control)) == control


@pytest.mark.parametrize(
    "text", ["", "10", "10+0.1", "10/2", "-1+0/2", "10+0.1/2s", "1e3+0/2", "10+0.1/0", "0+1/2", "10+0.0001/2", "١+0/2"]
)
def test_an_unreadable_control_names_what_was_expected(text: str) -> None:
    """Anything but three plain durations, or a base or cap of nothing, is a setting error in one sentence."""
    with pytest.raises(SettingsError, match="expected"):
        TimeControl.parse(text)


def test_the_wire_carries_whole_milliseconds() -> None:
    """`hello` tells the control in integers."""
    assert TimeControl.parse("10+0.1/2").on_the_wire == {"base_ms": 10_000, "increment_ms": 100, "cap_ms": 2_000}


def test_the_limit_is_what_is_left_but_never_more_than_the_cap() -> None:
    """The cap bounds a turn while the clock is full, the clock does later; the increment comes after the turn."""
    clock = Clock(TimeControl.parse("3+0.5/2"))
    assert (clock.limit_s, clock.late_cause) == (2.0, Cause.TURN_LATE)
    clock.charge(2.0)
    assert clock.remaining_s == pytest.approx(1.5)
    assert clock.limit_s == pytest.approx(1.5)
    assert clock.late_cause is Cause.CLOCK_EXHAUSTED


def test_the_margin_is_never_charged() -> None:
    """A turn that took its limit and a bit of the margin costs its limit, so the clock never falls below nothing."""
    clock = Clock(TimeControl.parse("1+0/5"))
    clock.charge(1.0 + MARGIN_S / 2)
    assert clock.remaining_s == 0.0


def test_a_turn_never_gives_time_back() -> None:
    """Noise of measuring that makes a turn negative is a turn of no time."""
    clock = Clock(TimeControl.parse("1+0.25/5"))
    clock.charge(-0.5)
    assert clock.remaining_s == 1.25


def test_remaining_time_is_told_rounded_down() -> None:
    """A bot is never told that it has more time than it has."""
    clock = Clock(TimeControl.parse("10+0/2"))
    clock.charge(0.0004)
    assert clock.remaining_ms == 9_999
    assert clock.cap_ms == 2_000


def test_excused_time_is_not_charged() -> None:
    """Charged is wall time less what is excused, and never below nothing."""
    assert TurnTimes(wall_s=0.5, excused_s=0.2).charged_s == pytest.approx(0.3)
    assert TurnTimes(wall_s=0.1, excused_s=0.2).charged_s == 0.0
