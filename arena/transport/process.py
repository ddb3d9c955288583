"""One bot as a process: three pipes, one poll, one deadline. It is frozen, thawed and killed with all its children."""

from __future__ import annotations

import contextlib
import os
import resource
import select
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from arena.errors import ArenaFault
from arena.linux import proc, subreaper, survivors
from arena.linux.interrupts import whole
from arena.linux.proc import has_ended, status_of
from arena.transport import orphans, process_registry
from arena.transport.base import Ending, Evidence, Launch, Wrapped
from arena.transport.cpu_accounting import evidence_for
from arena.transport.freeze_check import Stillness
from arena.transport.pipes import PipeTransport
from arena.transport.sandbox_status import SandboxStatus
from arena.transport.spawn import offer_to_memory_killer, on_one_core, start

POLITE_S: Final = 1.0
"""Time that a bot has to exit after the end of its input."""
_EXIT_FOLLOWS_S: Final = 0.25
"""Wait for the exit after the end of the output: a dying process closes its output shortly before it can be reaped."""
_NEAR_LIMIT: Final = 0.9
_KILLED_IN_SANDBOX: Final = 128 + signal.SIGKILL
"""Exit code by which the sandbox's monitor reports that SIGKILL ended the bot."""
_STOP: Final = int(signal.SIGSTOP)
_CONTINUE: Final = int(signal.SIGCONT)

_open: Final[set[ProcessTransport]] = set()
"""Transports of this process that are not closed."""
os.register_at_fork(after_in_child=_open.clear)


def close_all() -> None:
    """Kill every bot of this process that still runs, for commands that were interrupted."""
    for transport in list(_open):
        transport.close(polite=False)


class ProcessTransport(PipeTransport):
    """A started program. It must be started from the main thread: a sandbox dies with the thread that started it."""

    def __init__(self, launch: Launch, clock: Callable[[], float] = time.monotonic) -> None:
        if threading.current_thread() is not threading.main_thread():
            raise ArenaFault("a bot must be started from the main thread: it would die with any other")
        self._limits = launch.limits
        self._name = launch.name
        wrapped = self._wrapped = launch.confinement.wrap(
            launch.command, launch.folder, launch.limits, writable=launch.writable
        )
        # If no process can leave the process group, a signal to the group replaces the cgroup freezer. It is faster.
        self._holder = None if wrapped.sealed else wrapped.enclosure
        self._bare = wrapped.status_descriptor is None
        self._own_size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        if self._bare:
            subreaper.become_reaper()
        # A build may use all cores, because it runs outside of turns.
        with whole():
            self._begin(launch, wrapped, clock)

    def _begin(self, launch: Launch, wrapped: Wrapped, clock: Callable[[], float]) -> None:
        with contextlib.nullcontext() if launch.writable else on_one_core():
            self._process = start(wrapped)
        orphans.note_leader(self._process.pid)
        self._entry = None
        if wrapped.ledger is not None:
            self._entry = process_registry.note(
                wrapped.ledger, self._process.pid, wrapped.scratch, wrapped.environment.get("HOME"), wrapped.runs_as
            )
        if self._bare:
            offer_to_memory_killer(self._process.pid)
        self._process_exit = os.pidfd_open(self._process.pid)
        # A monitor that is killed early leaves a process that waits for it and holds the output open. So the exit of
        # the monitor must be watched too.
        super().__init__(self._process, clock, self._process_exit)
        self._pid = self._process.pid if self._bare else 0
        self._bot_exit = -1
        self._silent = False
        """Whether the sandbox's monitor is stopped by SIGSTOP."""
        self._at_once = False
        """Whether one signal to the process group of `_pid` freezes the whole bot."""
        told = wrapped.status_descriptor
        self._status = None if told is None else SandboxStatus(told)
        self._sandbox_failed = False
        self._mine: set[int] = set()
        enclosure = wrapped.enclosure
        self._stillness = Stillness(
            (launch.folder, *launch.command),
            clock,
            self._processes,
            by_signal=self._holder is None,
            usage=Path(enclosure.pressure).with_name("cpu.stat") if enclosure else None,
        )
        self._ending: Ending | None = None
        self._near_limit = False
        self._refusals = 0
        self._killed = False
        self._leave_by: float | None = None
        _open.add(self)

    # Freezing and evidence

    def freeze(self) -> None:
        """Freeze the process group if it is sealed, else the cgroup, else all processes that can be found."""
        # This runs in every turn, so it avoids a function call and `suppress`, which are slow.
        if self._at_once:
            try:
                os.killpg(self._pid, _STOP)
            except (ProcessLookupError, PermissionError):
                return
        else:
            self._stop()
        if self.clock() >= self._stillness.due:
            self.unsettled = True

    def settle(self) -> None:
        """See `Transport.settle`."""
        self.unsettled = False
        if self._bot_lives():
            self._stillness.settle()
            self.looked_at = True
            if self._bare and self._holder is None:
                self._mine |= self._processes() - {self._pid}  # each process that received SIGSTOP needs SIGCONT

    def used_since_stop(self) -> float:
        """See `Transport.used_since_stop`."""
        self.looked_at = False
        # If the bot was killed meanwhile, only the kernel used CPU time.
        return self._stillness.used() if self._bot_lives() else 0.0

    def thaw(self) -> None:
        """Resume all frozen processes."""
        if not self._at_once:
            self._go_on()
            return
        try:
            os.killpg(self._pid, _CONTINUE)
        except (ProcessLookupError, PermissionError):
            return

    def _stop(self) -> None:
        if self._holder is not None:
            self._holder.freeze(True)
            return
        if (pid := self._find_pid()) and self._is_still_its_number():
            self._silence_monitor()
            _signal_group(pid, _STOP)
            self._at_once = not self._bare
        if self._bare:
            # All other bots are frozen, so new orphans belong to this bot.
            self._mine = proc.descendants(self._pid) | orphans.claim(self._pid)
            subreaper.signal_all(self._mine, signal.SIGSTOP)

    def _go_on(self) -> None:
        if self._holder is not None:
            self._holder.freeze(False)
            return
        if self._mine:
            subreaper.signal_all(self._mine, signal.SIGCONT)
        if (pid := self._find_pid()) and self._is_still_its_number():
            _signal_group(pid, _CONTINUE)

    def _is_still_its_number(self) -> bool:
        """Return whether `_pid` certainly still means the bot.

        Without a sandbox this process reaps the bot itself. In a sandbox the monitor reaps it.
        """
        return self._bare or self._bot_lives()

    def _processes(self) -> set[int]:
        """Return the bot's first process and all its child processes that can be found."""
        return {self._pid} | proc.descendants(self._pid) | self._mine if self._pid else set()

    def _silence_monitor(self) -> None:
        """Stop the sandbox's monitor until the end of the bot, and watch the bot's own process instead.

        The kernel wakes the parent of a process that stops or resumes, so the monitor would use the CPU twice a turn.
        """
        if self._bare or self._bot_exit < 0 or self._silent:
            return
        try:
            os.kill(self._process.pid, signal.SIGSTOP)
        except (ProcessLookupError, PermissionError):
            return
        self._silent = True
        with contextlib.suppress(KeyError):
            self._poll.unregister(self._process_exit)
        self._exit = self._bot_exit
        self._poll.register(self._bot_exit, select.POLLIN)

    def _wake_monitor(self) -> None:
        if self._silent:
            self._silent = False
            with contextlib.suppress(KeyError):
                self._poll.unregister(self._bot_exit)
            self._exit = None
            os.kill(self._process.pid, signal.SIGCONT)

    def evidence(self) -> Evidence:
        """Return the best counters that this host has for this bot."""
        if self._evidence is None:
            enclosure = self._wrapped.enclosure
            pid = self._pid or self._find_pid()
            found = evidence_for(pid, enclosure.pressure if enclosure and pid else None)
            if pid == 0:  # the sandbox has not started the bot yet
                return found
            self._evidence = found
        return self._evidence

    def closed_output(self) -> bool:
        """Return whether the stdout of the bot's first process is no longer our pipe.

        The sandbox's monitor keeps the pipe open, so the pipe itself does not end.
        """
        pid = self._pid or self._find_pid()
        try:
            ours = os.fstat(self._out)
            with contextlib.suppress(FileNotFoundError):
                theirs = Path(f"/proc/{pid}/fd/1").stat()
                return (theirs.st_dev, theirs.st_ino) != (ours.st_dev, ours.st_ino)
            return self._bot_lives()
        except OSError:
            return False

    def _find_pid(self) -> int:
        """Return the host's id of the bot's first process, as the sandbox reports it; 0 if it started none."""
        if self._status is not None and not self._pid and self._ending is None:
            self._pid = self._status.bot()
            if self._pid and self._bot_exit < 0:
                with contextlib.suppress(ProcessLookupError):
                    self._bot_exit = os.pidfd_open(self._pid)
                offer_to_memory_killer(self._pid)
        return self._pid

    # The end

    def _started_lives(self, patience_s: float = 0.0) -> bool:
        """Return whether the started process runs: the sandbox's monitor, or the bot itself without a sandbox."""
        return not has_ended(self._process_exit, patience_s)

    def _bot_lives(self, patience_s: float = 0.0) -> bool:
        """Return whether the bot's first process runs. A monitor notices its end later; a stopped one never does."""
        return not has_ended(self._bot_exit if self._bot_exit >= 0 else self._process_exit, patience_s)

    def _lives_on(self) -> bool:
        return self._bot_lives(_EXIT_FOLLOWS_S)

    def close(self, *, polite: bool) -> Ending:
        """Close the bot; see `Transport.close`."""
        if self._ending is None:
            with whole():
                self._ending = self._end(polite=polite)
                _open.discard(self)
        return self._ending

    def _end(self, *, polite: bool) -> Ending:
        if polite:
            self.dismiss()
            self._see_off()
        else:
            self._look_after_death()
        dying = survivors.Dying(self._name, self._remains)
        self._kill(dying)
        gone, exit_status, peak_kb, cpu_s = self._reap(dying)
        left, works = (0, False) if gone else dying.give_up()
        orphans.forget_leader(self._process.pid)
        while not self._stderr_ended and self._drain_stderr():
            pass
        # The peak is at least the arena's own size, which the forked process has before it executes the bot.
        self._near_limit = peak_kb > self._own_size and peak_kb * 1024 >= _NEAR_LIMIT * self._limits.memory_mb * (
            1 << 20
        )
        if self._wrapped.enclosure is not None:
            self._refusals = self._wrapped.enclosure.memory_refusals()
        stderr = self._stderr.read()
        self._give_back(gone=gone)
        return Ending(stderr, exit_status, cpu_s, peak_kb * 1024, survivors=left, works=works)

    def dismiss(self) -> None:
        """Close the bot's input and let it run; see `Transport.dismiss`."""
        if self._leave_by is not None or self._ending is not None:
            return
        self._leave_by = self.clock() + POLITE_S
        self._look_after_death()
        self.thaw()
        if self._pending:
            self._poll.unregister(self._in)
            self._pending.clear()
        self.end_input()

    def _look_after_death(self) -> None:
        """Record whether SIGKILL ended the bot, then resume the monitor, which may reap the bot and free its id."""
        self._killed = self._killed or self._was_killed()
        self._at_once = self._at_once and self._bot_lives()
        self._wake_monitor()

    def _see_off(self) -> None:
        """Wait until the bot has exited, at most until its deadline."""
        assert self._leave_by is not None
        # Register the descriptor again: `wait` unregisters it when it notices the exit.
        self._poll.register(self._process_exit, select.POLLIN)
        while (left := self._leave_by - self.clock()) > 0:
            for descriptor, _ in self._poll.poll(left * 1000):
                if descriptor == self._process_exit:
                    return
                if descriptor == self._err:
                    self._drain_stderr()
                elif self._fill():
                    self._buffer.clear()  # the arena ignores the output, but a full pipe must not block the bot

    def _kill(self, dying: survivors.Dying) -> None:
        """Send SIGKILL to all processes of the bot. The group's leader is not reaped yet, so its id is still valid."""
        pid = self._pid or self._find_pid()
        if self._holder is not None:
            self._holder.kill()
        if self._bare:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)
        elif pid and self._bot_lives():
            # Kill the whole group at once. Alone, the first process would compete with its busy children for the CPU
            # that it needs to die.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)  # it may not have its own session and group yet
        elif self._started_lives() and not (pid and dying.ends(self._started_lives, spare_s=1.0)):
            # Kill the monitor only after it had time to report how the bot ended. `Popen.kill` would reap it here.
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process.pid, signal.SIGKILL)
            if not pid and self._wrapped.enclosure is not None:
                self._wrapped.enclosure.kill()
        elif self._bot_exit >= 0:
            # The bot dies with the sandbox's monitor, unless the monitor was killed before the sandbox arranged that.
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._bot_exit, signal.SIGKILL)
        elif self._wrapped.enclosure is not None:
            self._wrapped.enclosure.kill()

    def _reap(self, dying: survivors.Dying) -> tuple[bool, int | None, int, float]:
        """Reap the bot. Return whether all processes ended, exit status, peak memory in KiB, CPU time in seconds."""
        if not dying.ends(self._started_lives):
            return False, None, 0, 0.0
        if (reaped := orphans.reap_leader(self._process.pid, dying.left_s)) is None:
            return False, None, 0, 0.0
        status, used = reaped
        self._process.returncode = exit_status = os.waitstatus_to_exitcode(status)
        gone = self._end_orphans(dying) if self._bare else self._bot_exit < 0 or dying.ends(self._bot_lives)
        return gone, exit_status, used.ru_maxrss, used.ru_utime + used.ru_stime

    def _end_orphans(self, dying: survivors.Dying) -> bool:
        """Kill and reap the bot's leaked processes until none is found. Return False if time ran out."""
        while found := self._orphans():
            subreaper.signal_all(found, signal.SIGKILL)
            if subreaper.reap(found, min(survivors.SOON_S, dying.left_s)):
                dying.step_back()
                if dying.left_s <= 0:
                    return False
        return True

    def _orphans(self) -> set[int]:
        found = orphans.claim(self._process.pid)
        for orphan in found:
            found = found | proc.descendants(orphan)
        return found

    def _remains(self) -> set[int]:
        """Return the running processes of the bot, or, if there is none, the started process (the monitor)."""
        found = self._processes() | (self._orphans() if self._bare else set())
        return {pid for pid in found if survivors.alive(pid)} or {self._process.pid}

    def _give_back(self, *, gone: bool) -> None:
        for stream in self._streams:
            stream.close()
        os.close(self._process_exit)
        if self._bot_exit >= 0:
            os.close(self._bot_exit)
        # A bot that survives its kill has certainly run, so the sandbox worked; the monitor has not reported its end
        # yet. And an OOM kill of a bot may also hit the monitor, which then reports nothing.
        self._sandbox_failed = gone and not self._refusals and self._status is not None and not self._status.has_run()
        if self._evidence is not None:
            self._evidence.close()
        if self._entry is not None and gone:
            process_registry.forget(self._entry)
        self._wrapped.discard()

    def memory_ran_out(self) -> bool:
        """Use the cgroup's count of OOM kills and the size of the largest process; see `Transport.memory_ran_out`."""
        return self._near_limit or self._refusals > 0

    def _was_killed(self) -> bool:
        """Return whether SIGKILL ended the bot itself. The monitor must be stopped until then: it would reap the bot.

        The exit code that the monitor reports proves nothing: a bot can exit with the same code.
        """
        if not self._silent or self._bot_lives():
            return False
        status = status_of(self._pid)
        return status is not None and status.ended_as == signal.SIGKILL

    def killed_from_outside(self) -> bool:
        """See `Transport.killed_from_outside`.

        The first process of a PID namespace ignores SIGKILL from within, and the system-call filter denies it the time
        limits at which the kernel would kill it. Only an OOM kill remains, so the host must count these.
        """
        enclosure = self._wrapped.enclosure
        counted = enclosure is not None and enclosure.limits_memory
        return self._killed and self._wrapped.sealed and counted and not self._refusals

    def looks_killed(self) -> bool:
        """See `Transport.looks_killed`."""
        if self._ending is not None:
            status = self._ending.exit_status
        else:
            self._find_pid()
            if self._bot_lives():
                return False
            self._look_after_death()
            self._started_lives(_EXIT_FOLLOWS_S)
            seen = os.waitid(os.P_PIDFD, self._process_exit, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            status = seen and (seen.si_status if seen.si_code == os.CLD_EXITED else -seen.si_status)
        return self._killed or status == (-signal.SIGKILL if self._bare else _KILLED_IN_SANDBOX)

    def sandbox_failed(self) -> bool:
        """Return whether the sandbox never ran the command, which is not the bot's fault. Known after `close`."""
        return self._sandbox_failed


def _signal_group(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)
