"""The time limits of a night: `--until` a time of day, `--budget` a duration."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

import click

if TYPE_CHECKING:
    from arena.cli.app import App

    TimeType = click.ParamType[datetime]
    DurationType = click.ParamType[float]
else:  # older releases of click have no type arguments
    TimeType = DurationType = click.ParamType

_UNITS_S: Final = {"h": 3600, "m": 60, "min": 60, "s": 1}
_PART: Final = re.compile(r"(\d+(?:\.\d+)?)\s*(h|min|m|s)")


class TimeOfDay(TimeType):
    """The next occurrence of a time of day, in local time."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        """Return the time `22:00` of today, or of tomorrow if it has passed."""
        found = re.fullmatch(r"([01]?\d|2[0-3]):([0-5]\d)", str(value).strip())
        if found is None:
            self.fail(f"expected a time of day such as 22:00, got {value!r}", param, ctx)
        at, remark = next_time(datetime.now().timestamp(), int(found[1]), int(found[2]))
        if remark:
            click.echo(remark, err=True)
        return at


def next_time(now_s: float, hour: int, minute: int) -> tuple[datetime, str]:
    """Return the next moment after `now_s` (seconds since 1970) at which local clocks show this time of day.

    The second value is a sentence for the user on a day on which the clocks change, and empty otherwise. A time that
    the clocks skip is taken as if they did not change: 02:30 is one hour after 01:30. Of a time that comes twice, the
    next one is taken.
    """
    today = datetime.fromtimestamp(now_s)
    for days in range(3):
        day = today + timedelta(days=days)
        wanted = day.replace(hour=hour, minute=minute, second=0, microsecond=0)
        # `fold` selects the first or the second of two equal local times; only then do the two differ.
        both = [datetime.fromtimestamp(wanted.replace(fold=fold).timestamp()).astimezone() for fold in (0, 1)]
        shown = [moment for moment in both if (moment.hour, moment.minute) == (hour, minute)] or both[:1]
        for moment in shown:
            if moment.timestamp() > now_s:
                asked = f"{hour:02}:{minute:02}"
                if (moment.hour, moment.minute) != (hour, minute):
                    return moment, f"the clocks skip {asked} that day: it means {moment:%H:%M} (UTC{moment:%z})"
                if both[0] != both[1]:
                    return moment, f"the clocks show {asked} twice that day: it means the one of UTC{moment:%z}"
                return moment, ""
    raise AssertionError("no time of day in three days")


class Duration(DurationType):
    """A duration in seconds."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the seconds of a string such as `2h`, `90m`, `1h30m` or `45s`."""
        text = str(value).strip().lower()
        parts = _PART.findall(text)
        seconds = sum(float(number) * _UNITS_S[unit] for number, unit in parts)
        if _PART.sub("", text).strip() or seconds <= 0:
            self.fail(f"expected a duration such as 2h, 90m or 1h30m, got {value!r}", param, ctx)
        return seconds


def time_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options `--until` and `--budget`."""
    for option in (
        click.option("--budget", "budget_s", type=Duration(), metavar="DURATION",
                     help="Start no round that would end after this duration from now, such as 2h or 90m."),
        click.option("--until", type=TimeOfDay(), metavar="TIME",
                     help="Start no round that would end after this time of day, such as 22:00 (local time, today "
                          "or tomorrow)."),
    ):  # fmt: skip
        function = option(function)
    return function


def tell_tomorrow(app: App, until: datetime | None) -> None:
    """Print a note if the time of day has already passed, so that tomorrow is meant."""
    now = datetime.now().astimezone()
    if until is not None and until.date() > now.date():
        app.note(f"until tomorrow {until:%H:%M}: it is {now:%H:%M} already (local time)")


def time_left(until: datetime | None, budget_s: float | None) -> Callable[[], float] | None:
    """Return a function that gives the seconds left at each call; None if there is no limit.

    A time of day follows the clock of the host, even if that clock is set during the night; a budget does not.
    """
    limits: list[Callable[[], float]] = []
    if until is not None:
        limits.append(lambda: until.timestamp() - time.time())
    if budget_s is not None:
        end = time.monotonic() + budget_s
        limits.append(lambda: end - time.monotonic())
    return (lambda: min(limit() for limit in limits)) if limits else None
