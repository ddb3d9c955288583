"""Which core runs what: each worker with its bots on one of its own, the parent on what is left, or a step behind."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from typing import Final

_STEP_BACK: Final = 10


def for_workers(count: int, *, pin: bool) -> Sequence[int | None]:
    """A core for each worker; None for all where they are not to be pinned, or there are not enough."""
    cores = sorted(os.sched_getaffinity(0))
    return [None] * count if not pin or count > len(cores) else cores[:count]


def make_room(count: int) -> set[int]:
    """Move this process to the cores that pinned workers leave; where there is none, step back to nice 10.

    Gives the cores that it could use before.
    """
    cores = os.sched_getaffinity(0)
    if count < len(cores):
        os.sched_setaffinity(0, sorted(cores)[count:])
    elif os.getpriority(os.PRIO_PROCESS, 0) < _STEP_BACK:
        os.setpriority(os.PRIO_PROCESS, 0, _STEP_BACK)
    return cores


def come_back(cores: set[int], nice: int) -> None:
    """Undo `make_room`."""
    os.sched_setaffinity(0, cores)
    with contextlib.suppress(PermissionError):  # only root may step forward again
        os.setpriority(os.PRIO_PROCESS, 0, nice)


def pin(core: int | None, nice: int) -> None:
    """In a worker: run on this core alone, at the priority that the first workers have."""
    if core is not None:
        os.sched_setaffinity(0, {core})
    if os.getpriority(os.PRIO_PROCESS, 0) != nice:
        # A replacement is forked from a parent that has stepped back. Only root may step forward again; for others
        # the replacement and its bots share their core with nobody who is ahead of them.
        with contextlib.suppress(PermissionError):
            os.setpriority(os.PRIO_PROCESS, 0, nice)
