"""One bot as a process: three pipes, one poll, one deadline; frozen, thawed and ended with all its helpers."""

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
"""A bot has so long to leave after its input has ended."""
_EXIT_FOLLOWS_S: Final = 0.25
"""A process that dies closes its output a moment before it can be waited for."""
_NEAR_LIMIT: Final = 0.9
_KILLED_IN_SANDBOX: Final = 128 + signal.SIGKILL
"""The sandbox's monitor passes SIGKILL on by this exit code."""
_STOP: Final = int(signal.SIGSTOP)
_CONTINUE: Final = int(signal.SIGCONT)

_open: Final[set[ProcessTransport]] = set()
"""Those of this process that are not closed yet."""
os.register_at_fork(after_in_child=_open.clear)


def close_all() -> None:
    """End every bot of this process that is still there: for commands that were cut short."""
    for transport in list(_open):
        transport.close(polite=False)


class ProcessTransport(PipeTransport):
    """A started program. Start it from the main thread: the sandbox dies with the thread that started it."""

    def __init__(self, launch: Launch, clock: Callable[[], float] = time.monotonic) -> None:
        if threading.current_thread() is not threading.main_thread():
            raise ArenaFault("a bot must be started from the main thread: it would die with any other")
        self._limits = launch.limits
        self._name = launch.name
        wrapped = self._wrapped = launch.confinement.wrap(
            launch.command, launch.folder, launch.limits, writable=launch.writable
        )
        # A group that nobody can leave needs no cgroup to hold it, and a signal to it is quicker.
        self._holder = None if wrapped.sealed else wrapped.enclosure
        self._bare = wrapped.status_descriptor is None
        self._own_size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        if self._bare:
            subreaper.become_reaper()
        # A build may use all cores: it is not on turn.
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
        # Killed early, the sandbox's monitor leaves a process behind that waits for it, and holds the output open.
        super().__init__(self._process, clock, self._process_exit)
        self._pid = self._process.pid if self._bare else 0
        self._bot_exit = -1
        self._silent = False
        """Whether the sandbox's monitor is stopped."""
        self._at_once = False
        """Whether a signal to the group of `_pid` is all that freezing takes."""
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
        """Stop the whole group; where it can be left, the cgroup, or else all that can be found."""
        # Without a function of its own, and without `suppress`: this is done twice a turn, and both are slow.
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
                self._mine |= self._processes() - {self._pid}  # all that was told to stop has to be told to go on

    def used_since_stop(self) -> float:
        """See `Transport.used_since_stop`."""
        self.looked_at = False
        # Of one that was killed meanwhile the kernel alone had work.
        return self._stillness.used() if self._bot_lives() else 0.0

    def thaw(self) -> None:
        """Let all that was frozen go on."""
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
            # All other bots are frozen, so whatever appeared since is this one's.
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
        """Whether `_pid` cannot mean another process: we reap an unconfined one ourselves, a monitor reaps the rest."""
        return self._bare or self._bot_lives()

    def _processes(self) -> set[int]:
        """The bot's first process with all its helpers that can be found."""
        return {self._pid} | proc.descendants(self._pid) | self._mine if self._pid else set()

    def _silence_monitor(self) -> None:
        """Stop the sandbox's monitor until the end, and watch the bot's own process in its place.

        The kernel wakes the parent of whatever is stopped or goes on: the monitor would take the core twice a turn.
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
        """The best evidence that this host gives about this bot."""
        if self._evidence is None:
            enclosure = self._wrapped.enclosure
            pid = self._pid or self._find_pid()
            found = evidence_for(pid, enclosure.pressure if enclosure and pid else None)
            if pid == 0:  # the sandbox has not come so far yet
                return found
            self._evidence = found
        return self._evidence

    def closed_output(self) -> bool:
        """Whether the bot's first process no longer holds our pipe as its output.

        The sandbox's monitor keeps the pipe open, so that no end of it is seen.
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
        """The bot's first process as this host counts, told by the sandbox; 0 if it never got so far."""
        if self._status is not None and not self._pid and self._ending is None:
            self._pid = self._status.bot()
            if self._pid and self._bot_exit < 0:
                with contextlib.suppress(ProcessLookupError):
                    self._bot_exit = os.pidfd_open(self._pid)
                offer_to_memory_killer(self._pid)
        return self._pid

    # The end

    def _started_lives(self, patience_s: float = 0.0) -> bool:
        """Whether the process that was started lives: the sandbox's monitor, or an unconfined bot itself."""
        return not has_ended(self._process_exit, patience_s)

    def _bot_lives(self, patience_s: float = 0.0) -> bool:
        """Whether the bot's first process lives; its monitor, if it has one, notices later or, stopped, never."""
        return not has_ended(self._bot_exit if self._bot_exit >= 0 else self._process_exit, patience_s)

    def _lives_on(self) -> bool:
        return self._bot_lives(_EXIT_FOLLOWS_S)

    def close(self, *, polite: bool) -> Ending:
        """End the bot; see `Transport.close`."""
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
        # The count starts at the arena's own size, which the started process has before it becomes the bot.
        self._near_limit = peak_kb > self._own_size and peak_kb * 1024 >= _NEAR_LIMIT * self._limits.memory_mb * (
            1 << 20
        )
        if self._wrapped.enclosure is not None:
            self._refusals = self._wrapped.enclosure.memory_refusals()
        stderr = self._stderr.read()
        self._give_back(gone=gone)
        return Ending(stderr, exit_status, cpu_s, peak_kb * 1024, survivors=left, works=works)

    def dismiss(self) -> None:
        """Let it leave; see `Transport.dismiss`."""
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
        """Note how it died, if it did; then its monitor may bury it, and its number means it no more."""
        self._killed = self._killed or self._was_killed()
        self._at_once = self._at_once and self._bot_lives()
        self._wake_monitor()

    def _see_off(self) -> None:
        """Wait until it has left, up to its time."""
        assert self._leave_by is not None
        # Again, where its end has been noticed already.
        self._poll.register(self._process_exit, select.POLLIN)
        while (left := self._leave_by - self.clock()) > 0:
            for descriptor, _ in self._poll.poll(left * 1000):
                if descriptor == self._process_exit:
                    return
                if descriptor == self._err:
                    self._drain_stderr()
                elif self._fill():
                    self._buffer.clear()  # nobody listens any more, but it must be able to finish its sentence

    def _kill(self, dying: survivors.Dying) -> None:
        """SIGKILL to all of it. The group's leader is not reaped yet, so its number still means this bot."""
        pid = self._pid or self._find_pid()
        if self._holder is not None:
            self._holder.kill()
        if self._bare:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)
        elif pid and self._bot_lives():
            # The whole group at once: the first process alone would need the core from its burning children to die.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)  # it may not have come to its own session yet
        elif self._started_lives() and not (pid and dying.ends(self._started_lives, spare_s=1.0)):
            # Not while it only has to tell how the bot ended; and not by `Popen`, which would reap it on the way.
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process.pid, signal.SIGKILL)
            if not pid and self._wrapped.enclosure is not None:
                self._wrapped.enclosure.kill()
        elif self._bot_exit >= 0:
            # It dies with the sandbox's monitor, but not if that was killed before the sandbox could ask for this.
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._bot_exit, signal.SIGKILL)
        elif self._wrapped.enclosure is not None:
            self._wrapped.enclosure.kill()

    def _reap(self, dying: survivors.Dying) -> tuple[bool, int | None, int, float]:
        """Whether all of it is gone, exit status, the largest process in kilobytes, seconds of processor time."""
        if not dying.ends(self._started_lives):
            return False, None, 0, 0.0
        if (reaped := orphans.reap_leader(self._process.pid, dying.left_s)) is None:
            return False, None, 0, 0.0
        status, used = reaped
        self._process.returncode = exit_status = os.waitstatus_to_exitcode(status)
        gone = self._end_orphans(dying) if self._bare else self._bot_exit < 0 or dying.ends(self._bot_lives)
        return gone, exit_status, used.ru_maxrss, used.ru_utime + used.ru_stime

    def _end_orphans(self, dying: survivors.Dying) -> bool:
        """Kill and reap what the bot left behind, until a look finds nothing more; whether it came to that."""
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
        """All of it that lives; the monitor, which only tells how the bot ends, where nothing else is left."""
        found = self._processes() | (self._orphans() if self._bare else set())
        return {pid for pid in found if survivors.alive(pid)} or {self._process.pid}

    def _give_back(self, *, gone: bool) -> None:
        for stream in self._streams:
            stream.close()
        os.close(self._process_exit)
        if self._bot_exit >= 0:
            os.close(self._bot_exit)
        # What lives on after its kill has run; only its end is still to be told. And a bot that uses up its memory may
        # take the monitor with it, which then tells nothing.
        self._sandbox_failed = gone and not self._refusals and self._status is not None and not self._status.has_run()
        if self._evidence is not None:
            self._evidence.close()
        if self._entry is not None and gone:
            process_registry.forget(self._entry)
        self._wrapped.discard()

    def memory_ran_out(self) -> bool:
        """Counted by the host's cgroup, else guessed from the largest process; see `Transport.memory_ran_out`."""
        return self._near_limit or self._refusals > 0

    def _was_killed(self) -> bool:
        """Whether SIGKILL has ended the bot itself; the monitor, which would bury it, must still be stopped.

        What the monitor passes on a bot can also give as its exit code.
        """
        if not self._silent or self._bot_lives():
            return False
        status = status_of(self._pid)
        return status is not None and status.ended_as == signal.SIGKILL

    def killed_from_outside(self) -> bool:
        """See `Transport.killed_from_outside`.

        The first process of a namespace is deaf to a SIGKILL from within, and the filter keeps it from the
        limits of time at which the kernel would kill it. There remains memory, where the host counts that.
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
        """Whether the sandbox never came to run the command, which is no fault of a bot; known after `close`."""
        return self._sandbox_failed


def _signal_group(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)
