"""Read the state of other processes. Only this module parses `/proc/PID/stat`. Other systems offer nothing to read."""

from __future__ import annotations

import contextlib
import os
import select
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

_SMALL: Final = 4096
"""Bytes of a file that are read at most: one line of numbers, or a few."""


class ProcessStatus(NamedTuple):
    """One process of this host, or one thread of it."""

    pid: int
    state: str
    """One letter: R is runnable, S and D wait, T is stopped, t is traced, Z is dead and not reaped, X is dead."""
    parent: int
    session: int
    started: int
    """Start time in clock ticks since the machine booted. Together with the pid, it identifies a process of a boot."""
    ended_as: int
    """Status of a dead process, as `waitpid` returns it; 0 if this process may not read it."""
    threads: int = 1
    """Number of threads of the process."""


def status_of(pid: int, thread: int | None = None) -> ProcessStatus | None:
    """Return the status of a process, or of one of its threads; None if it does not exist."""
    try:
        text = read_at_once(f"/proc/{pid}/stat" if thread is None else f"/proc/{pid}/task/{thread}/stat")
    except OSError:
        return None
    return _parse(pid, text)


def _parse(pid: int, text: bytes) -> ProcessStatus:
    # The second field is a name in brackets, which may contain any characters, including spaces and brackets. After the
    # split, the third field is the first.
    fields = text.rpartition(b") ")[2].split()
    return ProcessStatus(
        pid, fields[0].decode(), int(fields[1]), int(fields[3]), int(fields[19]), int(fields[49]), int(fields[17])
    )


def read_at_once(path: str) -> bytes:
    """Return the content of a small file of the kernel, with three system calls. `Path.read_bytes` needs seven."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(descriptor, _SMALL)
    finally:
        os.close(descriptor)


class KeptFile:
    """A small file of the kernel that is opened once and then read often, each time with one system call."""

    __slots__ = ("_descriptor",)

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Open the file. Raises `OSError`."""
        self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)

    def read(self) -> bytes:
        """Return the content as it is now. Raises `OSError`, also after `close`."""
        return os.pread(self._descriptor, _SMALL, 0)

    def close(self) -> None:
        """Close the file. A second call does nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


class KeptProcess:
    """A process whose status is read often."""

    def __init__(self, pid: int) -> None:
        """Open the files. Raises `OSError`."""
        self._pid = pid
        self._stat = KeptFile(f"/proc/{pid}/stat")
        try:
            self._children = KeptFile(f"/proc/{pid}/task/{pid}/children")
        except OSError:
            self._stat.close()
            raise

    def only_state(self) -> str | None:
        """Return the state of the process if it has one thread and no children; else None."""
        try:
            status = _parse(self._pid, self._stat.read())
            return status.state if status.threads == 1 and not self._children.read() else None
        except OSError:
            return None

    def close(self) -> None:
        """Close the files. A second call does nothing."""
        self._stat.close()
        self._children.close()


def clock_of(pid: int) -> int:
    """Return the id of the CPU-time clock of another process (see clock_getcpuclockid(3))."""
    return (~pid << 3) | 2


def has_ended(descriptor: int, patience_s: float = 0.0) -> bool:
    """Return whether the process of this pidfd ends within this time. It may still need to be reaped."""
    waiting = select.poll()
    waiting.register(descriptor, select.POLLIN)
    return bool(waiting.poll(patience_s * 1000))


def all_processes() -> Iterator[ProcessStatus]:
    """Yield the status of every process that this process can see."""
    for folder in Path("/proc").glob("[0-9]*"):
        if (status := status_of(int(folder.name))) is not None:
            yield status


def descendants(pid: int) -> set[int]:
    """Return all running descendants of a process. The search repeats until it finds no new process."""
    found: set[int] = set()
    while True:
        new = {child for parent in (pid, *found) for child in children_of(parent)} - found
        if not new:
            return found
        found |= new


def children_of(pid: int) -> set[int]:
    found: set[int] = set()
    for thread in threads_of(pid):
        with contextlib.suppress(OSError):
            found.update(map(int, Path(f"/proc/{pid}/task/{thread}/children").read_bytes().split()))
    return found


def threads_of(pid: int) -> list[int]:
    """Return the ids of the threads of a process; none if it does not exist."""
    try:
        return list(map(int, os.listdir(f"/proc/{pid}/task")))  # noqa: PTH208
    except OSError:
        return []
