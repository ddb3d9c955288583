"""Adopt orphans and kill descendants, so that no process outlives its owner: thin wrappers of a few Linux calls.

On other systems the calls do nothing. Nights still run there, but the leaked processes of a killed worker stay.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time
from collections.abc import Collection
from typing import Final, NoReturn

from arena.linux import survivors
from arena.linux.proc import all_processes, has_ended

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_PR_GET_CHILD_SUBREAPER = 37
_PARENT_DIED = signal.SIGUSR1
_BOT = "a bot"
"""Name for the unknown owner of adopted processes."""
_LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def sweep_up_after_parent(parent: int) -> None:
    """Make this process kill all its descendants and exit when the parent dies; exit at once if it is dead already.

    Call this immediately after a fork. The kernel sends the signal when the parent's thread that forked ends. The
    signal is not SIGKILL, because then nothing would thaw or kill a frozen bot without a sandbox.
    """
    signal.signal(_PARENT_DIED, lambda _signal, _frame: sweep_up())
    adopt_orphans(True)
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, _PARENT_DIED, 0, 0, 0)
    if os.getppid() != parent:
        # The parent died between the fork and the call above, so no signal will arrive.
        os._exit(1)


def sweep_up() -> NoReturn:
    """Kill all descendants of this process, then exit immediately."""
    try:
        kill_adopted(())
    finally:
        os._exit(1)


def adopt_orphans(adopt: bool) -> bool:
    """Set whether orphaned descendants are re-parented to this process, and return the previous setting."""
    before = ctypes.c_int(0)
    if _LIBC is not None:
        _LIBC.prctl(_PR_GET_CHILD_SUBREAPER, ctypes.byref(before), 0, 0, 0)
        _LIBC.prctl(_PR_SET_CHILD_SUBREAPER, int(adopt), 0, 0, 0)
    return bool(before.value)


def children() -> set[int]:
    """Return the process ids of this process's children, including dead children that are not reaped."""
    own = os.getpid()
    return {process.pid for process in all_processes() if process.parent == own}


def kill_adopted(kept: Collection[int]) -> int:
    """Kill and reap all children except `kept`, until no other child is left. Return the number of killed processes.

    The children of a killed child are re-parented to this process, so each round may find new children. Processes that
    the kernel does not end within a minute are remembered (`arena.linux.survivors`).
    """
    killed = 0
    left: set[int] = set()
    until = time.monotonic() + survivors.PATIENCE_S
    while orphans := children().difference(kept, left, survivors.pids()):
        for pid in orphans:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                # Kill a whole process group at once, because a bot may fork faster than single kills work.
                if os.getpgid(pid) == pid:
                    os.killpg(pid, signal.SIGKILL)
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for pid in orphans:
            if _bury(pid, until):
                killed += 1
            else:
                left.add(pid)
    return killed


def _bury(pid: int, until: float) -> bool:
    """Reap a killed child, and return whether it ended before the time `until`."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        if not has_ended(descriptor, min(survivors.SOON_S, max(until - time.monotonic(), 0.0))):
            survivors.Dying(_BOT, lambda: {pid}).step_back()
            if not has_ended(descriptor, max(until - time.monotonic(), 0.0)):
                survivors.remember(pid, _BOT)
                return False
        with contextlib.suppress(ChildProcessError):
            # If another process traces the child, the kernel reports the end to the tracer first.
            return os.waitpid(pid, os.WNOHANG)[0] == pid
        return True
    finally:
        os.close(descriptor)


_PR_SET_DUMPABLE: Final = 4


def become_reaper() -> None:
    """Make this process the sub-reaper of all its descendants, and protect it from them."""
    adopt_orphans(True)
    # Without a sandbox, bots may run under the arena's own user. Without this call, they could attach to the arena like
    # a debugger, and read its memory and its environment.
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def signal_all(pids: set[int], number: signal.Signals) -> None:
    """Send the signal to each of the processes that still runs."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def reap(pids: set[int], patience_s: float) -> set[int]:
    """Wait for these processes to end, and reap our children among them. Return those that did not end in time.

    The time limit applies to each process separately.
    """
    left = set()
    for pid in pids:
        try:
            descriptor = os.pidfd_open(pid)
        except ProcessLookupError:
            continue
        try:
            if not has_ended(descriptor, patience_s):
                left.add(pid)
                continue
        finally:
            os.close(descriptor)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)
    return left
