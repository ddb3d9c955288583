"""What a session asks of the pipe to its bot, and the values that pass between sandbox, transport and session."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from arena.transport.scratch import remove_tree

STDERR_KEPT: Final = 32_768
"""So many bytes are kept of the head of stderr, and as many of its tail."""
OUTPUT_CAP: Final = 65_536
"""The longest line of a bot, its newline not counted."""


class EndOfOutput(Exception):
    """The bot's output ended before a whole line came; `alive` tells whether its process lives on without it."""

    def __init__(self, alive: bool) -> None:
        super().__init__("the output ended")
        self.alive = alive


class LineTooLong(Exception):
    """More than `OUTPUT_CAP` bytes came without a newline."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one bot may use of the host."""

    memory_mb: int = 512
    processes: int = 64
    """Processes and threads together."""
    scratch_mb: int = 64
    """Size of its private scratch folder."""
    open_files: int = 256
    file_mb: int = 64
    """Size of any one file that it writes."""


class Enclosure(ABC):
    """A group of processes that the host counts and limits together: a cgroup. Made for one bot, then discarded."""

    pressure: str
    """Path of its `cpu.pressure` file."""
    limits_memory: bool
    """Whether it bounds the memory of all that is inside, so that whatever is ended for its memory is counted."""

    @abstractmethod
    def enter(self) -> None:
        """Move this process in, so that what it starts next is born inside."""

    @abstractmethod
    def leave(self) -> None:
        """Move this process back to where it was."""

    @abstractmethod
    def freeze(self, frozen: bool) -> None:
        """Stop all that is inside, or let it go on."""

    @abstractmethod
    def kill(self) -> None:
        """SIGKILL to all that is inside."""

    @abstractmethod
    def memory_refusals(self) -> int:
        """How many processes the kernel ended because the memory of the group was used up."""

    @abstractmethod
    def discard(self) -> None:
        """Remove it; it must be empty."""


@dataclass(slots=True)
class Wrapped:
    """A command as it is really run, with what must be done around its start."""

    arguments: Sequence[str]
    environment: dict[str, str]
    folder: str | None = None
    """Working folder at the start, or None where the sandbox sets it."""
    pass_descriptors: tuple[int, ...] = ()
    """Inherited by the command; the arena's copies are closed after the start."""
    status_descriptor: int | None = None
    """Where the sandbox tells the bot's process id, as JSON lines; None: the bot is the started process itself."""
    scratch: str | None = None
    """A folder of the host to be removed after the end."""
    sealed: bool = False
    """No process of the bot can leave its process group: one signal reaches all of them."""
    uid: int | None = None
    """User that the transport itself must switch to; None where the command does so."""
    enclosure: Enclosure | None = None
    ledger: str | None = None
    """Folder in which the start is written down (see `arena.transport.process_registry`)."""
    runs_as: int = -1
    """User that the bot runs under in the end, whoever switches to it; -1 where nobody said."""

    def discard(self) -> None:
        """Give back all that was made for this start, when no process of it is left."""
        if self.status_descriptor is not None:
            os.close(self.status_descriptor)
            self.status_descriptor = None
        if self.scratch is not None:
            remove_tree(self.scratch)
        if self.enclosure is not None:
            self.enclosure.discard()


class Confinement(Protocol):
    """How commands are confined; see `arena.sandbox.launcher.Sandbox`."""

    def wrap(self, command: Sequence[str], folder: str, limits: Limits, *, writable: bool = False) -> Wrapped:
        """The command as it must be run in that folder under those limits."""
        ...


@dataclass(frozen=True, slots=True)
class Launch:
    """One program to start: what, where, how confined."""

    command: tuple[str, ...]
    folder: str
    confinement: Confinement
    limits: Limits = Limits()
    writable: bool = False
    """Whether it may write into the folder: for builds."""
    name: str = "a command"
    """What people call it."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a bot's process ended, all its helpers included."""

    stderr: bytes = b""
    """Head and tail of what it wrote there, 32 KiB each; what was left out is named in between."""
    exit_status: int | None = None
    """Exit code, or minus the signal; None where the process could not be reaped. 128 + signal inside a sandbox."""
    cpu_s: float = 0.0
    """Processor time of all its processes that were waited for."""
    peak_memory: int = 0
    """Bytes that its largest process held at most; never less than the arena's own size at the start."""
    survivors: int = 0
    """Processes that SIGKILL did not end within a minute (see `arena.linux.survivors`)."""
    works: bool = False
    """Whether the kernel works for one of the survivors; else all of them wait, for a disk perhaps."""


class Transport(ABC):
    """The pipe to one bot: whole messages in, whole lines out, freeze, thaw, end. Knows no protocol."""

    clock: Callable[[], float]
    """Monotonic seconds; every deadline is in its terms."""

    @abstractmethod
    def send(self, message: bytes) -> float:
        """Hand a message over without waiting, and return when the bot's clock starts.

        That is when the whole message was in the pipe, or when the pipe refused the rest; the rest is then written
        while `wait` waits.
        """

    @abstractmethod
    def wait(self, deadline: float) -> bytes | None:
        """The next whole line without its newline, or None at the deadline. Raises `EndOfOutput`, `LineTooLong`."""

    @abstractmethod
    def waiting(self) -> bytes:
        """The beginning of what the bot has written and nobody has asked for; does not wait."""

    @abstractmethod
    def interests(self) -> Sequence[tuple[int, int]]:
        """Descriptors and events for a poll that watches several bots at once; none where there is no process."""

    unsettled: bool = False
    """Whether `settle` is to be called: the bot is frozen, but was not looked at."""

    @abstractmethod
    def freeze(self) -> None:
        """Stop the bot with all its helpers."""

    @abstractmethod
    def settle(self) -> None:
        """See to it that a frozen bot really stands still, and wait for that, for at most about a second.

        Apart from `freeze`, so that what is counted of a turn can be read in between: this wait is no part of it.
        """

    looked_at: bool = False
    """Whether `settle` was called since the bot was frozen, so that `used_since_stop` can tell."""

    @abstractmethod
    def used_since_stop(self) -> float:
        """Seconds of processor time that a frozen bot has used all the same, where it is worth mentioning."""

    @abstractmethod
    def thaw(self) -> None:
        """Let it run again."""

    @abstractmethod
    def evidence(self) -> Evidence:
        """What tells how long the bot wanted the core and did not get it."""

    @abstractmethod
    def closed_output(self) -> bool:
        """Whether the bot's main process lives without an output, though the pipe has not ended."""

    @abstractmethod
    def memory_ran_out(self) -> bool:
        """Whether the host counted a refusal of memory, or the bot came close to its limit; known after `close`."""

    @abstractmethod
    def sandbox_failed(self) -> bool:
        """Whether the sandbox never came to run the command, which is no fault of a bot; known after `close`."""

    @abstractmethod
    def killed_from_outside(self) -> bool:
        """Whether somebody else killed the bot, beyond doubt: it cannot have done so itself; known after `close`."""

    @abstractmethod
    def looks_killed(self) -> bool:
        """Whether the bot has ended as SIGKILL ends a process; it may have done so itself, or imitate it.

        If it has ended, its remains are given up.
        """

    @abstractmethod
    def dismiss(self) -> None:
        """Let the bot leave: its input ends and it runs. Several can leave at a time; `close` waits for each."""

    @abstractmethod
    def close(self, *, polite: bool) -> Ending:
        """End the bot and give back all that it held; the same answer again when called again.

        Polite: it has a second to leave from when it was dismissed, by this call at the latest. No process of it is
        alive afterwards, unless the kernel does not end it (`Ending.survivors`).
        """


class Evidence(ABC):
    """How much of a turn's wall time the bot must be excused for."""

    name: str

    @abstractmethod
    def forget(self) -> None:
        """What was counted up to now, at first since the bot was started, is no part of any turn."""

    @abstractmethod
    def begin(self, now: float) -> None:
        """A turn starts, at that moment of the transport's clock."""

    @abstractmethod
    def finish(self, wall_s: float) -> tuple[float, float]:
        """The answer came after that wall time: (excused, processor time used), both in seconds."""

    @abstractmethod
    def look(self, wall_s: float) -> tuple[float, float]:
        """The same while the turn still goes on, as far as it can be known already."""

    @abstractmethod
    def close(self) -> None:
        """Give back what the evidence holds."""

    @abstractmethod
    def still_waits(self) -> bool:
        """Whether the bot wants the core just now, so that a wait may be going on that no count has yet."""


class HeadAndTail:
    """The first and the last bytes of a stream of any length.

    >>> kept = HeadAndTail(4)
    >>> kept.add(b"abcdefghij"); kept.add(b"klm")
    >>> kept.read()
    b'abcd\\n[5 bytes left out]\\njklm'
    """

    __slots__ = ("_head", "_size", "_tail", "_total")

    def __init__(self, size: int = STDERR_KEPT) -> None:
        self._size = size
        self._head = bytearray()
        self._tail = bytearray()
        self._total = 0

    def add(self, data: bytes) -> None:
        """The stream goes on with these bytes."""
        self._total += len(data)
        room = self._size - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        self._tail += data[-self._size :]
        # Cut seldom, not with every read: a bot may write gigabytes here.
        if len(self._tail) > 4 * self._size:
            del self._tail[: -self._size]

    def read(self) -> bytes:
        """Head and tail; between them, if anything was left out, a line that says how much."""
        tail = bytes(self._tail[-self._size :])
        left_out = self._total - len(self._head) - len(tail)
        if left_out:
            return bytes(self._head) + b"\n[%d bytes left out]\n" % left_out + tail
        return bytes(self._head) + tail
