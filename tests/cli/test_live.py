"""Tests of the output of a running night: it has every event, no secret, and no control character."""

import io
import json
from typing import Any

import pytest

from arena.cli.app import App
from arena.cli.night_display import JsonLines, OnTerminal, PlainLines, Silent, event_as_json, make_reporter
from arena.model.causes import Cause
from arena.model.records import Outcome
from arena.model.rules import LeagueRules
from arena.night.events import (
    BotSuspended,
    Leader,
    MatchDone,
    MatchVoided,
    NightClosed,
    NightEvent,
    NightOpened,
    Progress,
    RoundPlanned,
    SeatDone,
    SeatsLeftOut,
    WorkersChanged,
)
from arena.ratings.live import Rating
from arena.store.values import Night, NightCounts, NightState

SEED = b"sixteen secrets!"
NIGHT = Night(
    id=1, league="friday", number=3, state=NightState.OPEN, seed=SEED, rules=LeagueRules(name="friday", game="x"),
    plan={}, sandbox=(), started_at="2026-11-30T20:00:00Z", ended_at=None,
)  # fmt: skip
COUNTS = NightCounts(planned=0, finished=9, no_contests=1, parked=0, abandoned=0, attempts=1, rounds=2)


def forfeit(detail: str = "odd \x1b[31m") -> MatchDone:
    seats = (SeatDone("a:1", 1, Cause.MALFORMED, detail), SeatDone("b:1", 0, None, ""))
    return MatchDone("friday-3-0", Outcome.FINISHED, 7, seats)


PROGRESS = Progress(5, 10, 2.5, 2.0, 2, (Leader("b:1", Rating(30.0, 2.0)), Leader("a:1", Rating(20.0, 2.0))))
EVENTS: list[NightEvent] = [
    NightOpened(NIGHT, ("a:1", "b:1"), 10, resumed=False),
    SeatsLeftOut(4, 2),
    RoundPlanned(0, 10),
    forfeit(),
    MatchVoided("friday-3-1", "worker_killed", 1, parked=False),
    MatchVoided("friday-3-1", "worker_killed", 2, parked=True),
    BotSuspended("a:1", 10, 1, "10 forfeits in a row"),
    PROGRESS,
    NightClosed(NIGHT, COUNTS),
]


def told(reporter: Any, events: list[NightEvent]) -> None:
    with reporter:
        for event in events:
            reporter(event)


def test_plain_lines_tell_what_matters(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a terminal: a line for what happens, on stderr, and progress with who is ahead."""
    told(PlainLines(App({})), EVENTS)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines() == [
        "night 3 of friday starts: 2 bots, 10 matches",
        "matches with 4 seats are skipped: there are only 2 bots",
        r"friday-3-0: a:1 forfeits, malformed: odd \x1b[31m",
        "friday-3-1 is void (worker_killed), attempt 1: it will be played again",
        "friday-3-1 is void (worker_killed), attempt 2: it is parked",
        "a:1 is suspended for the rest of the night: 10 forfeits in a row",
        "5 of 10 matches, 2.5 a second, 2 s left; ahead: b:1 24.00, a:1 14.00",
    ]


def test_one_is_not_told_as_several(capsys: pytest.CaptureFixture[str]) -> None:
    """The singular where it is one."""
    told(
        PlainLines(App({})),
        [
            NightOpened(NIGHT, ("a:1",), 1, resumed=False),
            NightOpened(NIGHT, ("a:1", "b:1"), 1_000, True, 400),
            BotSuspended("a:1", 1, 1, "1 forfeit in a row"),
            WorkersChanged(1),
        ],
    )
    assert capsys.readouterr().err.splitlines() == [
        "night 3 of friday starts: 1 bot, 1 match",
        "night 3 of friday resumes: 2 bots, 400 of 1,000 matches done",
        "a:1 is suspended for the rest of the night: 1 forfeit in a row",
        "1 match at the same time from the next round on",
    ]


def test_a_bot_that_forfeits_often_does_not_flood_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """After a few forfeits of one kind they are only counted."""
    told(PlainLines(App({})), [forfeit()] * 10)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 3
    assert lines[-1].endswith("; further ones are only counted")


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_every_event_is_json_without_the_seed(event: NightEvent, capsys: pytest.CaptureFixture[str]) -> None:
    """One object a line, with the kind of event first."""
    told(JsonLines(App({})), [event])
    line = capsys.readouterr().out
    assert line.count("\n") == 1
    assert next(iter(json.loads(line))) == "event"
    assert SEED.hex() not in line and "secret" not in line
    assert json.loads(line) == json.loads(json.dumps(event_as_json(event)))


def test_quiet_is_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    """`--quiet` tells no event."""
    told(make_reporter(App({}), quiet=True, as_json=False), EVENTS)
    assert capsys.readouterr() == ("", "")
    assert isinstance(make_reporter(App({}), quiet=True, as_json=False), Silent)
    assert isinstance(make_reporter(App({}), quiet=True, as_json=True), JsonLines)


@pytest.mark.parametrize(
    ("terminal", "environment", "options", "kind"),
    [
        (True, {"TERM": "xterm"}, {}, OnTerminal),
        (True, {}, {}, OnTerminal),
        (True, {"TERM": "dumb"}, {}, PlainLines),
        (False, {"TERM": "xterm"}, {}, PlainLines),
        (True, {"TERM": "xterm"}, {"quiet": True}, Silent),
        (True, {"TERM": "xterm"}, {"as_json": True}, JsonLines),
        (False, {}, {"quiet": True}, Silent),
        (False, {}, {"as_json": True}, JsonLines),
    ],
)
def test_a_night_is_shown_live_on_a_terminal_alone(
    terminal: bool, environment: dict[str, str], options: dict[str, bool], kind: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    """stderr decides, where the view goes; a terminal that cannot move its cursor gets lines, and options go first."""

    class Stream(io.StringIO):
        def isatty(self) -> bool:
            return terminal

    monkeypatch.setattr("sys.stderr", Stream())
    monkeypatch.setattr("sys.stdout", io.StringIO())
    assert type(make_reporter(App(environment), **{"quiet": False, "as_json": False, **options})) is kind


def test_on_a_terminal_progress_stays_in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bar and the provisional standings; lines are written above it, and bots' text is escaped."""
    from rich.console import Console

    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=100, highlight=False, markup=False, no_color=True)
    monkeypatch.setattr(App, "console", lambda self, stderr=False: console)
    told(OnTerminal(App({})), EVENTS)
    text = screen.getvalue()
    assert "5 of 10 matches, 2.5 a second, 2 s left" in text
    assert "█" * 30 + "░" * 30 in text
    assert "1  b:1   24.00" in text
    assert r"odd \x1b[31m" in text and "odd \x1b[31m" not in text
