"""Scheduled starts of a league night: write units for systemd and a line for cron. Nothing is installed."""

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
"""Settings that affect neither the matches of a night nor where it is stored."""
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
    """Days of the week; empty means every day."""
    hour: int
    minute: int

    @classmethod
    def parse(cls, text: str) -> Weekly:
        """Parse `FRI 20:00`, `MON,THU 7:05`, `DAILY 20:00` or `20:00`. Raises `UsageError` for any other text."""
        found = _WHEN.fullmatch(" ".join(text.upper().split()))
        named = found["days"].split(",") if found and found["days"] and found["days"] != "DAILY" else []
        if found is None or not set(named) <= set(DAYS):
            raise UsageError(f"{text!r} is not a time of the week: expected for example 'FRI 20:00' or 'MON,THU 19:30'")
        return cls(tuple(day for day in DAYS if day in named), int(found["hour"]), int(found["minute"]))

    @property
    def calendar(self) -> str:
        """Return the times in the `OnCalendar` syntax of systemd."""
        days = ",".join(day.capitalize() for day in self.days)
        return f"{days} *-*-* {self.hour:02}:{self.minute:02}:00".lstrip()

    @property
    def cron(self) -> str:
        """Return the five time fields of a crontab line."""
        days = ",".join(str((DAYS.index(day) + 1) % 7) for day in self.days)
        return f"{self.minute} {self.hour} * * {days or '*'}"


@dataclass(frozen=True, slots=True)
class Timer:
    """A command that runs at certain times of the week."""

    league: str
    when: Weekly
    command: Sequence[str]
    environment: Mapping[str, str]
    """Environment variables that the command needs: home, database, settings of a night."""
    folder: Path
    """Working folder of the command. The search for `arena.toml` starts there."""

    @property
    def name(self) -> str:
        """Return the name of both units, without a suffix."""
        return f"arena-{self.league}"

    @property
    def service(self) -> str:
        """Return the systemd unit that plays the night."""
        environment = "".join(f"Environment={_unit_word(f'{n}={value}')}\n" for n, value in self.environment.items())
        # Only in a command, systemd expands a dollar sign.
        command = " ".join(_unit_word(word).replace("$", "$$") for word in self.command)
        return (
            f"[Unit]\nDescription=League night of {self.league}\n\n"
            f"[Service]\nType=oneshot\nWorkingDirectory={_unit(self.folder)}\n"
            f"{environment}ExecStart={command}\n"
            # A stop has the effect of Ctrl-C twice: `arena night resume` can resume the night.
            "KillMode=mixed\n"
        )

    @property
    def timer(self) -> str:
        """Return the systemd unit with the start times."""
        return (
            f"[Unit]\nDescription=Start of the league night of {self.league}\n\n"
            f"[Timer]\nOnCalendar={self.when.calendar}\n\n[Install]\nWantedBy=timers.target\n"
        )

    @property
    def crontab(self) -> str:
        """Return the same schedule and command as one line of a crontab."""
        variables = [f"{name}={shlex.quote(value)}" for name, value in self.environment.items()]
        words = " ".join([*variables, *map(shlex.quote, self.command)])
        line = f"cd {shlex.quote(str(self.folder))} && {words}"
        return f"{self.when.cron} {line}".replace("%", "\\%")


def settings_of_a_night(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment variables of settings that affect a night, by name, without home and database.

    >>> settings_of_a_night({"ARENA_WORKERS": "2", "ARENA_COLOR": "never", "PATH": "/bin"})
    {'ARENA_WORKERS': '2'}
    """
    keys = [key for key in ENVIRONMENT_KEYS if key != "database_url" and key not in _NOT_OF_A_NIGHT]
    names = [f"{ENVIRONMENT_PREFIX}{key.upper()}" for key in keys]
    return {name: environment[name] for name in names if name in environment}


def _unit(value: object) -> str:
    """Escape a value for a systemd unit."""
    return str(value).replace("%", "%%")


def _unit_word(word: str) -> str:
    r"""Escape and quote a word of a list in a systemd unit.

    >>> _unit_word("a b%"), _unit_word("plain")
    ('"a b%%"', 'plain')
    """
    escaped = _unit(word).replace("\\", "\\\\").replace('"', '\\"')
    return escaped if re.fullmatch(r"[\w./:=@%+,$-]+", escaped) else f'"{escaped}"'
