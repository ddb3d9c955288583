"""Start a program in its cgroup, in its own kernel session, on one core."""

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
    """Start the command inside its cgroup, if any. On failure, release what the start needs and raise `ArenaFault`."""
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
            # Leave also after `enter` failed half-way: the cgroup must be empty, without the arena, to be discarded.
            if wrapped.enclosure is not None:
                wrapped.enclosure.leave()
    except OSError as error:
        wrapped.discard()
        raise ArenaFault(f"cannot start {wrapped.arguments[0]}: {error.strerror}") from error


@contextlib.contextmanager
def on_one_core() -> Iterator[None]:
    """Start programs on a single core, even if this process is not pinned itself.

    The kernel reports the pressure of a cgroup as the mean of its cores. So the wait of a bot that moves between cores,
    or runs on two at a time, would be excused only in part. On one core, a freeze also stops the whole bot at once.
    """
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) == 1:
        yield
        return
    # Processes that share the cores start with different ones.
    os.sched_setaffinity(0, {cores[(os.getpid() + next(_starts)) % len(cores)]})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def offer_to_memory_killer(pid: int) -> None:
    """Let the kernel kill bots before the arena when the host runs out of memory. Child processes inherit this."""
    with contextlib.suppress(OSError):
        Path(f"/proc/{pid}/oom_score_adj").write_text("1000")
