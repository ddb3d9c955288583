"""CPU affinity: each worker and its bots have their own core; the parent has the other cores or a lower priority."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from typing import Final

_STEP_BACK: Final = 10


def for_workers(count: int, *, pin: bool) -> Sequence[int | None]:
    """Return a core for each worker. All are None if workers are not pinned, or if there are too few cores."""
    cores = sorted(os.sched_getaffinity(0))
    return [None] * count if not pin or count > len(cores) else cores[:count]


def make_room(count: int) -> set[int]:
    """Move this process to the cores without pinned workers; if there is none, lower its priority to nice 10.

    Return the cores that the process could use before.
    """
    cores = os.sched_getaffinity(0)
    if count < len(cores):
        os.sched_setaffinity(0, sorted(cores)[count:])
    elif os.getpriority(os.PRIO_PROCESS, 0) < _STEP_BACK:
        os.setpriority(os.PRIO_PROCESS, 0, _STEP_BACK)
    return cores


def restore(cores: set[int], nice: int) -> None:
    """Return to the cores and the priority that this process had before `make_room`."""
    os.sched_setaffinity(0, cores)
    with contextlib.suppress(PermissionError):  # only root may restore its priority
        os.setpriority(os.PRIO_PROCESS, 0, nice)


def pin(core: int | None, nice: int) -> None:
    """Pin the calling worker to the core, and give it the priority that the first workers have."""
    if core is not None:
        os.sched_setaffinity(0, {core})
    if os.getpriority(os.PRIO_PROCESS, 0) != nice:
        # A replacement is forked from a parent whose priority was lowered. Only root may restore it. Without root, no
        # process on the same core has a higher priority than the replacement and its bots.
        with contextlib.suppress(PermissionError):
            os.setpriority(os.PRIO_PROCESS, 0, nice)
