"""The display of a running night: live on a terminal, plain lines elsewhere, JSON for scripts, or nothing."""

from __future__ import annotations

import json
import sys
import time
from abc import ABC, abstractmethod
from typing import Any, Self

from rich.console import Group, RenderableType
from rich.live import Live
from rich.table import Column, Table
from rich.text import Text

from arena.cli.app import App
from arena.night.events import (
    BotSuspended,
    EntrantAdded,
    EntrantDropped,
    MatchDone,
    MatchVoided,
    NightClosed,
    NightEvent,
    NightOpened,
    OutOfTime,
    Progress,
    RoundPlanned,
    SeatsLeftOut,
    WorkersChanged,
)
from arena.text.sanitize import terminal
from arena.text.words import counted, from_one

_PLAIN_S = 5.0
"""Seconds between two lines of progress, without a terminal."""
_LEADERS = 10
_BAR_WIDTH = 60
_SHOWN_FORFEITS = 3
"""Forfeits of one bot by one cause that are printed; the standings count all."""


class Reporter(ABC):
    """Receives the events of a night; a context manager around the night."""

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Restore the terminal."""
        return

    @abstractmethod
    def __call__(self, event: NightEvent) -> None:
        """Report one event."""


def make_reporter(app: App, *, quiet: bool, as_json: bool) -> Reporter:
    """Return the reporter for these options and this output."""
    if as_json:
        return JsonLines(app)
    if quiet:
        return Silent()
    return OnTerminal(app) if sys.stderr.isatty() and app.environment.get("TERM") != "dumb" else PlainLines(app)


class Silent(Reporter):
    """Reports nothing."""

    def __call__(self, event: NightEvent) -> None:
        """Do nothing."""


class JsonLines(Reporter):
    """Writes one JSON object a line to stdout."""

    def __init__(self, app: App) -> None:
        self._app = app

    def __call__(self, event: NightEvent) -> None:
        """Write the event."""
        self._app.say(json.dumps(event_as_json(event)))


class PlainLines(Reporter):
    """Writes lines to stderr: notable events, and progress from time to time."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._next_s = 0.0
        self._forfeits: dict[tuple[str, str], int] = {}

    def __call__(self, event: NightEvent) -> None:
        """Write the event if it is worth a line."""
        if isinstance(event, Progress):
            if time.monotonic() < self._next_s and event.done < event.total:
                return
            self._next_s = time.monotonic() + _PLAIN_S
            leaders = ", ".join(f"{leader.label} {leader.rating.shown:.2f}" for leader in event.leaders[:3])
            self.line(progress_line(event) + (f"; ahead: {leaders}" if leaders else ""))
            return
        for text in self.lines(event):
            self.line(text)

    def line(self, text: str) -> None:
        """Write one line."""
        self._app.note(text)

    def lines(self, event: NightEvent) -> list[str]:
        """Return an event as lines of text; most matches need none."""
        match event:
            case NightOpened():
                what = "resumes" if event.resumed else "starts"
                bots, matches = counted(len(event.entrants), "bot"), counted(event.matches, "match", "matches")
                far = f"{event.done:,} of {matches} done" if event.resumed else matches
                return [f"night {event.night.number} of {event.night.league} {what}: {bots}, {far}"]
            case SeatsLeftOut():
                return [f"matches with {event.seats} seats are skipped: there are only {counted(event.bots, 'bot')}"]
            case MatchDone():
                return [*self._forfeit_lines(event), *_unkillable_lines(event)]
            case MatchVoided():
                then = "it is parked" if event.parked else "it will be played again"
                return [f"{event.match_id} is void ({terminal(event.cause)}), attempt {event.attempt}: {then}"]
            case BotSuspended():
                return [f"{event.label} is suspended for the rest of the night: {event.reason}"]
            case EntrantAdded():
                instead = f" instead of {event.replaced}" if event.replaced else ""
                return [f"{event.label} plays from round {event.from_round} on{instead}"]
            case EntrantDropped():
                return [f"{event.label} is dropped from round {event.from_round} on"]
            case WorkersChanged():
                return [f"{counted(event.count, 'match', 'matches')} at the same time from the next round on"]
            case OutOfTime():
                return [out_of_time(event)]
        return []

    def _forfeit_lines(self, event: MatchDone) -> list[str]:
        lines = []
        for seat in event.seats:
            if seat.cause is None:
                continue
            count = self._forfeits[seat.label, seat.cause] = self._forfeits.get((seat.label, seat.cause), 0) + 1
            if count <= _SHOWN_FORFEITS:
                more = "; further ones are only counted" if count == _SHOWN_FORFEITS else ""
                lines.append(
                    f"{event.match_id}: {seat.label} forfeits, {seat.cause}: {terminal(seat.detail, 200)}{more}"
                )
        return lines


def _unkillable_lines(event: MatchDone) -> list[str]:
    return [
        f"{event.match_id}: a process of {label} still runs after SIGKILL; the result stands, and the end of the round"
        " decides about the bot"
        for label in event.unkillable
    ]


class OnTerminal(PlainLines):
    """Draws a progress bar and the provisional standings in place, and writes all other lines above them."""

    def __init__(self, app: App) -> None:
        super().__init__(app)
        self._console = app.console(stderr=True)
        # No thread may run in a process that forks workers, so draw only when an event arrives; progress is frequent.
        self._live = Live(console=self._console, auto_refresh=False, transient=True, redirect_stdout=False,
                          redirect_stderr=False)  # fmt: skip

    def __enter__(self) -> Self:
        """Start to draw in the lower part of the terminal."""
        self._live.__enter__()
        return self

    def __exit__(self, *details: Any) -> None:
        """Stop drawing there."""
        self._live.__exit__(*details)

    def __call__(self, event: NightEvent) -> None:
        """Redraw the progress, or write a line above it."""
        if isinstance(event, Progress):
            self._live.update(_drawn(event, self._console.width), refresh=True)
            return
        for text in self.lines(event):
            self._console.print(Text(text))


def progress_line(event: Progress) -> str:
    """Return a line such as `120 of 400 matches, 35.2 a second, 8 s left`."""
    left = "" if event.left_s is None or event.done >= event.total else f", {duration(event.left_s)} left"
    return f"{event.done:,} of {counted(event.total, 'match', 'matches')}, {event.rate:.1f} a second{left}"


def out_of_time(event: OutOfTime) -> str:
    """Return a sentence that explains why the next round does not start."""
    what = f"the next round, of {counted(event.matches, 'match', 'matches')},"
    if event.left_s <= 0 or event.expected_s is None:
        return f"the time limit is reached: {what} does not start"
    return (
        f"{what} would take about {duration(event.expected_s)}, and {duration(event.left_s)} are left: it does not"
        " start"
    )


def duration(seconds: float) -> str:
    """Return a duration for human readers.

    >>> duration(8.4), duration(75), duration(7300)
    ('8 s', '1 min 15 s', '2 h 1 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    return f"{whole // 60} min {whole % 60} s" if whole < 3600 else f"{whole // 3600} h {whole % 3600 // 60} min"


def event_as_json(event: NightEvent) -> dict[str, Any]:
    """Return the event for a script, without secrets."""
    match event:
        case NightOpened(night, entrants, matches, resumed, done):
            return {"event": "night_opened", "league": night.league, "night": night.number,
                    "entrants": list(entrants), "matches": matches, "done": done, "resumed": resumed}  # fmt: skip
        case SeatsLeftOut(seats, bots):
            return {"event": "seats_left_out", "seats": seats, "bots": bots}
        case RoundPlanned(number, matches):
            return {"event": "round_planned", "round": number, "matches": matches}
        case MatchDone(match_id, outcome, turns, seats, unkillable):
            shown = [{"bot": s.label, "rank": from_one(s.rank), "cause": s.cause, "detail": s.detail} for s in seats]
            return {"event": "match_done", "match": match_id, "outcome": outcome, "turns": turns, "seats": shown,
                    "unkillable": list(unkillable)}  # fmt: skip
        case MatchVoided(match_id, cause, attempt, parked):
            return {"event": "match_voided", "match": match_id, "cause": cause, "attempt": attempt, "parked": parked}
        case BotSuspended(label, forfeits, from_round, reason):
            return {"event": "bot_suspended", "bot": label, "forfeits": forfeits, "from_round": from_round,
                    "reason": reason}  # fmt: skip
        case EntrantAdded(label, from_round, replaced):
            return {"event": "entrant_added", "bot": label, "from_round": from_round, "replaced": replaced}
        case EntrantDropped(label, from_round):
            return {"event": "entrant_dropped", "bot": label, "from_round": from_round}
        case WorkersChanged(count):
            return {"event": "workers_changed", "workers": count}
        case OutOfTime(matches, expected_s, left_s):
            return {"event": "out_of_time", "matches": matches, "expected_s": expected_s, "left_s": left_s}
        case Progress(done, total, rate, left_s, running, leaders):
            ahead = [{"bot": leader.label, "rating": leader.rating.shown} for leader in leaders]
            return {"event": "progress", "done": done, "total": total, "rate": rate, "left_s": left_s,
                    "running": running, "leaders": ahead}  # fmt: skip
        case NightClosed(night, counts):
            return {"event": "night_closed", "league": night.league, "night": night.number,
                    "finished": counts.finished, "no_contests": counts.no_contests,
                    "parked": counts.parked}  # fmt: skip


def _drawn(event: Progress, width: int) -> RenderableType:
    length = min(_BAR_WIDTH, width)
    filled = round(length * min(event.done / max(event.total, 1), 1.0))
    bar = Text("█" * filled + "░" * (length - filled))
    parts: list[RenderableType] = [Text(progress_line(event)), bar]
    if event.leaders:
        table = Table("#", "bot", Column("rating", justify="right"), box=None, padding=(0, 2, 0, 0))
        for rank, leader in enumerate(event.leaders[:_LEADERS], 1):
            table.add_row(str(rank), Text(leader.label), f"{leader.rating.shown:.2f}")
        parts.append(table)
    return Group(*parts)
