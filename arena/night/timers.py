"""When a league night begins by itself: lines for systemd and for cron. Nothing is installed here, only written."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.config.settings import ENVIRONMENT_KEYS, ENVIRONMENT_PREFIX
from arena.errors import UsageError

DAYS: Final = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")
_NOT_OF_A_NIGHT: Final = ("author", "color")
"""Settings that change neither what a night plays nor where it is stored."""
_WHEN: Final = re.compile(r"(?:(?P<days>[A-Z]{3}(?:,[A-Z]{3})*|DAILY) +)?(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)")


@dataclass(frozen=True, slots=True)
class Weekly:
    """Days of the week and a time of day, in the local time of the host.

    >>> Weekly.parse("fri 20:00")
    Weekly(days=('FRI',), hour=20, minute=0)
    >>> Weekly.parse("20:30").calendar, Weekly.parse("MON,THU 7:05").calendar
    ('*-*-* 20:30:00', 'Mon,Thu *-*-* 07:05:00')
    >>> Weekly.parse("SUN,FRI 20:00").cron
    '0 20 * * 5,0'
    """

    days: tuple[str, ...]
    """Empty for every day."""
    hour: int
    minute: int

    @classmethod
    def parse(cls, text: str) -> Weekly:
        """`FRI 20:00`, `MON,THU 7:05`, `DAILY 20:00` or `20:00`. Raises `UsageError`."""
        found = _WHEN.fullmatch(" ".join(text.upper().split()))
        named = found["days"].split(",") if found and found["days"] and found["days"] != "DAILY" else []
        if found is None or not set(named) <= set(DAYS):
            raise UsageError(f"{text!r} is no time of a week: expected for example 'FRI 20:00' or 'MON,THU 19:30'")
        return cls(tuple(day for day in DAYS if day in named), int(found["hour"]), int(found["minute"]))

    @property
    def calendar(self) -> str:
        """As systemd writes it."""
        days = ",".join(day.capitalize() for day in self.days)
        return f"{days} *-*-* {self.hour:02}:{self.minute:02}:00".lstrip()

    @property
    def cron(self) -> str:
        """The five fields of a crontab line."""
        days = ",".join(str((DAYS.index(day) + 1) % 7) for day in self.days)
        return f"{self.minute} {self.hour} * * {days or '*'}"


@dataclass(frozen=True, slots=True)
class Timer:
    """A command that runs at times of the week."""

    league: str
    when: Weekly
    command: Sequence[str]
    environment: Mapping[str, str]
    """What it needs of the environment: home, database, settings of a night."""
    folder: Path
    """Where it runs: `arena.toml` is looked for from there."""

    @property
    def name(self) -> str:
        """Of both units."""
        return f"arena-{self.league}"

    @property
    def service(self) -> str:
        """The unit that plays the night."""
        environment = "".join(f"Environment={_unit_word(f'{n}={value}')}\n" for n, value in self.environment.items())
        # Only in a command a dollar sign stands for a variable.
        command = " ".join(_unit_word(word).replace("$", "$$") for word in self.command)
        return (
            f"[Unit]\nDescription=League night of {self.league}\n\n"
            f"[Service]\nType=oneshot\nWorkingDirectory={_unit(self.folder)}\n"
            f"{environment}ExecStart={command}\n"
            # As Ctrl-C twice: `arena night resume` goes on.
            "KillMode=mixed\n"
        )

    @property
    def timer(self) -> str:
        """The unit that says when."""
        return (
            f"[Unit]\nDescription=When the league night of {self.league} begins\n\n"
            f"[Timer]\nOnCalendar={self.when.calendar}\n\n[Install]\nWantedBy=timers.target\n"
        )

    @property
    def crontab(self) -> str:
        """The same as one line of a crontab."""
        variables = [f"{name}={shlex.quote(value)}" for name, value in self.environment.items()]
        words = " ".join([*variables, *map(shlex.quote, self.command)])
        line = f"cd {shlex.quote(str(self.folder))} && {words}"
        return f"{self.when.cron} {line}".replace("%", "\\%")


def settings_of_a_night(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables of settings, by name, that change what a night does; home and database are not among them.

    >>> settings_of_a_night({"ARENA_WORKERS": "2", "ARENA_COLOR": "never", "PATH": "/bin"})
    {'ARENA_WORKERS': '2'}
    """
    keys = [key for key in ENVIRONMENT_KEYS if key != "database_url" and key not in _NOT_OF_A_NIGHT]
    names = [f"{ENVIRONMENT_PREFIX}{key.upper()}" for key in keys]
    return {name: environment[name] for name in names if name in environment}


def _unit(value: object) -> str:
    """A value in which systemd reads nothing special."""
    return str(value).replace("%", "%%")


def _unit_word(word: str) -> str:
    r"""A word of a list in a unit.

    >>> _unit_word("a b%"), _unit_word("plain")
    ('"a b%%"', 'plain')
    """
    escaped = _unit(word).replace("\\", "\\\\").replace('"', '\\"')
    return escaped if re.fullmatch(r"[\w./:=@%+,$-]+", escaped) else f'"{escaped}"'
