"""The seats in the matches of a check: the bot, with its dialogue recorded, and seats that play at random."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable
from random import Random
from typing import Any, Final

import orjson

from arena.match.referee import SeatSession
from arena.match.session import TurnResult
from arena.model.causes import Cause
from arena.model.clock import TurnTimes
from arena.model.faults import BotFault
from arena.protocol.messages import Answer, Decline, Ready
from arena.text.sanitize import terminal
from arena.transport.base import PostMortem

SHOWN_MESSAGES: Final = 12
SHOWN_CHARACTERS: Final = 600
"""Longer messages are cut in the middle: their start shows the type, their end the legal actions."""


class OutOfTime(Exception):
    """The time limit of the check was reached; this is no fault of the bot."""


class CheckedSession:
    """A session that records its dialogue and starts no turn after a deadline.

    `shortened` means that its start-up limit is the time until the deadline, so that a late start is not a fault.
    """

    def __init__(
        self,
        inner: SeatSession,
        hello: bytes,
        now: Callable[[], float],
        deadline: float,
        *,
        shortened: bool = False,
    ) -> None:
        self._inner = inner
        self._hello = hello
        self._now = now
        self.deadline = deadline
        self._shortened = shortened
        self._dialogue: deque[str] = deque(maxlen=SHOWN_MESSAGES)
        self.faulty = False
        """Whether a fault or the end of the check interrupted the bot, so that its exit is not checked."""

    def dialogue(self) -> tuple[str, ...]:
        """Return the last messages, oldest first, each shortened to one line."""
        return tuple(self._dialogue)

    def _note(self, mark: str, text: str) -> None:
        shown = terminal(text.strip())
        if len(shown) > SHOWN_CHARACTERS:
            half = SHOWN_CHARACTERS // 2
            shown = f"{shown[:half]} […{len(shown) - 2 * half} characters…] {shown[-half:]}"
        self._dialogue.append(f"{mark} {shown}")

    def greet(self) -> Ready | Decline:
        """Return the answer to `hello`."""
        first = not self._dialogue
        if first:
            self._note(">", self._hello.decode())
        try:
            answer = self._inner.greet()
        except BotFault as fault:
            if fault.cause is Cause.STARTUP_LATE and self._shortened:
                raise OutOfTime from None
            self._fault(fault)
            raise
        if first:
            self._note("<", _ready_as_json(answer))
        return answer

    def start(self, message: bytes) -> None:
        """Send `start`."""
        self._note(">", message.decode())
        try:
            self._inner.start(message)
        except BotFault as fault:
            self._fault(fault)
            raise

    def ask(
        self, message: bytes, *, turn: int, limit_s: float, strike_window_s: float = 0.0, late: Cause = Cause.TURN_LATE
    ) -> TurnResult:
        """Send a turn and return the answer. Raises `OutOfTime` if the check's time ends before the bot's."""
        left_s = self.deadline - self._now()
        if left_s <= 0:
            raise OutOfTime
        self._note(">", message.decode())
        try:
            heard = self._inner.ask(
                message, turn=turn, limit_s=min(limit_s, left_s), strike_window_s=strike_window_s, late=late
            )
        except BotFault as fault:
            if fault.cause is late and left_s < limit_s:
                raise OutOfTime from None
            self._fault(fault)
            raise
        if heard.answer is not None:
            self._note("<", _as_json(heard.answer))
        return heard

    def end(self, message: bytes) -> None:
        """Send `end`."""
        self._note(">", message.decode())
        self._inner.end(message)

    def take_stderr(self) -> bytes:
        """Return head and tail of what the bot wrote to stderr since the last call."""
        return self._inner.take_stderr()

    def close(self, *, polite: bool) -> PostMortem:
        """Stop the bot; after a fault, kill it without waiting for its exit."""
        self.faulty = self.faulty or not polite
        return self._inner.close(polite=polite and not self.faulty)

    def _fault(self, fault: BotFault) -> None:
        self.faulty = True
        self._note("!", f"{fault.cause}: {fault.detail}")


def _ready_as_json(answer: Ready | Decline) -> str:
    if isinstance(answer, Decline):
        return '{"type": "decline"}'
    return json.dumps({"type": "ready", "reuse": answer.reuse, "legal": answer.legal})


def _as_json(answer: Answer) -> str:
    fields: dict[str, Any] = {"action": answer.action}
    if answer.turn is not None:
        fields["turn"] = answer.turn
    if answer.note is not None:
        fields["note"] = answer.note
    return json.dumps(fields)


class RandomSeat:
    """A seat inside the arena that chooses uniformly among its legal actions, by the seed of its start message."""

    def __init__(self) -> None:
        self._rng = Random(0)

    def greet(self) -> Ready | Decline:
        """Return that it is ready."""
        return Ready(reuse=True, legal="full")

    def start(self, message: bytes) -> None:
        """Seed the random generator."""
        self._rng = Random(orjson.loads(message)["seed"])

    def ask(
        self, message: bytes, *, turn: int, limit_s: float, strike_window_s: float = 0.0, late: Cause = Cause.TURN_LATE
    ) -> TurnResult:
        """Return the index of a random legal action."""
        choice = self._rng.randrange(len(orjson.loads(message)["legal"]))
        return TurnResult(Answer(choice, turn), TurnTimes(0.0))

    def end(self, message: bytes) -> None:
        """Do nothing."""

    def take_stderr(self) -> bytes:
        """Return nothing: there is no process."""
        return b""

    def close(self, *, polite: bool) -> PostMortem:
        """Do nothing: there is no process."""
        return PostMortem()
