"""Whether the process that left something behind still lives: by its number, its start and the boot of the host."""

from __future__ import annotations

import functools
from pathlib import Path

from arena.linux.proc import ProcessStatus, status_of


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
