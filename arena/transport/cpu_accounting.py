"""Measure the excused time of a bot: how long it waited for the CPU while other programs used it.

There are three sources, the best first: the `full` line of the cgroup's `cpu.pressure`, which includes threads and
child processes; the scheduler's counters of the bot's threads (`schedstat`); none. The arena's own wait for the CPU
during the turn is added. No source ever excuses CPU time that the bot used itself.
"""

from __future__ import annotations

import contextlib
import math
import os
import time
from abc import abstractmethod
from pathlib import Path
from typing import Final

from arena.linux.proc import KeptFile, clock_of, read_at_once, status_of, threads_of
from arena.transport.base import Evidence

WORTH_READING_S: Final = 0.0002
"""A turn that is idle for less time than this does not justify reading a counter. Nothing of it is excused."""
MOST_UNREAD_S: Final = 0.002
"""Limit of the wait before a turn that can be excused in that turn. The bot's counter is read before a turn if the
turns since its last reading were idle for longer than this in total. The arena's own counter is read before a turn if
its last reading is older than this."""


class NoEvidence(Evidence):
    """Excuse nothing, so that only wall time counts: for hosts without `/proc` and transports without a process."""

    name = "none"

    def forget(self) -> None:
        """Do nothing: there is no baseline."""

    def begin(self, now: float) -> None:
        """Do nothing: there is no counter."""

    def finish(self, wall_s: float) -> tuple[float, float]:
        """Return zeros: nothing is excused."""
        return 0.0, 0.0

    def look(self, wall_s: float) -> tuple[float, float]:
        """Return zeros: nothing is excused."""
        return 0.0, 0.0

    def still_waits(self) -> bool:
        """Return False, because it is unknown."""
        return False

    def close(self) -> None:
        """Do nothing: there are no descriptors."""


class CountedEvidence(Evidence):
    """Measure with a counter of the kernel that only grows, and hardly grows while the bot is frozen.

    Most turns are too short to justify reading the counter. It is not read after such a turn, and its growth is
    discarded later (`MOST_UNREAD_S`).
    """

    def __init__(self, pid: int) -> None:
        self._cpu_clock = clock_of(pid)
        self._own = _OwnDelay()
        self._own_before = 0.0
        self._began = 0.0
        self._cpu = 0.0
        self._helpers = 0.0
        self._unread_s = 0.0

    def forget(self) -> None:
        """Reset the baseline. Until then the counters include the start-up."""
        group_s = self._group_cpu()
        self._cpu = self._cpu_now(self._cpu)
        self._growth()
        self._helpers_cpu(group_s, self._cpu)
        self._unread_s = 0.0

    def begin(self, now: float) -> None:
        """Read the counters, but only if they may have grown too much since their last reading.

        The little CPU time that a bot uses while it is frozen counts in this turn, unless `forget` was called before.
        """
        if self._unread_s > MOST_UNREAD_S:
            self._growth()
            self._helpers_cpu(self._group_cpu(), self._cpu_now(self._cpu))
            self._unread_s = 0.0
        if not 0.0 <= now - _last_own.read_at <= MOST_UNREAD_S:
            self._own.read(now)
        self._own_before = _last_own.total_s
        self._began = now

    def finish(self, wall_s: float) -> tuple[float, float]:
        """Return excused time and CPU time of the turn."""
        before, self._cpu = self._cpu, self._cpu_now(self._cpu)
        cpu_s = self._cpu - before
        idle_s = wall_s - cpu_s
        if idle_s < WORTH_READING_S:
            # Parallel threads can use more CPU time than the wall time, and still wait for the CPU.
            self._unread_s += idle_s if idle_s > 0.0 else wall_s
            return 0.0, cpu_s
        own_s = self._own.read(self._began + wall_s) - self._own_before
        self._unread_s = 0.0
        # While the bot's child processes ran, the arena may have waited for the CPU, but no other program caused that.
        helpers_s = self._helpers_cpu(self._group_cpu(), self._cpu)
        return max(min(idle_s - helpers_s, self._growth() + own_s), 0.0), cpu_s

    def look(self, wall_s: float) -> tuple[float, float]:
        """Return the same two values so far. The baseline of the turn does not change."""
        # The group's counter is read first, so the difference is wrong by the time between the two readings; a bot
        # without children gains no more than that.
        group_s, now_s = self._group_cpu(), self._cpu_now(self._cpu)
        cpu_s = now_s - self._cpu
        idle_s = wall_s - cpu_s - self._helpers_cpu(group_s, now_s, keep_baseline=True)
        return max(min(idle_s, self._growth(keep_baseline=True)), 0.0), cpu_s

    def close(self) -> None:
        """Close the descriptors. A second call does nothing."""
        self._own.close()

    @abstractmethod
    def _growth(self, *, keep_baseline: bool = False) -> float:
        """Return the growth of the counter since its last reading, in seconds."""

    def _group_cpu(self) -> float | None:
        """Return the CPU time of all processes of the bot, in seconds; None if unknown."""
        return None

    def _helpers_cpu(self, group_s: float | None, first_s: float, *, keep_baseline: bool = False) -> float:
        """Return the CPU time that the bot's child processes used since the last reading, in seconds; 0 if unknown.

        `group_s` is the CPU time of all processes now, `first_s` that of the first process.
        """
        if group_s is None:
            return 0.0
        before, now = self._helpers, group_s - first_s
        if not keep_baseline:
            self._helpers = now
        return max(now - before, 0.0)

    def _cpu_now(self, otherwise: float) -> float:
        try:
            return time.clock_gettime(self._cpu_clock)
        except OSError:  # the process has exited
            return otherwise


class SchedulerEvidence(CountedEvidence):
    """Measure with the scheduler's counters: CPU time of the process, and run delay of each of its threads.

    The largest delay of a single thread counts, never the sum. A bot's own threads wait for each other, so eight
    spinning threads would earn time without end.
    """

    name = "schedstat"

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._delays: dict[int, float] = {}
        super().__init__(pid)
        if not threads_of(pid):
            self.close()
            raise FileNotFoundError(f"/proc/{pid}")

    def still_waits(self) -> bool:
        """Return whether a thread of the bot is runnable. No counter includes a wait before the wait ends."""
        threads = (status_of(self._pid, thread) for thread in threads_of(self._pid))
        return any(thread is not None and thread.state == "R" for thread in threads)

    def _growth(self, *, keep_baseline: bool = False) -> float:
        growth = 0.0
        found: dict[int, float] = {}
        for thread in threads_of(self._pid):
            try:
                delay = int(read_at_once(f"/proc/{self._pid}/task/{thread}/schedstat").split()[1]) / 1e9
            except (OSError, ValueError, IndexError):
                continue
            found[thread] = delay
            growth = max(growth, delay - self._delays.get(thread, 0.0))
        if not keep_baseline:
            self._delays = found
        return growth


class PressureEvidence(CountedEvidence):
    """Measure with the `cpu.pressure` of a cgroup that holds the bot with all its threads and child processes."""

    name = "pressure"

    def __init__(self, pressure: str, pid: int) -> None:
        self._pressure = KeptFile(pressure)
        try:
            self._usage = KeptFile(Path(pressure).with_name("cpu.stat"))
        except OSError:
            self._pressure.close()
            raise
        super().__init__(pid)
        self._full = 0.0

    def still_waits(self) -> bool:
        """Return False: the pressure already includes a wait that is not over."""
        return False

    def close(self) -> None:
        """Close the descriptors."""
        self._pressure.close()
        self._usage.close()
        super().close()

    def _growth(self, *, keep_baseline: bool = False) -> float:
        before, now = self._full, self._read()
        if not keep_baseline:
            self._full = now
        return now - before

    def _group_cpu(self) -> float | None:
        try:
            return int(self._usage.read().split(None, 2)[1]) / 1e6
        except (OSError, ValueError, IndexError):
            return None

    def _read(self) -> float:
        try:
            return int(self._pressure.read().rpartition(b"total=")[2]) / 1e6
        except (OSError, ValueError):
            return 0.0


class _LastReading:
    """The last reading of the arena's own delay, which all bots of this process share."""

    total_s = 0.0
    read_at = -math.inf

    def forget(self) -> None:
        self.read_at = -math.inf


_last_own: Final = _LastReading()
os.register_at_fork(after_in_child=_last_own.forget)  # it is the delay of another thread


class _OwnDelay:
    """Measure how long the arena's own thread waited for the CPU."""

    __slots__ = ("_count",)

    def __init__(self) -> None:
        self._count: KeptFile | None = None
        with contextlib.suppress(OSError):  # a kernel without these counters
            self._count = KeptFile("/proc/thread-self/schedstat")

    def read(self, now: float) -> float:
        """Return the wait since the start of the thread, in seconds, and keep it as the last reading."""
        if self._count is not None:
            with contextlib.suppress(OSError, ValueError, IndexError):
                _last_own.total_s = int(self._count.read().split()[1]) / 1e9
        _last_own.read_at = now
        return _last_own.total_s

    def close(self) -> None:
        if self._count is not None:
            self._count.close()


def evidence_for(pid: int, pressure: str | None) -> Evidence:
    """Return the best counters that this host has for a process. `pressure` is the file of its cgroup, if any."""
    try:
        return PressureEvidence(pressure, pid) if pressure else SchedulerEvidence(pid)
    except OSError:
        return NoEvidence()
