"""One bot as a process: its pipes, its process group, its counters and the check of its freezes, under one roof."""

from __future__ import annotations

import contextlib
import os
import resource
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from arena.errors import ArenaFault
from arena.linux import subreaper, survivors
from arena.linux.interrupts import whole
from arena.transport import process_registry
from arena.transport.base import EndCause, Evidence, Launch, PostMortem, Wrapped
from arena.transport.cpu_accounting import evidence_for
from arena.transport.first_process import EXIT_FOLLOWS_S, FirstProcess, MonitoredProcess
from arena.transport.freeze_check import FreezeCheck
from arena.transport.interface import Transport
from arena.transport.pipes import Pipes
from arena.transport.process_group import group_for
from arena.transport.spawn import on_one_core, start
from arena.transport.turn import Turn, TurnParts

POLITE_S: Final = 1.0
"""Time that a bot has to exit after the end of its input."""
_NEAR_LIMIT: Final = 0.9

_open: Final[set[BotProcess]] = set()
"""Bots of this process that are not closed."""
os.register_at_fork(after_in_child=_open.clear)


def close_all() -> None:
    """Kill every bot of this process that still runs, for commands that were interrupted."""
    for bot in list(_open):
        bot.close(polite=False)


class BotProcess(Transport):
    """A started program. It must be started from the main thread: a sandbox dies with the thread that started it."""

    def __init__(self, launch: Launch, clock: Callable[[], float] = time.monotonic) -> None:
        if threading.current_thread() is not threading.main_thread():
            raise ArenaFault("a bot must be started from the main thread: it would die with any other")
        self._name = launch.name
        self._memory_bytes = launch.limits.memory_mb << 20
        self._own_size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        self.clock = clock
        self._evidence: Evidence | None = None
        self._turn_parts: TurnParts | None = None
        """The parts of a turn, as soon as the bot is known."""
        self._leave_by: float | None = None
        self._post_mortem: PostMortem | None = None
        wrapped = self._wrapped = launch.confinement.wrap(
            launch.command, launch.folder, launch.limits, writable=launch.writable
        )
        if wrapped.status_descriptor is None:
            subreaper.become_reaper()
        with whole():
            # A build may use all cores, because it runs outside of turns.
            with contextlib.nullcontext() if launch.writable else on_one_core():
                process = start(wrapped)
            self._take_over(process, wrapped, (launch.folder, *launch.command))
            _open.add(self)

    def _take_over(self, process: subprocess.Popen[bytes], wrapped: Wrapped, program: tuple[str, ...]) -> None:
        told, enclosure = wrapped.status_descriptor, wrapped.enclosure
        first = FirstProcess(process) if told is None else MonitoredProcess(process, told)
        self._entry = None
        if wrapped.ledger is not None:
            self._entry = process_registry.note(
                wrapped.ledger, process.pid, wrapped.scratch, wrapped.environment.get("HOME"), wrapped.runs_as
            )
        # A monitor that is killed early leaves a process that waits for it and holds the output open. So the exit of
        # the monitor must be watched too.
        self._pipes = Pipes(process, self.clock, first.exit, lambda: first.lives(EXIT_FOLLOWS_S))
        self._first = first
        self._group = group_for(wrapped, first, self._pipes.watch_exit)
        self._freeze_check = FreezeCheck(
            program,
            self.clock,
            first.lives,
            self._group.members,
            by_signal=self._group.by_signal,
            leader=self._group.leader,
            usage=Path(enclosure.pressure).with_name("cpu.stat") if enclosure else None,
        )

    # Messages

    def send(self, message: bytes) -> float:
        """Write as many bytes as the pipe accepts; see `Transport.send`."""
        return self._pipes.send(message)

    def end_input(self) -> None:
        """Close the bot's input as soon as all sent messages are written."""
        self._pipes.end_input()

    def wait(self, deadline: float) -> bytes | None:
        """Return the next line; see `Transport.wait`."""
        return self._pipes.wait(deadline)

    def waiting(self) -> bytes:
        """Return the start of the output that was not requested; see `Transport.waiting`."""
        return self._pipes.waiting()

    def take_waiting(self) -> bytes:
        """Return and remove all output that was read, for readers that do not need lines."""
        return self._pipes.take_waiting()

    def take_stderr(self, size: int) -> bytes:
        """Return and forget what the bot wrote to stderr; see `Transport.take_stderr`."""
        return self._pipes.take_stderr(size)

    def interests(self) -> Sequence[tuple[int, int]]:
        """Return the descriptors that are worth polling; see `Transport.interests`."""
        return self._pipes.interests()

    def closed_output(self) -> bool:
        """Return whether the stdout of the bot's first process is no longer our pipe.

        The sandbox's monitor keeps the pipe open, so the pipe itself does not end.
        """
        pid = self._first.find()
        try:
            with contextlib.suppress(FileNotFoundError):
                return not self._pipes.has_same_output(pid)
            return self._first.lives()
        except OSError:
            return False

    # Turns

    def turn(self, message: bytes, asked: float) -> Turn:
        """Return the context of one turn; see `Transport.turn`."""
        return Turn(self._turn_parts or self._make_turn_parts(), message, asked)

    def _make_turn_parts(self) -> TurnParts:
        parts = TurnParts(self._pipes.send, self.clock, self._group, self.evidence(), self._freeze_check)
        if self._evidence is not None:
            self._turn_parts = parts
        return parts

    def freeze(self) -> None:
        """Freeze the bot outside of a turn; see `Transport.freeze`."""
        self._group.freeze()
        if self.clock() >= self._freeze_check.due:
            self._freeze_check.run()

    def evidence(self) -> Evidence:
        """Return the best counters that this host has for this bot."""
        if self._evidence is None:
            enclosure = self._wrapped.enclosure
            pid = self._first.find()
            found = evidence_for(pid, enclosure.pressure if enclosure and pid else None)
            if pid == 0:  # the sandbox has not started the bot yet
                return found
            self._evidence = found
        return self._evidence

    # The end

    def looks_killed(self) -> bool:
        """See `Transport.looks_killed`."""
        self._first.find()
        if self._first.lives():
            return False
        self._group.release()
        return self._group.killed or self._first.status_at_end() == self._first.killed_status

    def dismiss(self) -> None:
        """Close the bot's input and let it run; see `Transport.dismiss`."""
        if self._leave_by is not None or self._post_mortem is not None:
            return
        self._leave_by = self.clock() + POLITE_S
        self._group.release()
        self._group.thaw()
        self._pipes.drop_input()

    def close(self, *, polite: bool) -> PostMortem:
        """Close the bot; see `Transport.close`."""
        if self._post_mortem is None:
            with whole():
                self._post_mortem = self._end(polite=polite)
                _open.discard(self)
        return self._post_mortem

    def _end(self, *, polite: bool) -> PostMortem:
        if polite:
            self.dismiss()
            assert self._leave_by is not None
            self._pipes.see_off(self._first.exit, self._leave_by)
        else:
            self._group.release()
        dying = survivors.Dying(self._name, self._remains)
        self._group.kill(dying)
        gone, exit_status, peak_kb, cpu_s = self._first.reap(dying)
        left, works = (0, False) if gone else dying.give_up()
        stderr = self._pipes.last_words()
        cause = self._cause(exit_status, peak_kb, gone=gone)
        self._give_back(gone=gone)
        return PostMortem(stderr, exit_status, cause, cpu_s, peak_kb * 1024, left, works)

    def _remains(self) -> set[int]:
        """Return the running processes of the bot, or, if there is none, the started process (the monitor)."""
        found = self._group.members() | self._first.leaked()
        return {pid for pid in found if survivors.alive(pid)} or {self._first.started}

    def _cause(self, exit_status: int | None, peak_kb: int, *, gone: bool) -> EndCause:
        enclosure = self._wrapped.enclosure
        oom_kills = enclosure.memory_refusals() if enclosure is not None else 0
        # A bot that survives its kill has certainly run, so the sandbox worked; the monitor has not reported its end
        # yet. And an OOM kill of a bot may also hit the monitor, which then reports nothing.
        if gone and not oom_kills and not self._first.has_run():
            return EndCause.SANDBOX_FAILED
        # The first process of a PID namespace ignores SIGKILL from within, and the system-call filter denies it the
        # time limits at which the kernel would kill it. Only an OOM kill remains, so the host must count these.
        counts_memory = enclosure is not None and enclosure.limits_memory
        if self._group.killed and self._wrapped.sealed and counts_memory and not oom_kills:
            return EndCause.KILLED_FROM_OUTSIDE
        # The peak is at least the arena's own size, which the forked process has before it executes the bot.
        if oom_kills or (peak_kb > self._own_size and peak_kb * 1024 >= _NEAR_LIMIT * self._memory_bytes):
            return EndCause.OUT_OF_MEMORY
        if self._group.killed or exit_status == self._first.killed_status:
            return EndCause.KILLED
        return EndCause.EXITED

    def _give_back(self, *, gone: bool) -> None:
        self._pipes.close()
        self._first.close()
        self._freeze_check.close()
        if self._evidence is not None:
            self._evidence.close()
        if self._entry is not None and gone:
            process_registry.forget(self._entry)
        self._wrapped.discard()
