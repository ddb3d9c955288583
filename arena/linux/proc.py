"""What Linux tells of other processes: the one reader of their status in `/proc`. On other systems there is none."""

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
    """One letter: R runs or wants to, S and D wait, T is stopped, Z is dead and not reaped, X is gone."""
    parent: int
    session: int
    started: int
    """Clock ticks since the machine was started: with the pid it names one process for ever."""
    ended_as: int
    """Of a dead one: its status as `waitpid` gives it; 0 where this process may not know."""


def status_of(pid: int, thread: int | None = None) -> ProcessStatus | None:
    """The status of a process, or of one thread of it; None when it is gone."""
    try:
        text = Path(f"/proc/{pid}/stat" if thread is None else f"/proc/{pid}/task/{thread}/stat").read_bytes()
    except OSError:
        return None
    # The second field is a name in brackets, which may hold anything, spaces and brackets too; the third comes first.
    fields = text.rpartition(b") ")[2].split()
    return ProcessStatus(pid, fields[0].decode(), int(fields[1]), int(fields[3]), int(fields[19]), int(fields[49]))


def clock_of(pid: int) -> int:
    """The number by which Linux knows the processor clock of another process (clock_getcpuclockid(3))."""
    return (~pid << 3) | 2


def has_ended(descriptor: int, patience_s: float = 0.0) -> bool:
    """Whether the process of this pidfd has ended, waited for at most so long; it may still have to be reaped."""
    waiting = select.poll()
    waiting.register(descriptor, select.POLLIN)
    return bool(waiting.poll(patience_s * 1000))


def all_processes() -> Iterator[ProcessStatus]:
    """Every process that this one may see."""
    for folder in Path("/proc").glob("[0-9]*"):
        if (status := status_of(int(folder.name))) is not None:
            yield status


def descendants(pid: int) -> set[int]:
    """All living descendants of a process, looked for until a look finds nothing new."""
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
