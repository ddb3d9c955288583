"""Measure the time that the arena adds to a turn over a bare pipe between the same processes, layer by layer.

The bare pipe is the fastest possible way to ask a bot. The same two bots, started in the same way on the same core, get
the same bytes as in the match, with one blocking write and one blocking read per turn. Each layer includes the layers
before it: lines by one poll and a deadline; freezing; the session (evidence, times, strict parsing); the referee
(encoding of observation and legal actions, validation, clock, replay record). The game does nothing.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from statistics import median
from time import perf_counter

from arena.match.referee import play_match
from arena.match.session import Session, TurnResult
from arena.model.causes import Cause
from arena.model.clock import TurnTimes
from arena.model.records import MatchOrder, Program
from arena.model.rules import LeagueRules
from arena.protocol.messages import Answer, Decline, Ready, encode_hello
from arena.sandbox.launcher import Sandbox
from arena.sandbox.probe import probe
from arena.transport.base import PostMortem
from arena.transport.process import BotProcess
from benchmarks.bots import c_bot, python_bot
from benchmarks.games import flat, offer_games
from benchmarks.measure import Figures, interleaved, pinned, show
from engine.catalog import get_game

TURNS = 2000
ROUNDS = 9
BOTS: dict[Callable[[], Program], str] = {
    python_bot: "the starter bot in Python (reads and writes JSON)",
    lambda: python_bot("lean"): "a lean bot in Python (reads JSON, answers with one write)",
    c_bot: "a bot in C (reads nothing)",
}


def run() -> None:
    """Print a table for each bot and size."""
    offer_games()
    sandbox = probe("auto")
    print(f"\nlayers of the sandbox: {', '.join(sandbox.layers) or 'none'}")
    with pinned():
        for bot, words in BOTS.items():
            for size in flat.FILL:
                table = _Table(bot(), size, sandbox)
                figures = interleaved(table.cases(), ROUNDS)
                title = f"One turn of {table.bytes} bytes, {words}"
                show(title, "microseconds", figures, "bare pipe")
                _verdict(figures)


def _verdict(figures: dict[str, Figures]) -> None:
    bare, whole = figures["bare pipe"].median, figures["whole arena"].median
    print(f"\nthe whole arena: {whole - bare:.1f} microseconds over the bare pipe, {whole / bare:.2f} times")


class _Table:
    """The cases for one bot and one size of message."""

    def __init__(self, program: Program, size: int, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        options: dict[str, bool | int | float | str | None] = {"turns": TURNS, "size": size}
        rules = LeagueRules(name="flat", game="flat", options=options, seats=(2,), time_control="1000+1/100")
        self._order = MatchOrder("flat-1-0", b"0" * 16, rules, (program, program))
        silent = [_InMemory(), _InMemory()]
        play_match(self._order, silent)
        self._messages = [message for pair in zip(silent[0].turns, silent[1].turns, strict=True) for message in pair]
        self.bytes = round(median(map(len, self._messages)))

    def cases(self) -> dict[str, Callable[[], float]]:
        """Return the cases by name; each measures the median of a match's turns."""
        return {
            "bare pipe": self._bare,
            "poll and deadline": lambda: self._piped(frozen=False),
            "poll, deadline, freezing": lambda: self._piped(frozen=True),
            "session without freezing": lambda: self._session(frozen=False),
            "session": lambda: self._session(frozen=True),
            "whole arena without freezing": lambda: self._whole(frozen=False),
            "whole arena": lambda: self._whole(frozen=True),
            "referee alone, bots in memory": self._referee,
        }

    @contextmanager
    def _seated(self, *, frozen: bool) -> Iterator[list[Session]]:
        hello = encode_hello(get_game("flat"), self._order.rules)
        sessions = [
            Session.launch(program, hello, self._order.rules, self._sandbox) for program in self._order.programs
        ]
        try:
            for session in sessions:
                session.greet()
                if not frozen:
                    group = _process(session)._group
                    group.thaw()
                    group.freeze = group.thaw = _nothing  # type: ignore[method-assign]
                    _process(session)._freeze_check.due = math.inf  # a check would stop the bot
            yield sessions
        finally:
            for session in sessions:
                session.close(polite=False)

    def _bare(self) -> float:
        with self._seated(frozen=False) as sessions:
            pipes = []
            for session in sessions:
                given, heard = _process(session)._pipes._in, _process(session)._pipes._out
                os.set_blocking(given, True)
                os.set_blocking(heard, True)
                pipes.append((given, heard))
            stamps = []
            for number, message in enumerate(self._messages):
                given, heard = pipes[number % 2]
                os.write(given, message)
                while not os.read(heard, 65_536).endswith(b"\n"):
                    pass
                stamps.append(perf_counter())
        return _pace(stamps)

    def _piped(self, *, frozen: bool) -> float:
        with self._seated(frozen=frozen) as sessions:
            parts = [(process._pipes, process._group) for process in map(_process, sessions)]
            stamps = []
            for number, message in enumerate(self._messages):
                pipes, group = parts[number % 2]
                began = pipes.send(message)
                group.thaw()
                pipes.wait(began + 10.0)
                group.freeze()
                stamps.append(perf_counter())
        return _pace(stamps)

    def _session(self, *, frozen: bool) -> float:
        with self._seated(frozen=frozen) as sessions:
            stamps = []
            for number, message in enumerate(self._messages):
                sessions[number % 2].ask(message, turn=number, limit_s=10.0)
                stamps.append(perf_counter())
        return _pace(stamps)

    def _whole(self, *, frozen: bool) -> float:
        with self._seated(frozen=frozen) as sessions:
            flat.STAMPS.clear()
            play_match(self._order, sessions)
        return _pace(flat.STAMPS)

    def _referee(self) -> float:
        flat.STAMPS.clear()
        play_match(self._order, [_InMemory(), _InMemory()])
        return _pace(flat.STAMPS)


class _InMemory:
    """A session in memory that answers immediately and stores the messages."""

    def __init__(self) -> None:
        self.turns: list[bytes] = []

    def greet(self) -> Ready | Decline:
        return Ready()

    def start(self, message: bytes) -> None:
        pass

    def ask(
        self, message: bytes, *, turn: int, limit_s: float, strike_window_s: float = 0.0, late: Cause = Cause.TURN_LATE
    ) -> TurnResult:
        self.turns.append(message)
        return _TURN_RESULT

    def end(self, message: bytes) -> None:
        pass

    def take_stderr(self) -> bytes:
        return b""

    def close(self, *, polite: bool) -> PostMortem:
        return PostMortem()


_TURN_RESULT = TurnResult(Answer(0), TurnTimes(0.001))


def _process(session: Session) -> BotProcess:
    assert isinstance(session.transport, BotProcess)
    return session.transport


def _nothing() -> None:
    """Replace freezing and thawing."""


def _pace(stamps: Sequence[float]) -> float:
    """Return the median microseconds from one turn to the next."""
    return median(after - before for before, after in pairwise(stamps)) * 1e6
