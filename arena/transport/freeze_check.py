"""Whether a bot that was stopped really stands still, and seeing to it that it does.

A stop signal is handed to one thread of a process, which has to take it before the others are stopped. Until it has had
the core, those that compute go on; and while it waits for a child in the way of `vfork`, it takes no signal at all, so
that they would go on for ever. A process that is just dying goes on for as long as the kernel needs to give back its
memory. Either would use the core while others are on turn. So after a stop the bot is looked at, before anybody else is
on turn: threads that have not stopped are told so one by one, until nothing of it runs.

A look takes the time of a short turn, so most bots are looked at only at first and then now and then. One that did not
stand still at once is restless: it is looked at after each of its turns, and so is the next process of its program.
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
"""So many stops of a process, at least and at most, are looked at in any case."""
LOOK_EVERY_S: Final = 0.02
"""On average, with no memory of the last look: a bot must not be able to know when it is looked at."""
MOST_WAITED_S: Final = 1.0
"""Time enough for most of what the kernel does without listening to signals; a match is not held up for longer."""
FREE_S: Final = 0.001
"""Runtimes tidy up after an answer: so much is not charged."""
RESTLESS_S: Final = 0.0001
"""More processor time than it takes to stop some idle threads."""
_BREATH_S: Final = 0.00005
"""Leaves the core to what has to stop on it."""
_STOPPED: Final = "TtZX"

FORGIVEN_AFTER: Final = 200
"""So many clean looks in a row make a program one like all others again: a busy host may have made it look restless."""
_restless: Final[dict[Hashable, int]] = {}
"""The programs of which a process of this arena was found restless, and how many clean looks they still need."""
_luck: Final = Random()
"""Says when to look, and nothing else: no result depends on it."""
_tgkill: Final = getattr(ctypes.CDLL(None), "tgkill", None)
"""`kill` for one thread, which Python has for its own threads only. None where the C library is too old for it."""


class Stillness:
    """Looks at one bot after its stops."""

    def __init__(
        self,
        program: Hashable,
        clock: Callable[[], float],
        processes: Callable[[], Iterable[int]],
        *,
        by_signal: bool,
        usage: Path | None,
    ) -> None:
        """`program` is what is remembered, `processes` gives the process ids of the bot and its helpers.

        Who was not stopped `by_signal` but by a cgroup does not look stopped, only idle, and must not be told again.
        `usage` is the file in which a cgroup counts what all of them have used.
        """
        self._program = program
        self._clock = clock
        self._processes = processes
        self._by_signal = by_signal
        self._usage = usage
        self._used_at_stop: dict[int, float] = {}
        self._looks_left = _luck.randint(*FIRST_LOOKS)
        self.due = 0.0
        """Moment from which a stop has to be looked at: always there for one that is restless."""

    @property
    def restless(self) -> bool:
        """Whether a process of this program was lately found that did not stand still at once."""
        return self._program in _restless

    def settle(self) -> None:
        """See to it that all of the bot stands still. Ends when it does, or after `MOST_WAITED_S`."""
        until = self._clock() + MOST_WAITED_S
        told: set[int] = set()
        self._used_at_stop = self._used()
        clean = 0
        # Who was told while it was in the kernel may only just have come out of it: then one clean look is not enough.
        while clean < (2 if told else 1) and self._clock() < until:
            time.sleep(_BREATH_S)
            states = self._tell(told)
            clean = 0 if states else clean + 1
            # One that only waits for the core, to stop on it, is not restless.
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

    def used(self) -> float:
        """Seconds of processor time since the stop that `settle` saw to; 0 where it is no more than `FREE_S`."""
        used_s = self._since_stop()
        if used_s <= FREE_S:
            return 0.0
        _restless[self._program] = FORGIVEN_AFTER
        return used_s

    def _since_stop(self) -> float:
        return sum(used_s - self._used_at_stop.get(pid, used_s) for pid, used_s in self._used().items())

    def _tell(self, told: set[int]) -> set[str]:
        """The states of all threads that do not stand still; they are told to stop, and from then on are in `told`."""
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
                    continue  # it takes no signal just now, but when it goes on it will find this one
                states.add(status.state)
                told.add(thread)
                if _tgkill is not None:
                    _tgkill(pid, thread, signal.SIGSTOP)
        return states

    def _used(self) -> dict[int, float]:
        """Processor time, in seconds: of all that ever ran in the cgroup, under 0; or else by process id."""
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
