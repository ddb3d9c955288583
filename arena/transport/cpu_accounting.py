"""Evidence by which a bot is excused: how long it wanted the core and others held it.

Three sources, the best first: the `full` line of its cgroup's `cpu.pressure` (threads and child processes included),
the scheduler's counts of its threads (`schedstat`), nothing. To each comes the arena's own wait for the core during
the turn. No source ever excuses processor time that the bot used itself.
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
"""A turn that was idle for less than this is not worth the reading of a count, and nothing of it is excused."""
MOST_UNREAD_S: Final = 0.002
"""When turns without a reading were idle for so long together, the bot's count is read before the next one, and the
arena's own when its last reading is older: what gathered before a turn can be excused in it, but no more than this."""


class NoEvidence(Evidence):
    """Wall time alone counts: for hosts without `/proc`, and for transports without a process."""

    name = "none"

    def forget(self) -> None:
        """Nothing to forget."""

    def begin(self, now: float) -> None:
        """Nothing to note."""

    def finish(self, wall_s: float) -> tuple[float, float]:
        """Nothing is excused."""
        return 0.0, 0.0

    def look(self, wall_s: float) -> tuple[float, float]:
        """Nothing is excused."""
        return 0.0, 0.0

    def still_waits(self) -> bool:
        """Unknown, so no."""
        return False

    def close(self) -> None:
        """Nothing to give back."""


class CountedEvidence(Evidence):
    """Evidence from a count of the kernel that only grows, and hardly while the bot is frozen.

    Most turns are over in less time than would be worth a reading; then the count is left alone, and what it gathered
    is dropped later (`MOST_UNREAD_S`).
    """

    def __init__(self, pid: int) -> None:
        self._cpu_clock = clock_of(pid)
        self._own = _OwnDelay()
        self._own_read_at = -math.inf
        self._cpu = 0.0
        self._unread_s = 0.0

    def forget(self) -> None:
        """The counts go on from here; until then they are those of the start-up."""
        self._cpu = self._cpu_now(self._cpu)
        self._growth()
        self._helpers_cpu()
        self._unread_s = 0.0

    def begin(self, now: float) -> None:
        """Read the counts, but only where too much may have gathered.

        The little that a bot uses while it is stopped counts on this turn, unless `forget` was called for it.
        """
        if self._unread_s > MOST_UNREAD_S:
            self._growth()
            self._helpers_cpu()
            self._unread_s = 0.0
        if now - self._own_read_at > MOST_UNREAD_S:
            self._own.growth()
            self._own_read_at = now

    def finish(self, wall_s: float) -> tuple[float, float]:
        """What to excuse, and the processor time used."""
        before, self._cpu = self._cpu, self._cpu_now(self._cpu)
        cpu_s = self._cpu - before
        idle_s = wall_s - cpu_s
        if idle_s < WORTH_READING_S:
            # Threads at the same time can use more than the wall time, and wait all the same.
            self._unread_s += idle_s if idle_s > 0.0 else wall_s
            return 0.0, cpu_s
        own_s = self._own.growth()
        self._unread_s = 0.0
        # While its helpers had the core the arena may have waited for it, but nobody else made it wait.
        return max(min(idle_s - self._helpers_cpu(), self._growth() + own_s), 0.0), cpu_s

    def look(self, wall_s: float) -> tuple[float, float]:
        """What to excuse so far; the baseline of the turn stays as it is."""
        cpu_s = self._cpu_now(self._cpu) - self._cpu
        idle_s = wall_s - cpu_s - self._helpers_cpu(keep_baseline=True)
        return max(min(idle_s, self._growth(keep_baseline=True)), 0.0), cpu_s

    def close(self) -> None:
        """Give the descriptors back; doing it twice does no harm."""
        self._own.close()

    @abstractmethod
    def _growth(self, *, keep_baseline: bool = False) -> float:
        """Growth of the count since it was read last, in seconds."""

    def _helpers_cpu(self, *, keep_baseline: bool = False) -> float:
        """Processor time that the bot's other processes used since it was read last, in seconds; 0 where unknown."""
        return 0.0

    def _cpu_now(self, otherwise: float) -> float:
        try:
            return time.clock_gettime(self._cpu_clock)
        except OSError:  # the process is gone
            return otherwise


class SchedulerEvidence(CountedEvidence):
    """From the scheduler's counts: processor time of the process, run delay of each of its threads.

    The largest delay of one thread counts, never a sum: a bot's own threads wait for each other, and eight that spin
    would earn time for ever.
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
        """Whether a thread of it is runnable: its present wait is in no count before it ends."""
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
    """From the `cpu.pressure` of a cgroup that holds the bot with all its threads and children."""

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
        """No: the pressure already holds a wait that goes on."""
        return False

    def close(self) -> None:
        """Give the descriptors back."""
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
            # All of the group, without the first process. (The count of the group is the later one by the time between
            # two readings; a bot that is alone gains no more than that.)
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
    """How long the arena's own thread waited for the core."""

    __slots__ = ("_before", "_count")

    def __init__(self) -> None:
        try:
            self._count = os.open("/proc/thread-self/schedstat", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:  # a kernel that keeps no such counts
            self._count = -1
        self._before = 0

    def growth(self) -> float:
        """Seconds since it was asked last."""
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
    """The best evidence that this host gives about a process; `pressure` is the path of its cgroup's file, if any."""
    try:
        return PressureEvidence(pressure, pid) if pressure else SchedulerEvidence(pid)
    except OSError:
        return NoEvidence()
