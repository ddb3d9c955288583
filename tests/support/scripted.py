"""A bot without a process, for tests: a function answers each message, and a fake clock replaces waiting."""

from __future__ import annotations

import json
import math
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from arena.transport.base import OUTPUT_CAP, EndCause, EndOfOutput, Evidence, LineTooLong, PostMortem
from arena.transport.cpu_accounting import NoEvidence
from arena.transport.interface import Transport
from arena.transport.turn import Turn, TurnParts


class FakeClock:
    """A clock in seconds that moves only when a test sets it; call it to read it.

    >>> clock = FakeClock()
    >>> clock.now_s += 1.5
    >>> clock()
    1.5
    """

    def __init__(self, now_s: float = 0.0) -> None:
        self.now_s = now_s

    def __call__(self) -> float:
        return self.now_s


@dataclass(frozen=True, slots=True)
class Said:
    """One action of a scripted bot: bytes that arrive after some seconds, and the state of the bot afterwards."""

    data: bytes = b""
    after_s: float = 0.001
    then: Literal["stay", "exit", "close"] = "stay"
    """Whether the bot continues, exits, or closes its output and continues."""
    excused_s: float = 0.0
    """Part of that time in which other programs used the CPU."""
    cpu_s: float = 0.0
    late_wake_s: float = 0.0
    """Delay with which the arena notices it."""


Reply: TypeAlias = "Said | dict[str, Any] | bytes | list[Said] | None"
Bot: TypeAlias = Callable[[dict[str, Any]], Reply]


class ScriptedTransport(Transport):
    """A transport whose bot is a function: message in; a message, bytes, what was `Said`, a list of it, or None out.

    `sent` holds every message in order, `log` each freeze, thaw, check of a freeze and close. The post mortem contains
    `stderr`, `exit_status`, `cause` and `survivors`. A freeze is checked only if `checks.due` says so.
    """

    def __init__(self, bot: Bot, clock: FakeClock | None = None) -> None:
        self.time = clock or FakeClock()
        self.clock = self.time
        self.sent: list[dict[str, Any]] = []
        self.log: list[str] = []
        self.stderr = b""
        self.exit_status: int | None = 0
        self.cause = EndCause.EXITED
        self.survivors = 0
        self.output_closed = False
        self._bot = bot
        self._coming: list[tuple[float, Said]] = []
        self._buffer = b""
        self._ended: Literal["exit", "close"] | None = None
        self._post_mortem: PostMortem | None = None
        self.counters = ScriptedEvidence()
        self.checks = ScriptedChecks(self.log)

    def send(self, message: bytes) -> float:
        """Pass the message to the function, and schedule what it returns."""
        heard = json.loads(message)
        self.sent.append(heard)
        reply = self._bot(heard)
        moment = self.time.now_s
        for said in _as_list(reply):
            moment += said.after_s
            self._coming.append((moment, said))
        return self.time.now_s

    def wait(self, deadline: float) -> bytes | None:
        """Move the clock to the next complete line, or to the deadline."""
        while True:
            line, newline, rest = self._buffer.partition(b"\n")
            if len(line) > OUTPUT_CAP:
                raise LineTooLong
            if newline:
                self._buffer = rest
                return line
            if self._ended is not None:
                raise EndOfOutput(alive=self._ended == "close")
            if not self._coming or self._coming[0][0] > deadline:
                self.time.now_s = max(self.time.now_s, deadline)
                return None
            moment, said = self._coming.pop(0)
            self.time.now_s = max(self.time.now_s, moment) + said.late_wake_s
            self._hear(said)

    def waiting(self) -> bytes:
        """Return the output that has arrived by now."""
        while self._coming and self._coming[0][0] <= self.time.now_s:
            self._hear(self._coming.pop(0)[1])
        return self._buffer

    def _hear(self, said: Said) -> None:
        self._buffer += said.data
        self.counters.excused_s += said.excused_s
        self.counters.cpu_s += said.cpu_s
        if said.then != "stay":
            self._ended = said.then

    def interests(self) -> Sequence[tuple[int, int]]:
        """Return nothing: there is no descriptor to poll."""
        return ()

    def turn(self, message: bytes, asked: float) -> Turn:
        """Return a turn of the real class, with parts that only record the calls."""
        parts = TurnParts(self.send, self.clock, ScriptedGroup(self.log), self.counters, self.checks)
        return Turn(parts, message, asked)

    def freeze(self) -> None:
        """Record the call."""
        ScriptedGroup(self.log).freeze()
        if self.clock() >= self.checks.due:
            self.checks.run()

    def evidence(self) -> Evidence:
        """Return the value of the script."""
        return self.counters

    def closed_output(self) -> bool:
        """Return the value of the script."""
        return self.output_closed

    def looks_killed(self) -> bool:
        """Return whether the scripted process has exited by SIGKILL."""
        return self._ended == "exit" and self.exit_status == -signal.SIGKILL

    def dismiss(self) -> None:
        """Record the call."""
        self.log.append("dismiss")

    def take_stderr(self, size: int) -> bytes:
        """Return the stderr of the script once."""
        taken, self.stderr = self.stderr[:size], b""
        return taken

    def close(self, *, polite: bool) -> PostMortem:
        """Record the first call, and return the post mortem of the script."""
        if self._post_mortem is None:
            self.log.append("close politely" if polite else "close")
            cause = EndCause.KILLED if self.looks_killed() else self.cause
            self._post_mortem = PostMortem(self.stderr, self.exit_status, cause, survivors=self.survivors)
        return self._post_mortem


class ScriptedGroup:
    """Record each freeze and each thaw."""

    def __init__(self, log: list[str]) -> None:
        self._log = log

    def freeze(self) -> None:
        self._log.append("freeze")

    def thaw(self) -> None:
        self._log.append("thaw")


class ScriptedChecks:
    """Record each check of a freeze, and return the CPU time of the script."""

    def __init__(self, log: list[str]) -> None:
        self._log = log
        self.due = math.inf
        self.used_s: float | None = None
        """CPU time after the last freeze, to be charged once."""

    def run(self) -> None:
        self._log.append("check")

    def used_since(self) -> float | None:
        used_s, self.used_s = self.used_s, None
        return used_s


class ScriptedEvidence(NoEvidence):
    name = "scripted"

    def __init__(self) -> None:
        self.excused_s = 0.0
        self.cpu_s = 0.0

    def begin(self, now: float) -> None:
        self.excused_s = self.cpu_s = 0.0

    def finish(self, wall_s: float) -> tuple[float, float]:
        return self.excused_s, self.cpu_s

    look = finish


def _as_list(reply: Reply) -> list[Said]:
    match reply:
        case None:
            return []
        case bytes():
            return [Said(reply)]
        case dict():
            return [Said(json.dumps(reply).encode() + b"\n")]
        case list():
            return reply
    return [reply]
