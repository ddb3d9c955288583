"""All processes of one bot: freeze them, thaw them, kill them. Three ways, one of which is chosen at the start.

- `SealedGroup`: in a PID namespace, one signal to the process group reaches every process. It is the fastest way.
- `CgroupGroup`: the kernel freezes and kills whatever is in the bot's cgroup.
- `OrphanGroup`: without either, the arena searches for the bot's descendants and for those that left them.
"""

from __future__ import annotations

import os
import signal
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Final

from arena.linux import proc, subreaper
from arena.linux.survivors import Dying
from arena.transport import orphans
from arena.transport.base import Enclosure, Wrapped
from arena.transport.first_process import FirstProcess, MonitoredProcess, signal_group

_STOP: Final = int(signal.SIGSTOP)
_CONTINUE: Final = int(signal.SIGCONT)


class ProcessGroup(ABC):
    """The processes of one bot."""

    by_signal = True
    """Whether `freeze` sends SIGSTOP. If so, each frozen thread is stopped."""
    leader: Callable[[], int] | None
    """Return the id of the process from which all processes descend; None if some may have left their family."""
    killed = False
    """Whether SIGKILL certainly ended the bot's first process, and not this group's `kill`. Known after `release`."""

    @abstractmethod
    def freeze(self) -> None:
        """Freeze all processes."""

    @abstractmethod
    def thaw(self) -> None:
        """Let all processes run again."""

    @abstractmethod
    def kill(self, dying: Dying) -> None:
        """Send SIGKILL to all processes."""

    @abstractmethod
    def members(self) -> set[int]:
        """Return the bot's first process and all its child processes that can be found."""

    @abstractmethod
    def release(self) -> None:
        """Find out whether the bot was killed, and let it be reaped if it ends. May be called several times."""


def group_for(
    wrapped: Wrapped, first: FirstProcess | MonitoredProcess, watch_exit: Callable[[int | None], None]
) -> ProcessGroup:
    """Return the fastest group that reaches every process of this bot.

    `watch_exit` is called with the pidfd to be watched from then on, or with None.
    """
    # If no process can leave the process group, a signal to the group replaces the cgroup freezer. It is faster. In a
    # sandbox without a system-call filter and without a cgroup, the signal is the best that there is.
    if wrapped.enclosure is not None and not wrapped.sealed:
        return CgroupGroup(first, wrapped.enclosure)
    if isinstance(first, MonitoredProcess):
        return SealedGroup(first, wrapped.enclosure, watch_exit)
    return OrphanGroup(first)


class SealedGroup(ProcessGroup):
    """A process group in a PID namespace. While the bot is frozen or on turn, the sandbox's monitor is silent."""

    def __init__(
        self, first: MonitoredProcess, enclosure: Enclosure | None, watch_exit: Callable[[int | None], None]
    ) -> None:
        self._first = first
        self._enclosure = enclosure
        self._watch_exit = watch_exit
        self.leader = first.find
        self._group = 0
        """Id of the process group, if it exists and one signal to it freezes the whole bot; else 0."""

    def freeze(self) -> None:
        """Send SIGSTOP to the group. This runs in every turn, so it avoids function calls."""
        if self._group:
            try:
                os.killpg(self._group, _STOP)
            except (ProcessLookupError, PermissionError):
                return
        elif (pid := self._first.find()) and self._first.lives():
            if (descriptor := self._first.silence_monitor()) is not None:
                self._watch_exit(descriptor)
            signal_group(pid, _STOP)
            self._group = pid

    def thaw(self) -> None:
        """Send SIGCONT to the group."""
        if self._group:
            try:
                os.killpg(self._group, _CONTINUE)
            except (ProcessLookupError, PermissionError):
                return
        elif (pid := self._first.find()) and self._first.lives():
            signal_group(pid, _CONTINUE)

    def kill(self, dying: Dying) -> None:
        """Kill the first process, and with it the namespace."""
        self._first.kill(dying, self._kill_cgroup)

    def _kill_cgroup(self) -> None:
        if self._enclosure is not None:
            self._enclosure.kill()

    def members(self) -> set[int]:
        """Return the first process and its descendants."""
        return self._first.family()

    def release(self) -> None:
        """Find out whether SIGKILL ended the bot, then resume the monitor, which may reap the bot and free its id."""
        self.killed = self.killed or self._first.was_killed()
        if self._group and not self._first.lives():
            self._group = 0
        if self._first.wake_monitor():
            self._watch_exit(None)


class CgroupGroup(ProcessGroup):
    """A cgroup, which freezes and kills all its processes, whatever they are."""

    by_signal = False

    def __init__(self, first: FirstProcess, enclosure: Enclosure) -> None:
        self._first = first
        self._enclosure = enclosure
        self.leader = first.find

    def freeze(self) -> None:
        """Use the freezer of the cgroup."""
        self._enclosure.freeze(True)

    def thaw(self) -> None:
        """Use the freezer of the cgroup."""
        self._enclosure.freeze(False)

    def kill(self, dying: Dying) -> None:
        """Kill the cgroup, then the first process for the case that it never entered the cgroup."""
        self._enclosure.kill()
        self._first.kill(dying, self._enclosure.kill)

    def members(self) -> set[int]:
        """Return the first process and its descendants."""
        return self._first.family()

    def release(self) -> None:
        """Do nothing: no monitor is silent."""


class OrphanGroup(ProcessGroup):
    """The process group of a bare bot, its descendants, and the orphans that this process adopted from it."""

    leader = None

    def __init__(self, first: FirstProcess) -> None:
        self._first = first
        self._others: set[int] = set()
        """Processes besides the group that may have been sent SIGSTOP, so each of them needs SIGCONT."""

    def freeze(self) -> None:
        """Send SIGSTOP to the group and to each process that left it."""
        leader = self._first.pid
        signal_group(leader, _STOP)
        # All other bots are frozen, so new orphans belong to this bot.
        self._others = proc.descendants(leader) | orphans.claim(leader)
        subreaper.signal_all(self._others, signal.SIGSTOP)

    def thaw(self) -> None:
        """Send SIGCONT to all that were sent SIGSTOP."""
        if self._others:
            subreaper.signal_all(self._others, signal.SIGCONT)
        signal_group(self._first.pid, _CONTINUE)

    def kill(self, dying: Dying) -> None:
        """Kill the group. Its orphans are killed when the first process has been reaped."""
        self._first.kill(dying, lambda: None)

    def members(self) -> set[int]:
        """Return the processes that are known. The freeze check may send SIGSTOP to each of them."""
        leader = self._first.pid
        self._others |= proc.descendants(leader)
        return {leader} | self._others

    def release(self) -> None:
        """Do nothing: there is no monitor."""
