"""Find out whether the owner of a leftover still runs, by its process id, its start time and the boot of its host.

Every sweeper asks this module: for incoming submissions, scratch folders, cgroups and records of running bots.
"""

from __future__ import annotations

import functools
import hashlib
import os
import time
from pathlib import Path
from typing import Final

from arena.linux.proc import ProcessStatus, status_of

MARK: Final = r"[0-9a-f]{8}-[0-9]{1,10}-[0-9]{1,20}"
"""Regular expression of an owner's mark."""
ELSEWHERE_S: Final = 24 * 3600.0
"""Time without a change after which work of another host, boot or pid namespace counts as abandoned."""


def living(pid: int) -> ProcessStatus | None:
    """Return the status of a running process; None if it does not exist, or is dead and not reaped."""
    status = status_of(pid)
    return None if status is None or status.state in "ZX" else status


@functools.lru_cache(maxsize=1)
def start_of(pid: int) -> int:
    """Return the start time of a process in clock ticks of the kernel; 0 if it does not run."""
    own = living(pid)
    return own.started if own is not None else 0


@functools.cache
def boot_id() -> str:
    """Return the id of this boot of the host; empty if the host has none."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


@functools.cache
def place_id() -> str:
    """Return 8 hex digits for the scope in which process ids are valid: this boot of this host, this pid namespace."""
    try:
        namespace = Path("/proc/self/ns/pid").readlink().name
    except OSError:
        namespace = ""
    return hashlib.sha256(f"{boot_id()} {namespace}".encode()).hexdigest()[:8]


def owner_mark() -> str:
    """Return a mark of this process for the names of the files that it creates: `PLACE-PID-START`."""
    return f"{place_id()}-{os.getpid()}-{start_of(os.getpid())}"


def is_from_here(mark: str) -> bool:
    """Return whether a mark was made in this scope, so that the process ids of its owner mean something here."""
    return mark.partition("-")[0] == place_id()


def start_in(mark: str) -> int:
    """Return the start time of the process that a valid mark names."""
    return int(mark.rpartition("-")[2])


def is_abandoned(mark: str, changed_s: float) -> bool:
    """Return whether the process that a mark names has ended; `changed_s` is when its work last changed (Unix time).

    Several hosts may share a home. This host cannot see the processes of another host, so the work of another host
    counts as abandoned only if it has not changed for a day. A string that is not a valid mark is never abandoned.
    """
    place, _, process = mark.partition("-")
    pid, _, started = process.partition("-")
    if not all(part.isascii() and part.isdigit() and len(part) <= 20 for part in (pid, started)):
        return False
    if place != place_id():
        return time.time() - changed_s > ELSEWHERE_S
    owner = living(int(pid))
    return owner is None or owner.started != int(started)
