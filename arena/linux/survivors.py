"""Handle processes of bots that SIGKILL did not end in time.

A killed process ends when its last thread leaves the kernel. That takes milliseconds in nearly all cases. But if the
kernel does long work for a thread without checking for signals, the thread stays until the work is done, and nothing
can end it earlier. Such a process gets the lowest priority on its core and is remembered. Before the next match on this
core, the arena checks it again.
"""

from __future__ import annotations

import contextlib
import logging
import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from arena.linux.proc import clock_of, has_ended, status_of, threads_of
from arena.text.words import counted

PATIENCE_S: Final = 60.0
"""Longest wait for the end of a killed bot. Most processes end within milliseconds. A scratch folder full of files
takes a second to empty. Many threads that block in the kernel may take some seconds to leave it one after another."""
SOON_S: Final = 2.0
"""A killed process that takes longer to end gets the lowest priority, and the user is informed about the wait."""
WORKED_S: Final = 0.05
"""A process that has used more CPU time than this since its priority was lowered makes the kernel work. Others only
wait, perhaps for a CPU on a busy host: even the lowest priority gets some thousandths of a core."""
_SHOWN: Final = 3

_log = logging.getLogger("arena.linux")
_log.addHandler(logging.NullHandler())  # messages for a human reader go to the function of `tell_by`
_known: dict[tuple[int, int], Survivor] = {}
_tell: Callable[[str], None] | None = None


@dataclass(frozen=True, slots=True)
class Survivor:
    """A process that was killed and still runs."""

    pid: int
    started: int
    bot: str
    """Name of its bot in messages."""
    until: float
    """Time until which the next match on its core waits for the process."""


def _forget() -> None:
    global _tell
    _known.clear()
    _tell = None


os.register_at_fork(after_in_child=_forget)  # the parent alone handles its survivors


def tell_by(tell: Callable[[str], None] | None) -> None:
    """Report from now on with this function which processes a command waits for. With None, only the log has them."""
    global _tell
    _tell = tell


def alive(pid: int) -> bool:
    """Return whether any thread of this process runs. A process that only waits to be reaped is dead."""
    try:
        descriptor = os.pidfd_open(pid)
    except OSError:
        return False
    try:
        return not has_ended(descriptor)
    finally:
        os.close(descriptor)


class Dying:
    """A bot that was just killed and whose end the arena waits for, one minute at most."""

    def __init__(self, bot: str, remains: Callable[[], Iterable[int]]) -> None:
        """Start the wait. `remains` returns the processes of the bot that still run."""
        self._bot = bot
        self._remains = remains
        self._until = time.monotonic() + PATIENCE_S
        self._used: dict[int, float] | None = None

    @property
    def left_s(self) -> float:
        """Return the time that is left, in seconds."""
        return max(self._until - time.monotonic(), 0.0)

    def ends(self, lives: Callable[[float], bool], spare_s: float = 0.0) -> bool:
        """Return whether the bot ends in time, `spare_s` before the limit. If it does not end soon, lower its priority.

        `lives` waits for at most the given number of seconds, and returns whether the process still runs then.
        """
        if not lives(min(SOON_S, self.left_s)):
            return True
        self.step_back()
        return not lives(max(self.left_s - spare_s, 0.0))

    def step_back(self) -> None:
        """Give a bot that has not ended soon the lowest priority, and report the wait. A second call does nothing."""
        if self._used is not None:
            return
        self._used = {pid: _used_s(pid) for pid in self._remains()}
        for pid in self._used:
            _step_back(pid)
        if self._used:
            _say(
                f"{self._bot} was killed and has not ended yet: waiting up to {PATIENCE_S:g} s for"
                f" {counted(len(self._used), 'process', 'processes')}, {_first(sorted(self._used))}"
            )

    def give_up(self) -> tuple[int, bool]:
        """Remember the bot's running processes. Return their number, and whether the kernel works for one of them."""
        before = self._used or {}
        left = set(self._remains())
        works = any(_used_s(pid) - before.get(pid, 0.0) > WORKED_S for pid in left)
        for pid in left:
            remember(pid, self._bot)
        return len(left), works


def remember(pid: int, bot: str) -> None:
    """Remember a process that did not end within the time limit."""
    status = status_of(pid)
    if status is None:
        return
    _step_back(pid)
    _known.setdefault((pid, status.started), Survivor(pid, status.started, bot, time.monotonic() + PATIENCE_S))
    _log.error("process %d of %s lives on after SIGKILL, in state %s", pid, bot, status.state)


def living() -> list[Survivor]:
    """Return the remembered processes that still run."""
    for pid, started in list(_known):
        status = status_of(pid)
        if status is not None and status.started == started and alive(pid):
            continue
        del _known[pid, started]
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)
    return list(_known.values())


def pids() -> set[int]:
    """Return the process ids of the remembered processes that still run."""
    return {survivor.pid for survivor in living()} if _known else set()


def wait_for_the_core() -> None:
    """Wait until no remembered process is runnable, one minute at most for each of them.

    After that, they continue with the lowest priority, and the next bots are excused for the CPU time that they take.
    """
    told = False
    while waiting := [s for s in living() if time.monotonic() < s.until and _wants_the_core(s.pid)]:
        if not told:
            names = _first([f"process {survivor.pid} of {survivor.bot}" for survivor in waiting])
            _say(f"the next match waits for {names}, which was killed and still works in the kernel")
            told = True
        time.sleep(0.05)


def sentence(survivors: Iterable[Survivor]) -> str:
    """Return the last message of a command that leaves these processes running."""
    names = _first([f"process {survivor.pid} of {survivor.bot}" for survivor in survivors])
    return (
        f"not ended {PATIENCE_S:g} s after SIGKILL: {names}; the kernel works or waits for it, and it ends when that is"
        " done, or with the next start of this machine"
    )


def _say(text: str) -> None:
    _log.warning("%s", text)
    if _tell is not None:
        _tell(text)


def _first(things: Sequence[object]) -> str:
    more = f" and {len(things) - _SHOWN} more" if len(things) > _SHOWN else ""
    return ", ".join(map(str, things[:_SHOWN])) + more


def _wants_the_core(pid: int) -> bool:
    threads = (status_of(pid, thread) for thread in threads_of(pid))
    return any(thread is not None and thread.state == "R" for thread in threads)


def _used_s(pid: int) -> float:
    try:
        return time.clock_gettime(clock_of(pid))
    except OSError:
        return 0.0


def _step_back(pid: int) -> None:
    """Give all threads of the process the lowest priority."""
    for thread in threads_of(pid):
        with contextlib.suppress(OSError):
            os.sched_setscheduler(thread, os.SCHED_IDLE, os.sched_param(0))
