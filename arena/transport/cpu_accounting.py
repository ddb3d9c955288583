"""Measure the excused time of a bot: how long it waited for the CPU while other programs used it.

There are three sources, the best first: the `full` line of the cgroup's `cpu.pressure`, which includes threads and
child processes; the scheduler's counters of the bot's threads (`schedstat`); none. The arena's own wait for the CPU
during the turn is added. No source ever excuses CPU time that the bot used itself.
"""

from __future__ import annotations

import math
import os
import time
from abc import abstractmethod
from pathlib import Path
from typing import Final

from arena.linux.proc import clock_of, status_of
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
        self._own_read_at = -math.inf
        self._cpu = 0.0
        self._unread_s = 0.0

    def forget(self) -> None:
        """Reset the baseline. Until then the counters include the start-up."""
        self._cpu = self._cpu_now(self._cpu)
        self._growth()
        self._helpers_cpu()
        self._unread_s = 0.0

    def begin(self, now: float) -> None:
        """Read the counters, but only if they may have grown too much since their last reading.

        The little CPU time that a bot uses while it is frozen counts in this turn, unless `forget` was called before.
        """
        if self._unread_s > MOST_UNREAD_S:
            self._growth()
            self._helpers_cpu()
            self._unread_s = 0.0
        if now - self._own_read_at > MOST_UNREAD_S:
            self._own.growth()
            self._own_read_at = now

    def finish(self, wall_s: float) -> tuple[float, float]:
        """Return excused time and CPU time of the turn."""
        before, self._cpu = self._cpu, self._cpu_now(self._cpu)
        cpu_s = self._cpu - before
        idle_s = wall_s - cpu_s
        if idle_s < WORTH_READING_S:
            # Parallel threads can use more CPU time than the wall time, and still wait for the CPU.
            self._unread_s += idle_s if idle_s > 0.0 else wall_s
            return 0.0, cpu_s
        own_s = self._own.growth()
        self._unread_s = 0.0
        # While the bot's child processes ran, the arena may have waited for the CPU, but no other program caused that.
        return max(min(idle_s - self._helpers_cpu(), self._growth() + own_s), 0.0), cpu_s

    def look(self, wall_s: float) -> tuple[float, float]:
        """Return the same two values so far. The baseline of the turn does not change."""
        cpu_s = self._cpu_now(self._cpu) - self._cpu
        idle_s = wall_s - cpu_s - self._helpers_cpu(keep_baseline=True)
        return max(min(idle_s, self._growth(keep_baseline=True)), 0.0), cpu_s

    def close(self) -> None:
        """Close the descriptors. A second call does nothing."""
        self._own.close()

    @abstractmethod
    def _growth(self, *, keep_baseline: bool = False) -> float:
        """Return the growth of the counter since its last reading, in seconds."""

    def _helpers_cpu(self, *, keep_baseline: bool = False) -> float:
        """Return the CPU time that the bot's child processes used since the last reading, in seconds; 0 if unknown."""
        return 0.0

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
        self._folder = Path(f"/proc/{pid}")
        self._delays: dict[str, float] = {}
        super().__init__(pid)
        if not self._tasks():
            self.close()
            raise FileNotFoundError(self._folder)

    def still_waits(self) -> bool:
        """Return whether a thread of the bot is runnable. No counter includes a wait before the wait ends."""
        threads = (status_of(self._pid, int(task.name)) for task in self._tasks())
        return any(thread is not None and thread.state == "R" for thread in threads)

    def _tasks(self) -> list[Path]:
        try:
            return list((self._folder / "task").iterdir())
        except OSError:
            return []

    def _growth(self, *, keep_baseline: bool = False) -> float:
        growth = 0.0
        found: dict[str, float] = {}
        for task in self._tasks():
            try:
                delay = int((task / "schedstat").read_bytes().split()[1]) / 1e9
            except (OSError, ValueError, IndexError):
                continue
            found[task.name] = delay
            growth = max(growth, delay - self._delays.get(task.name, 0.0))
        if not keep_baseline:
            self._delays = found
        return growth


class PressureEvidence(CountedEvidence):
    """Measure with the `cpu.pressure` of a cgroup that holds the bot with all its threads and child processes."""

    name = "pressure"

    def __init__(self, pressure: str, pid: int) -> None:
        self._pressure = os.open(pressure, os.O_RDONLY | os.O_CLOEXEC)
        try:
            self._usage = os.open(Path(pressure).with_name("cpu.stat"), os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            os.close(self._pressure)
            raise
        super().__init__(pid)
        self._full = 0.0
        self._helpers = 0.0

    def still_waits(self) -> bool:
        """Return False: the pressure already includes a wait that is not over."""
        return False

    def close(self) -> None:
        """Close the descriptors."""
        if self._pressure >= 0:
            os.close(self._pressure)
            os.close(self._usage)
            self._pressure = -1
        super().close()

    def _growth(self, *, keep_baseline: bool = False) -> float:
        before, now = self._full, self._read()
        if not keep_baseline:
            self._full = now
        return now - before

    def _helpers_cpu(self, *, keep_baseline: bool = False) -> float:
        try:
            # The CPU time of the group minus that of the first process. The group's counter is read first, so the
            # difference is wrong by the time between the two readings; a bot without children gains no more than that.
            first, _, _ = os.pread(self._usage, 64, 0).partition(b"\n")
            now = int(first.removeprefix(b"usage_usec ")) / 1e6 - self._cpu_now(self._cpu)
        except (OSError, ValueError):
            return 0.0
        before = self._helpers
        if not keep_baseline:
            self._helpers = now
        return max(now - before, 0.0)

    def _read(self) -> float:
        try:
            return int(os.pread(self._pressure, 256, 0).rpartition(b"total=")[2]) / 1e6
        except (OSError, ValueError):
            return 0.0


class _OwnDelay:
    """Measure how long the arena's own thread waited for the CPU."""

    __slots__ = ("_before", "_count")

    def __init__(self) -> None:
        try:
            self._count = os.open("/proc/thread-self/schedstat", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:  # a kernel without these counters
            self._count = -1
        self._before = 0

    def growth(self) -> float:
        """Return the wait since the last call, in seconds."""
        try:
            before, self._before = self._before, int(os.pread(self._count, 64, 0).split()[1])
        except (OSError, ValueError, IndexError):
            return 0.0
        return (self._before - before) / 1e9

    def close(self) -> None:
        if self._count >= 0:
            os.close(self._count)
            self._count = -1


def evidence_for(pid: int, pressure: str | None) -> Evidence:
    """Return the best counters that this host has for a process. `pressure` is the file of its cgroup, if any."""
    try:
        return PressureEvidence(pressure, pid) if pressure else SchedulerEvidence(pid)
    except OSError:
        return NoEvidence()
