"""Whether the process that left something behind still lives: by its number, its start and the boot of the host."""

from __future__ import annotations

import functools
import hashlib
import os
import time
from pathlib import Path
from typing import Final

from arena.linux.proc import ProcessStatus, status_of

ELSEWHERE_S: Final = 24 * 3600.0
"""What a process of another place left is taken for abandoned after this time without a change."""


def living(pid: int) -> ProcessStatus | None:
    """Return the status of a process that lives; None if it is gone, or dead and not reaped yet."""
    status = status_of(pid)
    return None if status is None or status.state in "ZX" else status


@functools.lru_cache(maxsize=1)
def start_of(pid: int) -> int:
    """Return when a process started, in the kernel's ticks; 0 where it is gone."""
    own = living(pid)
    return own.started if own is not None else 0


@functools.cache
def boot_id() -> str:
    """Return the id of this boot of the host; empty where the host has none."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


@functools.cache
def place_id() -> str:
    """Return 8 hex digits for where process numbers mean the same: this boot of this host, this pid namespace."""
    try:
        namespace = Path("/proc/self/ns/pid").readlink().name
    except OSError:
        namespace = ""
    return hashlib.sha256(f"{boot_id()} {namespace}".encode()).hexdigest()[:8]


def owner_mark() -> str:
    """Return a mark of this process for the names of what it makes: `PLACE-PID-START`."""
    return f"{place_id()}-{os.getpid()}-{start_of(os.getpid())}"


def is_abandoned(mark: str, changed_s: float) -> bool:
    """Return whether the process that a mark names has ended; `changed_s` is when its work last changed (Unix time).

    Several hosts may share a home. Nobody here can look at a process of another host, so its work is only taken for
    abandoned when it has not changed for a day. A text that is no mark is never abandoned.
    """
    place, _, process = mark.partition("-")
    pid, _, started = process.partition("-")
    if not all(part.isascii() and part.isdigit() and len(part) <= 20 for part in (pid, started)):
        return False
    if place != place_id():
        return time.time() - changed_s > ELSEWHERE_S
    owner = living(int(pid))
    return owner is None or owner.started != int(started)
