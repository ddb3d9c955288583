"""Time of a seat: the rule (`TimeControl`), what one seat has left (`Clock`), and what one turn took (`TurnTimes`).

Pure arithmetic: nothing here reads a clock.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, NamedTuple

from arena.errors import Cause, SettingsError

MARGIN_S: Final = 0.010
"""Grace over every limit for the noise of measuring; it is never charged."""

_CONTROL = re.compile(r"(\d{1,6}(?:\.\d{1,3})?)\+(\d{1,6}(?:\.\d{1,3})?)/(\d{1,6}(?:\.\d{1,3})?)", re.ASCII)


@dataclass(frozen=True, slots=True)
class TimeControl:
    """How much time a seat gets: `base_s` for the match, `increment_s` more after each turn, `cap_s` for one turn.

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
        """The control written as `BASE+INCREMENT/CAP`, seconds with at most three decimals.

        Raises `SettingsError` for any other text, and for a base or cap of zero: no bot could answer in it.
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
        """The three durations in whole milliseconds, as `hello` carries them."""
        return {
            "base_ms": round(self.base_s * 1000),
            "increment_ms": round(self.increment_s * 1000),
            "cap_ms": round(self.cap_s * 1000),
        }


class Clock:
    """One seat's time in one match.

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
        """The cap of one turn in whole milliseconds, as bots are told."""

    @property
    def limit_s(self) -> float:
        """The most that the next turn may be charged: what is left, but never more than the cap."""
        remaining_s, cap_s = self.remaining_s, self._cap_s
        return remaining_s if remaining_s < cap_s else cap_s

    @property
    def late_cause(self) -> Cause:
        """What a late answer to the next turn would be: the clock ran out, or the turn took longer than one may."""
        return Cause.CLOCK_EXHAUSTED if self.remaining_s <= self._cap_s else Cause.TURN_LATE

    @property
    def remaining_ms(self) -> int:
        """What is left in whole milliseconds, rounded down, as bots are told."""
        return int(self.remaining_s * 1000 + 1e-6)

    def charge(self, charged_s: float) -> None:
        """Take the charged time of one turn off and add the increment; what lay within the margin costs nothing."""
        limit_s = self.limit_s
        used_s = limit_s if charged_s > limit_s else max(charged_s, 0.0)
        self.remaining_s = self.remaining_s - used_s + self.control.increment_s


class TurnTimes(NamedTuple):
    """What one turn took, in seconds, with the evidence by which the bot was excused.

    A tuple, since one is made every turn: a frozen dataclass takes twice as long.
    """

    wall_s: float
    """From the whole message in the pipe (or the first refused write) to the whole answer out of it; and what processor
    time the bot was found to use after its last answer, when it should have stood still."""
    excused_s: float = 0.0
    """How long the bot wanted the core and others held it."""
    cpu_s: float = 0.0
    """Processor time that the bot's main process used, all its threads together."""
    latency_s: float = 0.0
    """What the arena added: from being asked to the clock's start, and from the answer to the frozen bot."""
    evidence: str = "none"
    """Where `excused_s` comes from: `pressure` (cgroup), `schedstat`, `none`."""

    @property
    def charged_s(self) -> float:
        """What the clock is charged."""
        return max(self.wall_s - self.excused_s, 0.0)
