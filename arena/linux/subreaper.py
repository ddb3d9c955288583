"""Which processes belong to whom, and that none outlives its parent: thin words for a few Linux calls.

On another system the calls do nothing: nights still run, but what a killed worker leaves behind is not swept up.
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
"""Whose processes are taken over is not known."""
_LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def sweep_up_after_parent(parent: int) -> None:
    """When the parent dies, kill all descendants of this process, then end it; at once if that has happened already.

    Call it first thing after a fork: the signal hangs on the parent's thread that forked. It is not SIGKILL, since an
    unconfined bot that is frozen would then stay behind for ever: nothing thaws or ends it.
    """
    signal.signal(_PARENT_DIED, lambda _signal, _frame: sweep_up())
    adopt_orphans(True)
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, _PARENT_DIED, 0, 0, 0)
    if os.getppid() != parent:
        # The parent died between the fork and the call above: no signal will come.
        os._exit(1)


def sweep_up() -> NoReturn:
    """Kill all descendants of this process, then end it at once."""
    try:
        kill_adopted(())
    finally:
        os._exit(1)


def adopt_orphans(adopt: bool) -> bool:
    """Say whether descendants that lose their parent become children of this process; gives what held before."""
    before = ctypes.c_int(0)
    if _LIBC is not None:
        _LIBC.prctl(_PR_GET_CHILD_SUBREAPER, ctypes.byref(before), 0, 0, 0)
        _LIBC.prctl(_PR_SET_CHILD_SUBREAPER, int(adopt), 0, 0, 0)
    return bool(before.value)


def children() -> set[int]:
    """Process ids of this process's children, dead but unreaped ones included."""
    own = os.getpid()
    return {process.pid for process in all_processes() if process.parent == own}


def kill_adopted(kept: Collection[int]) -> int:
    """Kill and reap all children but the kept ones, until none is left; how many there were.

    A killed child hands its own children on to this process, so each round may bring new ones to light. Those that the
    kernel does not end within a minute are remembered (`arena.linux.survivors`).
    """
    killed = 0
    left: set[int] = set()
    until = time.monotonic() + survivors.PATIENCE_S
    while orphans := children().difference(kept, left, survivors.pids()):
        for pid in orphans:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                # A whole group at a time where it is one: a bot may fork faster than one kill at a time.
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
    """Reap a killed child; whether it ended by then."""
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
            # One that another process traces shows its end to that one first.
            return os.waitpid(pid, os.WNOHANG)[0] == pid
        return True
    finally:
        os.close(descriptor)


_PR_SET_DUMPABLE: Final = 4


def become_reaper() -> None:
    """Make this process the reaper of all its descendants, and close it to them."""
    adopt_orphans(True)
    # Unconfined bots may run under the arena's own user: without this they could attach to it like a debugger, and read
    # its memory and its environment.
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def signal_all(pids: set[int], number: signal.Signals) -> None:
    """Send the signal to each that still lives."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def reap(pids: set[int], patience_s: float) -> set[int]:
    """Wait for our children among these to end; returns those that did not in that time."""
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
