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
import os
import signal
import time
from collections.abc import Callable, Hashable, Iterable
from pathlib import Path
from random import Random
from typing import Final

from arena.linux.proc import KeptFile, KeptProcess, clock_of, status_of, threads_of

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
        leader: Callable[[], int] | None = None,
        usage: Path | None,
    ) -> None:
        """Remember restlessness by `program`. `processes` returns the ids of the bot and its child processes.

        `lives` returns whether the bot's first process runs. A bot that has ended is not checked.

        A bot that a cgroup froze, and not a signal (`by_signal`), appears idle, not stopped, and must not receive
        SIGSTOP. `leader` returns the id of the process from which all processes of the bot descend; None if they may
        have left their family. `usage` is the cgroup's file with the CPU time of all processes.
        """
        self._program = program
        self._clock = clock
        self._lives = lives
        self._processes = processes
        self._by_signal = by_signal
        self._leader = leader
        self._kept_leader: KeptProcess | None = None
        self._usage: KeptFile | None = None
        with contextlib.suppress(OSError):
            self._usage = KeptFile(usage) if usage is not None else None
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
        signalled: set[int] = set()
        self._used_at_stop = self._used()
        os.sched_yield()  # leave the CPU to a thread that must run to stop
        if not self._stopped_at_once():
            self._stop_all(signalled)
        if not signalled and self.restless:
            _restless[self._program] -= 1
            if _restless[self._program] == 0:
                del _restless[self._program]
        self._looks_left = max(self._looks_left - 1, 0)
        if self._looks_left == 0 and not self.restless:
            self.due = self._clock() + _luck.expovariate(1 / LOOK_EVERY_S)
        else:
            self.due = 0.0

    def _stopped_at_once(self) -> bool:
        """Return whether two readings prove that the bot has stopped, because it is one process with one thread."""
        if self._leader is None:
            return False
        if self._kept_leader is None:
            try:
                self._kept_leader = KeptProcess(self._leader())
            except OSError:
                return False
        state = self._kept_leader.only_state()
        return state is not None and (state in _STOPPED or (not self._by_signal and state != "R"))

    def _stop_all(self, signalled: set[int]) -> None:
        """Send SIGSTOP to each thread until none of them runs. Each thread that received it is added to `signalled`."""
        until = self._clock() + MOST_WAITED_S
        clean = 0
        # A thread that received the signal inside the kernel may be leaving the kernel just now. Then one clean check
        # is not enough.
        while clean < (2 if signalled else 1) and self._clock() < until:
            time.sleep(_BREATH_S)
            states = self._signal_threads(signalled)
            clean = 0 if states else clean + 1
            # A thread that only waits for the CPU, to stop there, does not make its bot restless.
            if states and ("R" not in states or "D" in states or self._since_stop() > RESTLESS_S):
                _restless[self._program] = FORGIVEN_AFTER

    def close(self) -> None:
        """Close the files that are read. A second call does nothing."""
        for kept in (self._kept_leader, self._usage):
            if kept is not None:
                kept.close()

    def used_since(self) -> float | None:
        """Return the CPU time since the freeze that `run` checked, in seconds; None if the last freeze was not checked.

        CPU time of at most `FREE_S` counts as 0. A second call returns None.
        """
        if self._used_at_stop is None:
            return None
        used_s = self._since_stop()
        self._used_at_stop = None
        # If the bot was killed meanwhile, only the kernel used CPU time.
        if used_s <= FREE_S or not self._lives():
            return 0.0
        _restless[self._program] = FORGIVEN_AFTER
        return used_s

    def _since_stop(self) -> float:
        before = self._used_at_stop or {}
        return sum(used_s - before.get(pid, used_s) for pid, used_s in self._used().items())

    def _signal_threads(self, signalled: set[int]) -> set[str]:
        """Return the states of the threads that have not stopped. With `by_signal`, send them SIGSTOP.

        Each thread that received the signal is added to `signalled`.
        """
        states = set()
        for pid in self._processes():
            for thread in threads_of(pid):
                status = status_of(pid, thread)
                if status is None or status.state in _STOPPED:
                    continue
                if not self._by_signal:
                    if status.state == "R":
                        states.add("R")
                    continue
                if status.state == "D" and thread in signalled:
                    continue  # it blocks in the kernel now, and will receive the signal when it continues
                states.add(status.state)
                signalled.add(thread)
                if _tgkill is not None:
                    _tgkill(pid, thread, signal.SIGSTOP)
        return states

    def _used(self) -> dict[int, float]:
        """Return CPU time in seconds by process id; with a cgroup, the total of all its processes ever, under 0."""
        if self._usage is not None:
            with contextlib.suppress(OSError, ValueError):
                return {0: int(self._usage.read().split(None, 2)[1]) / 1e6}
        used = {}
        for pid in self._processes():
            with contextlib.suppress(OSError):
                used[pid] = time.clock_gettime(clock_of(pid))
        return used
