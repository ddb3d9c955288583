"""The process that the arena starts for a bot. In a sandbox it is the monitor, otherwise the bot's first process."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Callable
from typing import Final

from arena.linux import survivors
from arena.linux.proc import descendants, has_ended, status_of
from arena.transport import orphans
from arena.transport.sandbox_status import SandboxStatus
from arena.transport.spawn import offer_to_memory_killer

EXIT_FOLLOWS_S: Final = 0.25
"""Wait for the exit after the end of the output: a dying process closes its output shortly before it can be reaped."""


class FirstProcess:
    """The first process of a bot without a sandbox. This process started it, and reaps it."""

    killed_status = -int(signal.SIGKILL)
    """Exit status that SIGKILL leaves, as `subprocess` writes it."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self.started = process.pid
        """Id of the process that the arena started."""
        self.pid = process.pid
        """Id of the bot's first process on this host; 0 if it is not known yet."""
        self.exit = os.pidfd_open(process.pid)
        """Pidfd of the process that the arena started."""
        orphans.note_leader(process.pid)
        self._adjust()

    def _adjust(self) -> None:
        offer_to_memory_killer(self.pid)

    def find(self) -> int:
        """Return the id of the bot's first process on this host; 0 if the sandbox started none."""
        return self.pid

    def lives(self, patience_s: float = 0.0) -> bool:
        """Return whether the bot's first process runs, at the latest after this time."""
        return not has_ended(self.exit, patience_s)

    def started_lives(self, patience_s: float = 0.0) -> bool:
        """Return whether the process that the arena started runs, at the latest after this time."""
        return not has_ended(self.exit, patience_s)

    def has_run(self) -> bool:
        """Return whether the bot's command was really executed. Known after the end."""
        return True

    def kill(self, dying: survivors.Dying, kill_cgroup: Callable[[], None]) -> None:
        """Send SIGKILL to the bot's process group. Its leader is not reaped yet, so its id is still valid."""
        signal_group(self.pid, signal.SIGKILL)

    def status_at_end(self) -> int | None:
        """Return the exit status of the started process if it has ended or ends now, without reaping the process."""
        self.started_lives(EXIT_FOLLOWS_S)
        seen = os.waitid(os.P_PIDFD, self.exit, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        return seen and (seen.si_status if seen.si_code == os.CLD_EXITED else -seen.si_status)

    def reap(self, dying: survivors.Dying) -> tuple[bool, int | None, int, float]:
        """Reap the bot. Return whether all processes ended, exit status, peak memory in KiB, CPU time in seconds."""
        if not dying.ends(self.started_lives):
            return False, None, 0, 0.0
        if (reaped := orphans.reap_leader(self.started, dying.left_s)) is None:
            return False, None, 0, 0.0
        status, used = reaped
        self._process.returncode = exit_status = os.waitstatus_to_exitcode(status)
        return self._rest_ends(dying), exit_status, used.ru_maxrss, used.ru_utime + used.ru_stime

    def _rest_ends(self, dying: survivors.Dying) -> bool:
        return orphans.end_all(self.started, dying)

    def family(self) -> set[int]:
        """Return the bot's first process and its descendants; none if it is not known yet."""
        return {self.pid} | descendants(self.pid) if self.pid else set()

    def leaked(self) -> set[int]:
        """Return the processes of the bot that left its family and are children of this process now."""
        return orphans.find_all(self.started)

    def close(self) -> None:
        """Release what is held of the process."""
        orphans.forget_leader(self.started)
        os.close(self.exit)


class MonitoredProcess(FirstProcess):
    """The first process of a bot in a sandbox. The sandbox's monitor started it, reaps it, and reports how it ended."""

    killed_status = 128 + int(signal.SIGKILL)
    """Exit code by which the monitor reports that SIGKILL ended the bot. A bot can exit with the same code."""

    def __init__(self, process: subprocess.Popen[bytes], status_descriptor: int) -> None:
        self._status: SandboxStatus | None = SandboxStatus(status_descriptor)
        self._bot_exit = -1
        self._is_silent = False
        super().__init__(process)

    def _adjust(self) -> None:
        self.pid = 0

    def find(self) -> int:
        """Return the id that the monitor reports."""
        if not self.pid and self._status is not None:
            self.pid = self._status.bot()
            if self.pid and self._bot_exit < 0:
                with contextlib.suppress(ProcessLookupError):
                    self._bot_exit = os.pidfd_open(self.pid)
                offer_to_memory_killer(self.pid)
        return self.pid

    def lives(self, patience_s: float = 0.0) -> bool:
        """Return whether the bot runs. The monitor notices its end later; a stopped monitor never does."""
        return not has_ended(self._bot_exit if self._bot_exit >= 0 else self.exit, patience_s)

    def has_run(self) -> bool:
        """Return whether the monitor reported an exit code."""
        return self._status is not None and self._status.has_run()

    def silence_monitor(self) -> int | None:
        """Stop the monitor until `wake_monitor`. Return the pidfd of the bot itself, which is to be watched instead.

        The kernel wakes the parent of a process that stops or resumes, so the monitor would use the CPU twice a turn.
        Return None if nothing changes.
        """
        if self._bot_exit < 0 or self._is_silent:
            return None
        try:
            os.kill(self.started, signal.SIGSTOP)
        except (ProcessLookupError, PermissionError):
            return None
        self._is_silent = True
        return self._bot_exit

    def wake_monitor(self) -> bool:
        """Resume the monitor, which may reap the bot and free its id. Return False if it was not silent."""
        if not self._is_silent:
            return False
        self._is_silent = False
        os.kill(self.started, signal.SIGCONT)
        return True

    def was_killed(self) -> bool:
        """Return whether SIGKILL ended the bot itself. Known only while the monitor is silent: it would reap the bot.

        The exit code that the monitor reports proves nothing: a bot can exit with the same code.
        """
        if not self._is_silent or self.lives():
            return False
        status = status_of(self.pid)
        return status is not None and status.ended_as == signal.SIGKILL

    def kill(self, dying: survivors.Dying, kill_cgroup: Callable[[], None]) -> None:
        """Kill the bot, which ends its whole PID namespace, or what there is of an incomplete start."""
        pid = self.find()
        if pid and self.lives():
            # Kill the whole group at once. Alone, the first process would compete with its busy children for the CPU
            # that it needs to die.
            signal_group(pid, signal.SIGKILL)
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)  # it may not have its own session and group yet
        elif self.started_lives() and not (pid and dying.ends(self.started_lives, spare_s=1.0)):
            # Kill the monitor only after it had time to report how the bot ended. `Popen.kill` would reap it here.
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.started, signal.SIGKILL)
            if not pid:
                kill_cgroup()
        elif self._bot_exit >= 0:
            # The bot dies with the sandbox's monitor, unless the monitor was killed before the sandbox arranged that.
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._bot_exit, signal.SIGKILL)
        else:
            kill_cgroup()

    def _rest_ends(self, dying: survivors.Dying) -> bool:
        return self._bot_exit < 0 or dying.ends(self.lives)

    def leaked(self) -> set[int]:
        """Return nothing: no process leaves a PID namespace."""
        return set()

    def close(self) -> None:
        """Release what is held of the process."""
        super().close()
        self._status = None
        if self._bot_exit >= 0:
            os.close(self._bot_exit)


def signal_group(group: int, number: int) -> None:
    """Send a signal to a process group, if it still exists."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
