"""Whether a bot that was frozen really stands still, and waiting for one that has shown that it does not.

A stop signal reaches a process, but one of its threads has to take it before the others are stopped: those that
compute go on until that one has had the core. A process that is just dying goes on for as long as the kernel needs to
give back its memory. Either would use the core while others are on turn. So what a bot uses between being frozen and
being thawed is measured, and who uses more than a stop costs is waited for from then on, after each of its turns and
before anybody else's, until it stands still. The program is remembered: its next process is waited for from the start.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable
from pathlib import Path
from typing import Final

from arena.process_status import status_of
from arena.transport.evidence import GroupUsage, clock_of

RESTLESS_S: Final = 0.0002
"""More processor time than it takes to stop a dozen idle threads."""
LOOK_EVERY_S: Final = 0.002
"""A look takes some microseconds; who plays faster than this is looked at once in several turns."""
LOOK_EVERY_PROCESS_S: Final = 0.02
"""Without a cgroup a look goes over all processes of the bot, which takes 0.1 ms."""
MOST_WAITED_S: Final = 0.1
"""Time enough for the kernel to give back the memory that a bot may have; nobody holds up a match for longer."""
_LOOK_AGAIN_S: Final = 0.00005

_restless: Final[set[Hashable]] = set()
"""The programs that this process has ever found computing while they were frozen."""


class Stillness:
    """Measures what one bot uses while it is frozen, and waits for it once that was too much."""

    def __init__(
        self,
        program: Hashable,
        clock: Callable[[], float],
        processes: Callable[[], Iterable[int]],
        usage: GroupUsage | None,
    ) -> None:
        """`program` is what is remembered, `processes` gives the process ids of the bot and its helpers.

        Where there is a `usage`, that is what counts.
        """
        self._program = program
        self._clock = clock
        self._processes = processes
        self._usage = usage
        self._look_every_s = LOOK_EVERY_PROCESS_S if usage is None else LOOK_EVERY_S
        self._used: dict[int, float] = {}
        self.restless = program in _restless
        """Whether its program was ever found computing while it was frozen."""
        self.due = 0.0
        """Moment of the next look; a restless bot is due always. Read before the call, which is made every turn."""
        self.looking = False
        """Whether `before_thaw` has to be called."""

    def after_freeze(self) -> None:
        """The stop has been sent, and `due` has come: begin to look, or wait until it has worked, if need be."""
        if self.restless:
            self._wait()
        else:
            self.due = self._clock() + self._look_every_s
            self._used = self._measure()
            self.looking = True

    def before_thaw(self) -> None:
        """A bot that is being looked at is about to go on: judge it by what it used since `after_freeze`."""
        before, now = self._used, self._measure()
        self.looking = False
        # A process that is not there any more has run to its end.
        if before.keys() - now.keys() or sum(now.values()) - sum(before.values()) > RESTLESS_S:
            _restless.add(self._program)
            self.restless = True
            self.due = 0.0

    def close(self) -> None:
        """Give back the descriptor; doing it twice does no harm."""
        if self._usage is not None:
            self._usage.close()

    def _measure(self) -> dict[int, float]:
        """Processor time used so far, in seconds: of all together under 0, or else by process id."""
        if self._usage is not None:
            return {0: self._usage.read_s()}
        used = {}
        for pid in self._processes():
            try:
                used[pid] = time.clock_gettime(clock_of(pid))
            except OSError:
                continue
        return used

    def _wait(self) -> None:
        until = self._clock() + MOST_WAITED_S
        still = False
        while not still and self._clock() < until:
            time.sleep(_LOOK_AGAIN_S)  # leaves the core to what has to stop on it
            still = not any(map(_runs, self._processes()))


def _runs(pid: int) -> bool:
    """Whether a thread of the process runs or wants to; one that waits will stop before it does anything else."""
    try:
        threads = [int(task.name) for task in Path(f"/proc/{pid}/task").iterdir()]
    except OSError:
        return False
    return any((thread := status_of(pid, number)) is not None and thread.state == "R" for number in threads)
