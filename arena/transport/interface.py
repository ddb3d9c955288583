"""The interface between a session and its bot, which is a real process, or in tests a scripted one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from arena.transport.base import Evidence, PostMortem
from arena.transport.turn import Turn


class Transport(ABC):
    """The connection to one bot: ask it, read its lines, close it. It knows no protocol."""

    clock: Callable[[], float]
    """Return monotonic seconds. Every deadline is a time of this clock."""

    @abstractmethod
    def send(self, message: bytes) -> float:
        """Send a message without blocking, and return the time at which the bot's clock starts.

        The clock starts when the complete message is in the pipe, or when the pipe accepts no more bytes. In the
        second case, `wait` writes the rest.
        """

    @abstractmethod
    def wait(self, deadline: float) -> bytes | None:
        """Return the next complete line without its newline, or None at the deadline.

        Raises `EndOfOutput` and `LineTooLong`.
        """

    @abstractmethod
    def waiting(self) -> bytes:
        """Return the start of the output that the arena has not requested yet. Does not block."""

    @abstractmethod
    def take_stderr(self, size: int) -> bytes:
        """Return head and tail, `size` bytes each, of what the bot wrote to stderr since the last call.

        Neither a later call nor `close` returns it again.
        """

    @abstractmethod
    def interests(self) -> Sequence[tuple[int, int]]:
        """Return descriptors and events for a poll that watches several bots; none if there is no process."""

    @abstractmethod
    def turn(self, message: bytes, asked: float) -> Turn:
        """Return the context of one turn, which was requested at the time `asked`.

        It sends the message, and the bot runs only inside of the `with` block.
        """

    @abstractmethod
    def freeze(self) -> None:
        """Freeze the bot with all its child processes after its start, and ensure that it has really stopped."""

    @abstractmethod
    def evidence(self) -> Evidence:
        """Return the counters that measure how long the bot waited for the CPU."""

    @abstractmethod
    def closed_output(self) -> bool:
        """Return whether the bot's main process runs without an output, although the pipe has not ended."""

    @abstractmethod
    def looks_killed(self) -> bool:
        """Return whether the bot has ended already, as if by SIGKILL (see `EndCause.KILLED`).

        Ask before `close`. If the bot has ended, its zombie process may be reaped.
        """

    @abstractmethod
    def dismiss(self) -> None:
        """Close the bot's input and let it run, so that it can exit. Several bots can exit at the same time.

        `close` waits for each of them.
        """

    @abstractmethod
    def close(self, *, polite: bool) -> PostMortem:
        """Close the bot and release everything that it held. A second call returns the same value.

        If polite, the bot has one second to exit, counted from `dismiss`, which this call does if nobody did it before.
        Afterwards no process of the bot is alive, unless the kernel does not end it (`PostMortem.survivors`).
        """
