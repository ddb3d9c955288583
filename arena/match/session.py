"""One bot in a match: handshake, start, turns, end. Every failure of the bot becomes a `BotFault` with its cause."""

from __future__ import annotations

import logging
import select
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, NamedTuple

from arena.errors import ArenaFault
from arena.model.causes import Cause
from arena.model.clock import MARGIN_S, TurnTimes
from arena.model.faults import BotFault
from arena.model.records import Program
from arena.model.rules import LeagueRules
from arena.protocol.messages import LINE_BYTES, Answer, Decline, Ready, parse_answer, parse_ready
from arena.protocol.strict_json import quote
from arena.transport.base import (
    STDERR_OF_FINISHER,
    Confinement,
    EndCause,
    EndOfOutput,
    Launch,
    Limits,
    LineTooLong,
    PostMortem,
)
from arena.transport.command import EXEC_FAILED, cannot_execute
from arena.transport.interface import Transport
from arena.transport.process import BotProcess
from arena.transport.turn import Turn

_log = logging.getLogger("arena.match")

LATE_WAKE_S: Final = 1.0
"""If the arena notices its own deadline later than this, the arena was not running, and the match is void."""
LOOK_AGAIN_S: Final = 0.004
"""Interval to read the counters again: a wait for the CPU is counted only when it ends, after a scheduler slice."""

_MEMORY_WORDS = (
    b"MemoryError",
    b"std::bad_alloc",
    b"out of memory",
    b"Out of memory",
    b"OutOfMemoryError",
    b"Cannot allocate memory",
)
_PROCESS_WORDS = (
    b"can't start new thread",
    b"BlockingIOError: [Errno 11]",
    b"Resource temporarily unavailable",
    b"unable to create native thread",
    b"Cannot fork",
)


class TurnResult(NamedTuple):
    """The outcome of one turn without a forfeit."""

    answer: Answer | None
    """Answer of the bot; None if it arrived within the strike window and was dropped."""
    times: TurnTimes


class Session:
    """A running bot that has been sent `hello`."""

    def __init__(
        self,
        program: Program,
        transport: Transport,
        rules: LeagueRules,
        start_again: Callable[[], Transport] | None = None,
        cannot_run: Callable[[], str | None] = lambda: None,
    ) -> None:
        """Attach to a started bot.

        If it is killed before its handshake, `start_again` restarts it and sends `hello`. `cannot_run` returns the
        reason why this host cannot execute the bot's program, and is asked only if the bot ended as if that were so.
        """
        self.program = program
        self.rules = rules
        self._start_again = start_again
        self._cannot_run = cannot_run
        self._attach(transport)
        self._greeting: Ready | Decline | BotFault | None = None
        self._legal = "full"

    @classmethod
    def launch(
        cls, program: Program, hello: bytes, rules: LeagueRules, sandbox: Confinement, *, once: bool = False
    ) -> Session:
        """Start the program and send `hello`, without waiting. Raises `ArenaFault` if this host cannot start it.

        A bot that is killed while it starts is started again, except with `once`.
        """
        limits = Limits(memory_mb=rules.memory_mb, processes=rules.processes)

        launch = Launch(program.command, program.folder, sandbox, limits, name=program.label)

        def start() -> Transport:
            transport = BotProcess(launch)
            transport.send(hello)
            return transport

        return cls(program, start(), rules, None if once else start, partial(cannot_execute, launch))

    def _attach(self, transport: Transport) -> None:
        self.transport = transport
        self._begun = transport.clock()
        self._due = self._begun + self.rules.startup_s + MARGIN_S
        """Provisional deadline of the handshake. Excused time moves it to a later time."""

    def greet(self) -> Ready | Decline:
        """Wait for the bot's answer to `hello` until the start-up limit, freeze the bot, and return the answer.

        A second call gives the same result. Raises `BotFault`: startup_late, no_handshake, crashed, closed_output,
        output_flood, out_of_memory or too_many_processes. Raises `ArenaFault` if this host is at fault.
        """
        while self._greeting is None:
            self._hear_greeting(None)
        if isinstance(self._greeting, BotFault):
            raise self._greeting
        return self._greeting

    def _hear_greeting(self, until: float | None) -> bool:
        """Wait for the handshake, at most until this time if one is given. Return whether the handshake is complete.

        If it is not, `_due` is the time of the next call.
        """
        try:
            line = self._listen(self._begun, self.rules.startup_s, until=until)
            if line is None and until is not None and until < self._due:
                return False
            self._greeting = self._read_greeting(line)
        except BotFault as fault:
            self._greeting = fault
        return not (self._was_killed_starting() and self._replace())

    def _was_killed_starting(self) -> bool:
        """Return whether the bot seems to have been killed, by another program or by itself."""
        if self._start_again is None:
            return False
        if not isinstance(self._greeting, BotFault):
            return self.transport.looks_killed()
        # A crashed bot is closed already, and the second close returns how it ended.
        crashed = self._greeting.cause is Cause.CRASHED
        return crashed and self.transport.close(polite=False).cause is EndCause.KILLED

    def _replace(self) -> bool:
        """Start the bot again, once. Return whether it was started.

        It has received only `hello`, so a bot that kills itself gains nothing. If child processes of the bot survive
        SIGKILL, the bot is not started again: its main process has ended, so it has crashed.
        """
        assert self._start_again is not None
        start, self._start_again = self._start_again, None
        if self.transport.close(polite=False).survivors:
            detail = "expected an answer, but the process ended, and helpers of it cannot be ended"
            self._greeting = BotFault(Cause.CRASHED, detail)
            return False
        _log.info("%s ended as if killed while it started; it is started again", self.program.label)
        self._greeting = None
        self._attach(start())
        return True

    def _read_greeting(self, line: bytes | None) -> Ready | Decline:
        transport = self.transport
        if line is None:
            fault = self._silent("hello", f"within {self.rules.startup_s:g} s", Cause.STARTUP_LATE)
            transport.freeze()  # other bots may still be starting
            raise fault
        transport.freeze()
        transport.evidence().forget()
        greeting = parse_ready(line)
        if isinstance(greeting, Ready):
            self._legal = greeting.legal
        return greeting

    def start(self, message: bytes) -> None:
        """Send `start`. The bot stays frozen, so its work on this message counts on its first turn."""
        self.transport.send(message)

    def end(self, message: bytes) -> None:
        """Send `end`. The bot stays frozen until its next turn or its close."""
        self.transport.send(message)

    def ask(
        self,
        message: bytes,
        *,
        turn: int,
        limit_s: float,
        strike_window_s: float = 0.0,
        late: Cause = Cause.TURN_LATE,
    ) -> TurnResult:
        """Send a `turn` message, and return the answer that arrives within the limit and the margin.

        A late answer within the strike window is dropped and returned as None. `late` is the cause for a late answer or
        none (`Clock.late_cause`). Raises `BotFault`, which has `times` if the turn had started, and `ArenaFault` if the
        arena itself was not running.
        """
        transport = self.transport
        asked = transport.clock()
        if early := transport.waiting():
            raise BotFault(Cause.UNASKED_OUTPUT, f"expected silence before turn {turn}, got {quote(early)}")
        timed = transport.turn(message, asked)
        try:
            with timed:
                line = self._listen(timed.began, limit_s, strike_window_s)
            if line is None:
                raise self._silent(f"turn {turn}", f"within {limit_s:.3f} s", late)
            times = _times(timed)
            if times.charged_s > limit_s + MARGIN_S:
                if strike_window_s:
                    return TurnResult(None, times)
                raise BotFault(
                    late,
                    f"expected an answer to turn {turn} within {limit_s:.3f} s, got it after {times.charged_s:.3f} s",
                )
            return TurnResult(
                parse_answer(line, turn=turn, legal=self._legal, turn_required=self.rules.strikes > 0), times
            )
        except BotFault as fault:
            raise BotFault(fault.cause, fault.detail, _times(timed)) from fault

    def _listen(
        self, began: float, limit_s: float, window_s: float = 0.0, *, until: float | None = None
    ) -> bytes | None:
        """Return the next line, or None if the time is over: limit, margin and window, plus the excused time.

        The wait never exceeds three times the limit, one second and the window, no matter how much time is excused.
        `until` ends the wait earlier.
        """
        transport = self.transport
        allowed_s = limit_s + MARGIN_S + window_s
        last = began + 3 * limit_s + 1.0 + window_s
        deadline = began + allowed_s
        # A turn has just started. A handshake may be requested long after its deadline.
        now = began if until is None and self._greeting is not None else transport.clock()
        while True:
            wake = deadline if until is None or until > deadline else until
            line = self._hear(wake, now, began, allowed_s)
            if line is not None:
                return line
            now = transport.clock()
            if until is not None and until < deadline:
                self._due = deadline
                return None
            excused_s, cpu_s = transport.evidence().look(now - began)
            moved = min(began + allowed_s + excused_s, last)
            if cpu_s > allowed_s:
                return None
            if moved > now:
                deadline = moved
            elif now + LOOK_AGAIN_S <= last and transport.evidence().still_waits():
                deadline = now + LOOK_AGAIN_S
            else:
                return None

    def _hear(self, deadline: float, now: float, began: float, allowed_s: float) -> bytes | None:
        transport = self.transport
        try:
            line = transport.wait(deadline)
        except LineTooLong:
            raise BotFault(Cause.OUTPUT_FLOOD, f"expected a line of at most {LINE_BYTES} bytes") from None
        except EndOfOutput as end:
            raise self._ended(end.alive) from None
        heard = transport.clock()
        if heard > (deadline if deadline > now else now) + LATE_WAKE_S:
            if transport.evidence().look(heard - began)[1] > allowed_s:
                return None  # the bot kept the CPU from the arena itself, and has used more CPU time than allowed
            raise ArenaFault(f"the arena noticed a deadline over {LATE_WAKE_S:g} s late: it was not running itself")
        return line

    def _silent(self, question: str, within: str, cause: Cause) -> BotFault:
        """Return the fault of a bot that did not answer in time: late, unless it has closed its output."""
        if self.transport.closed_output():
            return BotFault(Cause.CLOSED_OUTPUT, f"expected an answer to {question}, but the bot has closed its output")
        return BotFault(cause, f"expected an answer to {question} {within}, got none")

    def _ended(self, alive: bool) -> BotFault:
        """Return the fault of a bot whose output has ended.

        Raises `ArenaFault` if the sandbox never ran the bot, if this host cannot execute its program, or if something
        outside the bot killed it.
        """
        if alive:
            return BotFault(Cause.CLOSED_OUTPUT, "expected an answer, but the bot has closed its output")
        end = self.transport.close(polite=False)
        last_line = end.stderr.rstrip().rpartition(b"\n")[2]
        said = f"; its last words: {quote(last_line)}" if last_line else ""
        if end.cause is EndCause.SANDBOX_FAILED:
            raise ArenaFault(f"the sandbox could not run {self.program.label}{said}")
        if end.cause is EndCause.KILLED_FROM_OUTSIDE:
            raise ArenaFault(f"somebody killed {self.program.label}, and not the bot itself{said}")
        if self._greeting is None and end.exit_status in EXEC_FAILED and (reason := self._cannot_run()) is not None:
            raise ArenaFault(f"this host cannot run {self.program.label}: {reason}")
        cause = Cause.CRASHED
        if end.cause is EndCause.OUT_OF_MEMORY or (end.exit_status and _says(end.stderr, _MEMORY_WORDS)):
            cause = Cause.OUT_OF_MEMORY
        elif end.exit_status and _says(end.stderr, _PROCESS_WORDS):
            cause = Cause.TOO_MANY_PROCESSES
        return BotFault(cause, f"expected an answer, but the process ended with status {end.exit_status}{said}")

    def take_stderr(self) -> bytes:
        """Return head and tail of what the bot wrote to stderr since the last call, 2 KiB each."""
        return self.transport.take_stderr(STDERR_OF_FINISHER)

    def fit_for_another(self) -> bool:
        """Return whether the bot may be reused: it offered that, it still runs, and it has sent nothing."""
        if not isinstance(self._greeting, Ready) or not self._greeting.reuse:
            return False
        return not self._ended_or_spoke()

    def died_unasked(self) -> bool:
        """Return whether a bot has exited, was killed or sent unasked output since it answered `ready`."""
        return isinstance(self._greeting, Ready) and self._ended_or_spoke()

    def _ended_or_spoke(self) -> bool:
        try:
            return bool(self.transport.waiting()) or self.transport.wait(self.transport.clock()) is not None
        except (EndOfOutput, LineTooLong):
            return True

    def dismiss(self) -> None:
        """Close the bot's input and let the bot exit, without waiting. The caller must still call `close`.

        No bot may be on turn meanwhile, because this bot runs until it exits.
        """
        self.transport.dismiss()

    def close(self, *, polite: bool) -> PostMortem:
        """Close the bot. If polite, dismiss it first and give it one second to exit.

        Then all processes that are left are killed. No process of the bot runs afterwards, unless the kernel does not
        end one (`PostMortem.survivors`). A second call returns the same value.
        """
        return self.transport.close(polite=polite)


def wait_for_handshakes(sessions: Sequence[Session], until: int | None = None) -> None:
    """Wait for all handshakes, and read the output of all bots at the same time.

    Return earlier if the descriptor `until` can be read. Each bot has only its own start-up limit. Afterwards `greet`
    returns each outcome without waiting. To wait for one bot after another would be enough for nearly all bots. But a
    bot that fills the pipe of its stderr meanwhile would block, and be late without its own fault.
    """
    waiting = [session for session in sessions if session._greeting is None and session.transport.interests()]
    while waiting:
        poll = select.poll()
        for session in waiting:
            for descriptor, mask in session.transport.interests():
                poll.register(descriptor, mask)
        if until is not None:
            poll.register(until, select.POLLIN)
        clock = waiting[0].transport.clock
        ready = poll.poll(max(min(session._due for session in waiting) - clock(), 0.0) * 1000)
        if until is not None and any(descriptor == until for descriptor, _ in ready):
            return
        now = clock()
        waiting = [session for session in waiting if not session._hear_greeting(now)]


def _times(turn: Turn) -> TurnTimes:
    return TurnTimes(turn.wall_s, turn.excused_s, turn.cpu_s, turn.latency_s, turn.source)


def _says(stderr: bytes, words: Sequence[bytes]) -> bool:
    tail = stderr[-4096:]
    return any(word in tail for word in words)
