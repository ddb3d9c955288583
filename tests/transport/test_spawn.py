"""Tests of a start: on one core, and without leftovers if it fails."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from arena.errors import ArenaFault
from arena.sandbox.launcher import Sandbox
from arena.transport.base import (
    Enclosure,
    Launch,
    Limits,
    Wrapped,
)
from arena.transport.process import BotProcess
from tests.support.processes import soon, started


def test_a_bot_stays_on_one_core_and_the_arena_on_all(sandbox: Sandbox) -> None:
    """What the kernel counts as its wait is exact on one core only."""
    cores = os.sched_getaffinity(0)
    tell = "import os; print(*os.sched_getaffinity(0), flush=True); input()"
    with started(sandbox, "python3", "-I", "-c", tell) as transport:
        line = transport.wait(soon(transport))
        assert line is not None and int(line) in cores
        assert os.sched_getaffinity(0) == cores


class _Closed(Enclosure):
    """A cgroup that lets nobody in."""

    pressure = ""
    limits_memory = False

    def __init__(self) -> None:
        self.calls: list[str] = []

    def enter(self) -> None:
        self.calls.append("enter")
        raise PermissionError(errno.EPERM, "Operation not permitted")

    def leave(self) -> None:
        self.calls.append("leave")

    def freeze(self, frozen: bool) -> None: ...

    def kill(self) -> None: ...

    def memory_refusals(self) -> int:
        return 0

    def discard(self) -> None:
        self.calls.append("discard")


def test_a_start_that_fails_gives_back_all_that_was_made_for_it() -> None:
    """An enclosure that cannot be entered is a fault of the arena, which is outside again and holds nothing more."""
    enclosure = _Closed()

    class Failing:
        def wrap(self, command: Sequence[str], folder: str, limits: Limits, *, writable: bool = False) -> Wrapped:
            status, status_end = os.pipe()
            return Wrapped(
                command, {}, folder, pass_descriptors=(status_end,), status_descriptor=status, enclosure=enclosure
            )

    open_before = set(Path("/proc/self/fd").iterdir())
    with pytest.raises(ArenaFault, match="cannot start true"):
        BotProcess(Launch(("true",), "/usr", Failing()))
    assert enclosure.calls == ["enter", "leave", "discard"]
    assert set(Path("/proc/self/fd").iterdir()) == open_before
