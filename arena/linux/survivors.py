"""Processes of bots that SIGKILL did not end in time, and what this process does about them.

A killed process ends when its last thread leaves the kernel. Nearly always that takes milliseconds; a thread for which
the kernel does long work without looking for signals stays until the work is done. Nobody can end it earlier. Such a
process is moved behind all others on its core, remembered, and looked for again before the core is trusted.
"""

from __future__ import annotations

import contextlib
import logging
import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.linux.proc import clock_of, has_ended, status_of
from arena.text.words import counted

PATIENCE_S: Final = 60.0
"""After SIGKILL a process is gone in milliseconds; a scratch folder full of files takes a second to empty, and many
threads that are in the kernel, where they hear nothing, may take some seconds to come out one after another."""
SOON_S: Final = 2.0
"""Whoever takes longer to end is moved behind all others, and is waited for in public."""
WORKED_S: Final = 0.05
"""A process that has used more processor time than this since it stepped back makes the kernel work; others wait, be it
for a core that a busy host does not give them. Behind all others one still gets some thousandths of its core."""
_SHOWN: Final = 3

_log = logging.getLogger("arena.linux")
_log.addHandler(logging.NullHandler())  # what a person must know is told by `tell_by`
_known: dict[tuple[int, int], Survivor] = {}
_tell: Callable[[str], None] | None = None


@dataclass(frozen=True, slots=True)
class Survivor:
    """A process that was killed and lives."""

    pid: int
    started: int
    bot: str
    """Whose it is, as people call it."""
    until: float
    """Moment up to which the next match on its core waits for it."""


def _forget() -> None:
    global _tell
    _known.clear()
    _tell = None


os.register_at_fork(after_in_child=_forget)  # they are the parent's affair


def tell_by(tell: Callable[[str], None] | None) -> None:
    """From now on say by this function whom a command waits for; else it is only written to the log."""
    global _tell
    _tell = tell


def alive(pid: int) -> bool:
    """Whether any thread of this process lives: one that only waits to be reaped is dead."""
    try:
        descriptor = os.pidfd_open(pid)
    except OSError:
        return False
    try:
        return not has_ended(descriptor)
    finally:
        os.close(descriptor)


class Dying:
    """A bot that was just killed, while its end is waited for: for a minute in all."""

    def __init__(self, bot: str, remains: Callable[[], Iterable[int]]) -> None:
        """`remains` looks for the processes of it that still live."""
        self._bot = bot
        self._remains = remains
        self._until = time.monotonic() + PATIENCE_S
        self._used: dict[int, float] | None = None

    @property
    def left_s(self) -> float:
        """How long it may still take."""
        return max(self._until - time.monotonic(), 0.0)

    def ends(self, lives: Callable[[float], bool], spare_s: float = 0.0) -> bool:
        """Whether it ends in time, and so much before; if not soon, it goes on behind all others meanwhile.

        `lives` waits for at most so many seconds, and tells whether what is waited for still lives then.
        """
        if not lives(min(SOON_S, self.left_s)):
            return True
        self.step_back()
        return not lives(max(self.left_s - spare_s, 0.0))

    def step_back(self) -> None:
        """It has not ended soon: whoever else wants the core comes first from now on, and people are told."""
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
        """How many of its processes live on, and whether the kernel works for them; they are remembered."""
        before = self._used or {}
        left = set(self._remains())
        works = any(_used_s(pid) - before.get(pid, 0.0) > WORKED_S for pid in left)
        for pid in left:
            remember(pid, self._bot)
        return len(left), works


def remember(pid: int, bot: str) -> None:
    """Keep in mind a process that has not ended although there was time enough."""
    status = status_of(pid)
    if status is None:
        return
    _step_back(pid)
    _known.setdefault((pid, status.started), Survivor(pid, status.started, bot, time.monotonic() + PATIENCE_S))
    _log.error("process %d of %s lives on after SIGKILL, in state %s", pid, bot, status.state)


def living() -> list[Survivor]:
    """Those that are remembered and still live."""
    for pid, started in list(_known):
        status = status_of(pid)
        if status is not None and status.started == started and alive(pid):
            continue
        del _known[pid, started]
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)
    return list(_known.values())


def pids() -> set[int]:
    """Their process ids."""
    return {survivor.pid for survivor in living()} if _known else set()


def wait_for_the_core() -> None:
    """Wait until none that is remembered wants the core, for a minute at most for each of them.

    After that they go on behind all others, and the next bots are excused for the little that they take.
    """
    told = False
    while waiting := [s for s in living() if time.monotonic() < s.until and _wants_the_core(s.pid)]:
        if not told:
            names = _first([f"process {survivor.pid} of {survivor.bot}" for survivor in waiting])
            _say(f"the next match waits for {names}, which was killed and still works in the kernel")
            told = True
        time.sleep(0.05)


def sentence(survivors: Iterable[Survivor]) -> str:
    """What a command ends with that leaves these behind."""
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


def _threads(pid: int) -> list[int]:
    try:
        return [int(task.name) for task in Path(f"/proc/{pid}/task").iterdir()]
    except OSError:
        return []


def _wants_the_core(pid: int) -> bool:
    threads = (status_of(pid, thread) for thread in _threads(pid))
    return any(thread is not None and thread.state == "R" for thread in threads)


def _used_s(pid: int) -> float:
    try:
        return time.clock_gettime(clock_of(pid))
    except OSError:
        return 0.0


def _step_back(pid: int) -> None:
    """Whoever else wants the core comes first."""
    for thread in _threads(pid):
        with contextlib.suppress(OSError):
            os.sched_setscheduler(thread, os.SCHED_IDLE, os.sched_param(0))
