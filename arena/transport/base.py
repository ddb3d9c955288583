"""The values that sandbox, transport and session exchange: what to start, within which limits, and how it ended."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol

from arena.transport.scratch import remove_tree

STDERR_KEPT: Final = 32_768
"""Number of bytes of stderr that are kept from its head, and again from its tail."""
STDERR_OF_FINISHER: Final = 2_048
"""The same for a bot that finishes its match: a night stores it for every seat, so it must stay small."""
OUTPUT_CAP: Final = 65_536
"""Length of the longest line that a bot may write, in bytes, without its newline."""


class EndOfOutput(Exception):
    """The bot's output ended before a complete line arrived. `alive` is true if its process still runs."""

    def __init__(self, alive: bool) -> None:
        super().__init__("the output ended")
        self.alive = alive


class LineTooLong(Exception):
    """A line is longer than `OUTPUT_CAP` bytes."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The resources of the host that one bot may use."""

    memory_mb: int = 512
    processes: int = 64
    """Maximum number of processes and threads together."""
    scratch_mb: int = 64
    """Size of the bot's private scratch folder."""
    open_files: int = 256
    file_mb: int = 64
    """Maximum size of any single file that the bot writes."""


class Enclosure(ABC):
    """A group of processes that the host measures and limits together: a cgroup. It serves one bot only."""

    pressure: str
    """Path of the group's `cpu.pressure` file."""
    limits_memory: bool
    """Whether it limits the memory of all its processes together. If so, the kernel counts its OOM kills."""

    @abstractmethod
    def enter(self) -> None:
        """Move this process into the group, so that the processes that it starts next start inside."""

    @abstractmethod
    def leave(self) -> None:
        """Move this process back to the group that it was in before."""

    @abstractmethod
    def freeze(self, frozen: bool) -> None:
        """Freeze all processes of the group, or thaw them."""

    @abstractmethod
    def kill(self) -> None:
        """Send SIGKILL to all processes of the group."""

    @abstractmethod
    def memory_refusals(self) -> int:
        """Return how many processes the kernel killed because the group had used up its memory."""

    @abstractmethod
    def discard(self) -> None:
        """Remove the group, which must be empty."""


@dataclass(slots=True)
class Wrapped:
    """A command as the arena really runs it, with everything that its start needs."""

    arguments: Sequence[str]
    environment: dict[str, str]
    folder: str | None = None
    """Working folder at the start, or None if the sandbox sets it."""
    pass_descriptors: tuple[int, ...] = ()
    """Descriptors that the command inherits. The arena's copies are closed after the start."""
    status_descriptor: int | None = None
    """Pipe on which the sandbox reports the bot's process id, as JSON lines; None if the started process is the bot."""
    scratch: str | None = None
    """Folder of the host that must be removed after the bot has ended."""
    copy: str | None = None
    """Folder with a copy of the bot's files, which must be removed too."""
    sealed: bool = False
    """Whether no process of the bot can leave its process group. If so, one signal reaches all of them."""
    uid: int | None = None
    """User that the transport itself must switch to; None if the command does so."""
    enclosure: Enclosure | None = None
    ledger: str | None = None
    """Folder in which the start is recorded (see `arena.transport.process_registry`)."""
    runs_as: int = -1
    """User that the bot finally runs under, no matter which program switches to it; -1 if unknown."""

    def discard(self) -> None:
        """Release everything that was created for this start. No process of the bot may be left."""
        if self.status_descriptor is not None:
            os.close(self.status_descriptor)
            self.status_descriptor = None
        for folder in filter(None, (self.scratch, self.copy)):
            remove_tree(folder)
        if self.enclosure is not None:
            self.enclosure.discard()


class Confinement(Protocol):
    """The sandbox of commands; see `arena.sandbox.launcher.Sandbox`."""

    def wrap(self, command: Sequence[str], folder: str, limits: Limits, *, writable: bool = False) -> Wrapped:
        """Return the command as it must be run in this folder under these limits."""
        ...


@dataclass(frozen=True, slots=True)
class Launch:
    """One program to start, with its folder, its sandbox and its limits."""

    command: tuple[str, ...]
    folder: str
    confinement: Confinement
    limits: Limits = Limits()
    writable: bool = False
    """Whether the program may write into the folder, as a build must."""
    name: str = "a command"
    """Name of the program in messages."""


class EndCause(StrEnum):
    """Why a bot ended, as far as the host can tell."""

    EXITED = "exited"
    """It ended for none of the other causes. See the exit status."""
    OUT_OF_MEMORY = "out_of_memory"
    """The host counted an OOM kill, or the bot came close to its memory limit."""
    SANDBOX_FAILED = "sandbox_failed"
    """The sandbox never ran the command, which is not the bot's fault."""
    KILLED_FROM_OUTSIDE = "killed_from_outside"
    """Something outside the bot certainly killed it."""
    KILLED = "killed"
    """It ended as if by SIGKILL. It may have sent the signal itself, or the arena did so in order to close it."""


@dataclass(frozen=True, slots=True)
class PostMortem:
    """How a bot ended, with all its child processes."""

    stderr: bytes = b""
    """Head and tail of the bot's stderr since `take_stderr`, 32 KiB each. A line between states how much was cut."""
    exit_status: int | None = None
    """Exit code, or minus the signal; in a sandbox 128 + signal. None if the process could not be reaped."""
    cause: EndCause = EndCause.EXITED
    cpu_s: float = 0.0
    """CPU time of all processes that were reaped, in seconds."""
    peak_memory: int = 0
    """Peak memory of the largest process, in bytes; never less than the arena's own size at the start."""
    survivors: int = 0
    """Number of processes that SIGKILL did not end within a minute (see `arena.linux.survivors`)."""
    works: bool = False
    """Whether the kernel works for one of the survivors. If not, all of them wait, for example for a disk."""


class Evidence(ABC):
    """Counters that measure how much of a turn's wall time is excused."""

    name: str

    @abstractmethod
    def forget(self) -> None:
        """Reset the baseline: the counts up to now, for example of the start-up, belong to no turn."""

    @abstractmethod
    def begin(self, now: float) -> None:
        """Start a turn at this time of the transport's clock."""

    @abstractmethod
    def finish(self, wall_s: float) -> tuple[float, float]:
        """End a turn that took this wall time. Return excused time and CPU time, both in seconds."""

    @abstractmethod
    def look(self, wall_s: float) -> tuple[float, float]:
        """Return the same two values for a turn that is not over, as far as they are known."""

    @abstractmethod
    def close(self) -> None:
        """Release the descriptors of the counters."""

    @abstractmethod
    def still_waits(self) -> bool:
        """Return whether the bot may be waiting for the CPU now, in a wait that no counter shows yet."""


class HeadAndTail:
    """Keep the first and the last bytes of a stream of any length.

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
        """Append these bytes to the stream."""
        self._total += len(data)
        room = self._size - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        self._tail += data[-self._size :]
        # Truncate rarely, not after every read, because a bot may write gigabytes here.
        if len(self._tail) > 4 * self._size:
            del self._tail[: -self._size]

    def read(self, size: int | None = None) -> bytes:
        """Return head and tail, at most `size` bytes each. If bytes were omitted, a line between states how many.

        >>> kept = HeadAndTail(4)
        >>> kept.add(b"abcdefgh")
        >>> kept.read(1), kept.read(4)
        (b'a\\n[6 bytes left out]\\nh', b'abcdefgh')
        """
        size = self._size if size is None else min(size, self._size)
        if self._total <= 2 * size:
            return bytes(self._head + self._tail)
        head = bytes(self._head[:size])
        tail = bytes((self._head + self._tail)[-size:])
        return head + b"\n[%d bytes left out]\n" % (self._total - 2 * size) + tail
