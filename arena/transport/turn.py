"""One turn of a bot as one context: thaw, let it run, freeze, read the counters, check the freeze."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import NamedTuple, Protocol

from arena.transport.base import Evidence


class Freezable(Protocol):
    """The processes of one bot, as a turn needs them (see `arena.transport.process_group`)."""

    def freeze(self) -> None:
        """Freeze all processes."""

    def thaw(self) -> None:
        """Let all processes run again."""


class Check(Protocol):
    """The freeze check of one bot, as a turn needs it (see `arena.transport.freeze_check`)."""

    due: float
    """Time from which a freeze must be checked."""

    def run(self) -> None:
        """Ensure that the whole bot has stopped."""

    def used_since(self) -> float | None:
        """Return the CPU time that the bot used since the last check; None if its last freeze was not checked."""


class TurnParts(NamedTuple):
    """The parts of a bot's process that each of its turns uses."""

    send: Callable[[bytes], float]
    clock: Callable[[], float]
    group: Freezable
    counters: Evidence
    check: Check


class Turn:
    """A turn. Its values are known after the `with` block.

    The bot is frozen again after the block, unless the block raised an exception: then the bot keeps running, and the
    values are those measured so far.
    """

    __slots__ = ("_asked", "_message", "_parts", "began", "cpu_s", "excused_s", "latency_s", "wall_s")

    began: float
    """Time at which the bot's clock started."""
    wall_s: float
    """Time until the end of the block, and CPU time that the bot used while it was frozen before, in seconds."""
    excused_s: float
    cpu_s: float
    latency_s: float
    """Time that the arena itself needed before and after the turn, in seconds."""

    def __init__(self, parts: TurnParts, message: bytes, asked: float) -> None:
        self._parts = parts
        self._message = message
        self._asked = asked

    @property
    def source(self) -> str:
        """Return the name of the counters."""
        return self._parts.counters.name

    def __enter__(self) -> Turn:
        send, _, group, counters, check = self._parts
        self.wall_s = 0.0
        if (used_s := check.used_since()) is not None:
            # CPU time that it used after its last answer is charged now, but is not CPU time of this turn.
            self.wall_s = used_s
            counters.forget()
        counters.begin(self._asked)
        # The message is written while the bot is frozen, so that the clock is read before the bot can run.
        self.began = send(self._message)
        group.thaw()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _, clock, group, counters, check = self._parts
        began = self.began
        ended = clock()
        wall_s = ended - began
        self.wall_s += wall_s
        if kind is not None:
            self.excused_s, self.cpu_s = counters.look(wall_s)
            self.latency_s = began - self._asked
            return
        group.freeze()
        self.excused_s, self.cpu_s = counters.finish(wall_s)
        now = clock()
        self.latency_s = began - self._asked + now - ended
        # Checked after the counters were read, because the wait for the freeze is not part of the turn.
        if now >= check.due:
            check.run()
