"""The time of a seat: the rule (`TimeControl`), the time left (`Clock`), and the times of one turn (`TurnTimes`).

This module is pure arithmetic: it never reads a clock.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, NamedTuple

from arena.errors import SettingsError
from arena.model.causes import Cause

MARGIN_S: Final = 0.010
"""Tolerance above every limit, for measurement noise. It is never charged."""

_CONTROL = re.compile(r"(\d{1,6}(?:\.\d{1,3})?)\+(\d{1,6}(?:\.\d{1,3})?)/(\d{1,6}(?:\.\d{1,3})?)", re.ASCII)


@dataclass(frozen=True, slots=True)
class TimeControl:
    """The time that a seat gets: `base_s` for the match, `increment_s` more after each turn, `cap_s` for one turn.

    >>> control = TimeControl.parse("10+0.1/2")
    >>> control.base_s, control.increment_s, control.cap_s
    (10.0, 0.1, 2.0)
    >>> str(control)
    '10+0.1/2'
    """

    base_s: float
    increment_s: float
    cap_s: float

    @classmethod
    def parse(cls, text: str) -> TimeControl:
        """Return the time control that is written as `BASE+INCREMENT/CAP`, in seconds with at most three decimals.

        Raises `SettingsError` for any other text, and for a base or cap of zero, because no bot could answer in time.
        """
        found = _CONTROL.fullmatch(text.strip())
        if found is None:
            raise SettingsError(
                f"cannot read the time control {text!r}: expected BASE+INCREMENT/CAP in seconds, for example 10+0.1/2"
            )
        base_s, increment_s, cap_s = map(float, found.groups())
        if not base_s or not cap_s:
            raise SettingsError(
                f"time control {text!r}: expected a base and a cap above 0, got {base_s:g} and {cap_s:g}"
            )
        return cls(base_s, increment_s, cap_s)

    def __str__(self) -> str:
        return f"{self.base_s:.10g}+{self.increment_s:.10g}/{self.cap_s:.10g}"

    @property
    def on_the_wire(self) -> dict[str, int]:
        """Return the three durations in whole milliseconds, as `hello` contains them."""
        return {
            "base_ms": round(self.base_s * 1000),
            "increment_ms": round(self.increment_s * 1000),
            "cap_ms": round(self.cap_s * 1000),
        }


class Clock:
    """The remaining time of one seat in one match.

    >>> clock = Clock(TimeControl.parse("3+0.5/2"))
    >>> clock.limit_s
    2.0
    >>> clock.charge(1.75)
    >>> clock.remaining_s, clock.limit_s, clock.late_cause
    (1.75, 1.75, <Cause.CLOCK_EXHAUSTED: 'clock_exhausted'>)
    """

    __slots__ = ("_cap_s", "cap_ms", "control", "remaining_s")

    def __init__(self, control: TimeControl) -> None:
        self.control = control
        self.remaining_s = control.base_s
        self._cap_s = control.cap_s
        self.cap_ms = round(control.cap_s * 1000)
        """The cap of one turn in whole milliseconds, as it is sent to the bot."""

    @property
    def limit_s(self) -> float:
        """Return the most that the next turn may be charged: the time left, but never more than the cap."""
        remaining_s, cap_s = self.remaining_s, self._cap_s
        return remaining_s if remaining_s < cap_s else cap_s

    @property
    def late_cause(self) -> Cause:
        """Return the cause of a late answer to the next turn: the clock runs out, or the turn exceeds the cap."""
        return Cause.CLOCK_EXHAUSTED if self.remaining_s <= self._cap_s else Cause.TURN_LATE

    @property
    def remaining_ms(self) -> int:
        """Return the time left in whole milliseconds, rounded down, as it is sent to the bot."""
        return int(self.remaining_s * 1000 + 1e-6)

    def charge(self, charged_s: float) -> None:
        """Subtract the charged time of one turn, and add the increment. Time above the limit (the margin) is free."""
        limit_s = self.limit_s
        used_s = limit_s if charged_s > limit_s else max(charged_s, 0.0)
        self.remaining_s = self.remaining_s - used_s + self.control.increment_s


class TurnTimes(NamedTuple):
    """The times of one turn, in seconds, with the source of the excused time.

    This is a tuple because one is created every turn, and a frozen dataclass takes twice as long to create.
    """

    wall_s: float
    """Wall time from the complete message in the pipe (or the first refused write) to the complete answer.

    It includes the CPU time that the bot used after its last answer, when it should have been frozen."""
    excused_s: float = 0.0
    """Time in which the bot waited for the CPU while other programs used it."""
    cpu_s: float = 0.0
    """CPU time of the bot's main process, with all its threads."""
    latency_s: float = 0.0
    """Time that the arena added: from the call to the start of the clock, and from the answer to the frozen bot."""
    evidence: str = "none"
    """Source of `excused_s`: `pressure` (cgroup), `schedstat` or `none`."""

    @property
    def charged_s(self) -> float:
        """Return the time that the clock is charged: wall time minus excused time."""
        return max(self.wall_s - self.excused_s, 0.0)
