"""How a program is started: in its cgroup, in a kernel session of its own, on one core."""

from __future__ import annotations

import contextlib
import itertools
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from arena.errors import ArenaFault
from arena.transport.base import Wrapped

_starts = itertools.count()


def start(wrapped: Wrapped) -> subprocess.Popen[bytes]:
    """Start the command inside its enclosure. Raises `ArenaFault`, and then gives back what was made for the start."""
    try:
        try:
            if wrapped.enclosure is not None:
                wrapped.enclosure.enter()
            return subprocess.Popen(
                wrapped.arguments,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                cwd=wrapped.folder,
                env=wrapped.environment,
                pass_fds=wrapped.pass_descriptors,
                start_new_session=True,
                user=wrapped.uid,
                group=wrapped.uid,
                extra_groups=None if wrapped.uid is None else (),
            )
        finally:
            for descriptor in wrapped.pass_descriptors:
                os.close(descriptor)
            # Also where entering failed half way: what is discarded must be empty, and the arena not inside.
            if wrapped.enclosure is not None:
                wrapped.enclosure.leave()
    except OSError as error:
        wrapped.discard()
        raise ArenaFault(f"cannot start {wrapped.arguments[0]}: {error.strerror}") from error


@contextlib.contextmanager
def on_one_core() -> Iterator[None]:
    """What is started here stays on one core, also where this process is not pinned itself.

    The kernel gives the pressure of a cgroup as the mean of its cores, so the wait of a bot that moves between them, or
    is on two at a time, would be excused in part only; and on one core what freezes it stops all of it at once.
    """
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) == 1:
        yield
        return
    # Processes that share the cores begin at different ones.
    os.sched_setaffinity(0, {cores[(os.getpid() + next(_starts)) % len(cores)]})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def offer_to_memory_killer(pid: int) -> None:
    """When the whole host runs out of memory, the bots shall go first, not the arena; children inherit it."""
    with contextlib.suppress(OSError):
        Path(f"/proc/{pid}/oom_score_adj").write_text("1000")
