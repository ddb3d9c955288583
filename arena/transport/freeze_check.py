"""The freeze check: ensure that all threads of a frozen bot have really stopped.

The kernel delivers SIGSTOP to one thread of a process, and that thread must receive it before the others stop. The
other threads continue to compute until this thread has run. While it waits for a child that `vfork` started, it
receives no signal, so the others would never stop. A dying process runs for as long as the kernel needs to free its
memory. Both would use the CPU during the turns of other bots. So the arena checks a bot after a freeze, before another
bot is on turn. It sends the signal to each thread that has not stopped, until none of them runs.

A check takes as long as a short turn, so most bots are checked only after their first turns and then at random times.
A bot that did not stop at once is restless: the arena checks it after each of its turns, and also the next process of
its program.
"""

from __future__ import annotations

import contextlib
import ctypes
import signal
import time
from collections.abc import Callable, Hashable, Iterable
from pathlib import Path
from random import Random
from typing import Final

from arena.linux.proc import clock_of, status_of

FIRST_LOOKS: Final = (4, 12)
"""Minimum and maximum number of first freezes of a process that are checked in any case."""
LOOK_EVERY_S: Final = 0.02
"""Mean time between later checks. Each interval is random and independent, so that no bot can predict a check."""
MOST_WAITED_S: Final = 1.0
"""Longest wait of one check. It is enough for most kernel work that receives no signals, and limits a match's delay."""
FREE_S: Final = 0.001
"""CPU time after a freeze that is not charged, because language runtimes clean up after an answer."""
RESTLESS_S: Final = 0.0001
"""CPU time that is more than a few idle threads need to stop."""
_BREATH_S: Final = 0.00005
"""Pause that leaves the CPU to the threads that must run to stop."""
_STOPPED: Final = "TtZX"

FORGIVEN_AFTER: Final = 200
"""Number of clean checks in a row after which a program is no longer restless: a busy host may have been the cause."""
_restless: Final[dict[Hashable, int]] = {}
"""The programs that had a restless process in this arena, and how many clean checks each still needs."""
_luck: Final = Random()
"""Random generator for the times of checks. No result depends on it."""
_tgkill: Final = getattr(ctypes.CDLL(None), "tgkill", None)
"""`kill` for one thread of any process; Python offers it only for its own threads. None if the C library lacks it."""


class FreezeCheck:
    """Check one bot after it was frozen."""

    def __init__(
        self,
        program: Hashable,
        clock: Callable[[], float],
        lives: Callable[[], bool],
        processes: Callable[[], Iterable[int]],
        *,
        by_signal: bool,
        usage: Path | None,
    ) -> None:
        """Remember restlessness by `program`. `processes` returns the ids of the bot and its child processes.

        `lives` returns whether the bot's first process runs. A bot that has ended is not checked.

        A bot that a cgroup froze, and not a signal (`by_signal`), appears idle, not stopped, and must not receive
        SIGSTOP. `usage` is the cgroup's file with the CPU time of all processes.
        """
        self._program = program
        self._clock = clock
        self._lives = lives
        self._processes = processes
        self._by_signal = by_signal
        self._usage = usage
        self._used_at_stop: dict[int, float] | None = None
        """CPU time by process id, just before the last freeze was checked; None if it was not checked."""
        self._looks_left = _luck.randint(*FIRST_LOOKS)
        self.due = 0.0
        """Time from which a freeze must be checked; 0 for a restless bot, so that every freeze is checked."""

    @property
    def restless(self) -> bool:
        """Return whether a process of this program recently did not stop at once."""
        return self._program in _restless

    def run(self) -> None:
        """Ensure that the whole bot has stopped. Returns when it has, or after `MOST_WAITED_S`."""
        if not self._lives():
            return
        until = self._clock() + MOST_WAITED_S
        told: set[int] = set()
        self._used_at_stop = self._used()
        clean = 0
        # A thread that received the signal inside the kernel may be leaving the kernel just now. Then one clean check
        # is not enough.
        while clean < (2 if told else 1) and self._clock() < until:
            time.sleep(_BREATH_S)
            states = self._tell(told)
            clean = 0 if states else clean + 1
            # A thread that only waits for the CPU, to stop there, does not make its bot restless.
            if states and ("R" not in states or "D" in states or self._since_stop() > RESTLESS_S):
                _restless[self._program] = FORGIVEN_AFTER
        if not told and self.restless:
            _restless[self._program] -= 1
            if _restless[self._program] == 0:
                del _restless[self._program]
        self._looks_left = max(self._looks_left - 1, 0)
        if self._looks_left == 0 and not self.restless:
            self.due = self._clock() + _luck.expovariate(1 / LOOK_EVERY_S)
        else:
            self.due = 0.0

    def used_since(self) -> float | None:
        """Return the CPU time since the freeze that `run` checked, in seconds; None if the last freeze was not checked.

        CPU time of at most `FREE_S` counts as 0. A second call returns None.
        """
        if self._used_at_stop is None:
            return None
        # If the bot was killed meanwhile, only the kernel used CPU time.
        used_s = self._since_stop() if self._lives() else 0.0
        self._used_at_stop = None
        if used_s <= FREE_S:
            return 0.0
        _restless[self._program] = FORGIVEN_AFTER
        return used_s

    def _since_stop(self) -> float:
        before = self._used_at_stop or {}
        return sum(used_s - before.get(pid, used_s) for pid, used_s in self._used().items())

    def _tell(self, told: set[int]) -> set[str]:
        """Return the states of the threads that have not stopped. With `by_signal`, send them SIGSTOP.

        Each thread that received the signal is added to `told`.
        """
        states = set()
        for pid in self._processes():
            for thread in _threads(pid):
                status = status_of(pid, thread)
                if status is None or status.state in _STOPPED:
                    continue
                if not self._by_signal:
                    if status.state == "R":
                        states.add("R")
                    continue
                if status.state == "D" and thread in told:
                    continue  # it blocks in the kernel now, and will receive the signal when it continues
                states.add(status.state)
                told.add(thread)
                if _tgkill is not None:
                    _tgkill(pid, thread, signal.SIGSTOP)
        return states

    def _used(self) -> dict[int, float]:
        """Return CPU time in seconds by process id; with a cgroup, the total of all its processes ever, under 0."""
        if self._usage is not None:
            with contextlib.suppress(OSError, ValueError):
                return {0: int(self._usage.read_bytes().split()[1]) / 1e6}
        used = {}
        for pid in self._processes():
            with contextlib.suppress(OSError):
                used[pid] = time.clock_gettime(clock_of(pid))
        return used


def _threads(pid: int) -> list[int]:
    try:
        return [int(task.name) for task in Path(f"/proc/{pid}/task").iterdir()]
    except OSError:
        return []
