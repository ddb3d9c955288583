"""Helpers for tests of matches: rules, orders and programs in one line, and a bot in memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from arena.match.referee import Watch, play_match
from arena.match.session import TurnResult
from arena.model.causes import Cause
from arena.model.clock import TurnTimes
from arena.model.faults import BotFault
from arena.model.records import MatchOrder, MatchRecord, Program, Submission
from arena.model.rules import LeagueRules
from arena.protocol.messages import Decline, Ready, parse_answer, parse_ready
from arena.transport.base import PostMortem

SEED = bytes(range(16))

Reply = bytes | BotFault | None
"""A line of a bot, its fault, or None for an answer that is late but within the strike window."""
Answerer = Callable[[dict[str, Any]], Reply]


def tiny_rules(**changes: Any) -> LeagueRules:
    """Return the rules of a league of the tiny game."""
    return LeagueRules(**{"name": "tiny", "game": "tiny", "seats": (2, 4), **changes})


def a_program(name: str = "bot", folder: str = "/nowhere", command: Sequence[str] = ("true",)) -> Program:
    """Return a bot version."""
    return Program(name, 1, "an author", "d1" * 16, folder, tuple(command))


def submission(name: str, author: str, digest: str, command: Sequence[str] = ("true",)) -> Submission:
    """Return a submission of this content that is not built."""
    return Submission(Program(name, 0, author, digest, "", tuple(command)), digest)


def an_order(seats: int = 2, position: int = 0, **changes: Any) -> MatchOrder:
    """Return the order of one match of the tiny game."""
    programs = tuple(a_program(f"bot{seat}") for seat in range(seats))
    return MatchOrder(f"tiny-1-{position}", SEED, tiny_rules(**changes), programs, position=position)


def polite(message: dict[str, Any]) -> Reply:
    """Return a legal answer that depends only on the message."""
    return b'{"action":%d}\n' % (message["turn"] % len(message["legal"]))


def always(line: bytes | BotFault) -> Answerer:
    """Return a bot that gives the same answer to every turn."""
    return lambda message: line


def until(turn: int, then: Reply) -> Answerer:
    """Return a bot that answers politely before a turn, and gives this reply from then on."""
    return lambda message: polite(message) if message["turn"] < turn else then


class FakeSession:
    """A bot in memory with the methods of a session. Tests can read its messages and how it was closed."""

    def __init__(
        self, answer: Answerer = polite, ready: bytes | BotFault = b'{"type":"ready"}\n', wall_s: float = 0.01
    ) -> None:
        self.answer = answer
        self.ready = ready
        self.wall_s = wall_s
        self.sent: list[bytes] = []
        self.closed: list[bool] = []
        self.limits: list[tuple[float, float]] = []
        self.legal = "full"

    @property
    def messages(self) -> list[dict[str, Any]]:
        """Return all messages that were sent, parsed."""
        return [json.loads(line) for line in self.sent]

    def greet(self) -> Ready | Decline:
        if isinstance(self.ready, BotFault):
            raise self.ready
        answer = parse_ready(self.ready)
        if isinstance(answer, Ready):
            self.legal = answer.legal
        return answer

    def start(self, message: bytes) -> None:
        self.sent.append(message)

    def ask(
        self, message: bytes, *, turn: int, limit_s: float, strike_window_s: float = 0.0, late: Cause = Cause.TURN_LATE
    ) -> TurnResult:
        self.sent.append(message)
        self.limits.append((limit_s, strike_window_s))
        reply = self.answer(json.loads(message))
        times = TurnTimes(wall_s=self.wall_s, excused_s=0.0, cpu_s=0.005, latency_s=0.0001, evidence="fake")
        if isinstance(reply, BotFault):
            raise BotFault(late if reply.cause is Cause.TURN_LATE else reply.cause, reply.detail, times)
        if reply is None:
            return TurnResult(None, times)
        return TurnResult(parse_answer(reply, turn=turn, legal=self.legal, turn_required=False), times)

    def end(self, message: bytes) -> None:
        self.sent.append(message)

    def dismiss(self) -> None:
        """Do nothing: there is no process to wait for."""

    def take_stderr(self) -> bytes:
        return b"some words"

    def close(self, *, polite: bool) -> PostMortem:
        self.closed.append(polite)
        return PostMortem(stderr=b"last words", exit_status=0, cpu_s=0.0, peak_memory=0, survivors=0)


def play(
    sessions: Sequence[FakeSession], watch: Watch | None = None, order: MatchOrder | None = None, **changes: Any
) -> MatchRecord:
    """Play a match of the tiny game between these bots, and return its record."""
    return play_match(order or an_order(len(sessions), **changes), sessions, watch)
