"""Read the state of other processes. Only this module parses `/proc/PID/stat`. Other systems offer nothing to read."""

from __future__ import annotations

import contextlib
import select
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple


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


def status_of(pid: int, thread: int | None = None) -> ProcessStatus | None:
    """Return the status of a process, or of one of its threads; None if it does not exist."""
    try:
        text = Path(f"/proc/{pid}/stat" if thread is None else f"/proc/{pid}/task/{thread}/stat").read_bytes()
    except OSError:
        return None
    # The second field is a name in brackets, which may contain any characters, including spaces and brackets. After the
    # split, the third field is the first.
    fields = text.rpartition(b") ")[2].split()
    return ProcessStatus(pid, fields[0].decode(), int(fields[1]), int(fields[3]), int(fields[19]), int(fields[49]))


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
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            with contextlib.suppress(OSError):
                found.update(map(int, (task / "children").read_bytes().split()))
    return found
