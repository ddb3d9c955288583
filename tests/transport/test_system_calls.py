"""Tests of the number of system calls of a turn. On a host with slow calls they decide what a turn costs."""

from __future__ import annotations

import math
import os
import select
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.sandbox.launcher import Sandbox
from arena.sandbox.probe import probe
from arena.transport.base import Launch
from arena.transport.process import BotProcess
from tests.support.hosts import confinement, not_tried

COUNTED = {
    os: ("close", "kill", "killpg", "listdir", "open", "pread", "pwrite", "read", "sched_yield", "waitid", "write"),
    time: ("clock_gettime", "sleep"),
    Path: ("iterdir", "read_bytes", "read_text", "write_text"),
}
"""Those that ask for the status of a file are left out: pytest calls them too."""
BARE_TURN = {"poll": 2, "write": 1, "read": 1, "clock_gettime": 1}
"""Look for output, write the message, wait, read the answer, read the CPU time; freezing and thawing come on top."""


class _CountedPoll:
    def __init__(self, poll: select.poll, calls: Counter[str]) -> None:
        self._calls = calls
        self._poll = poll
        self.register, self.unregister = poll.register, poll.unregister

    def poll(self, *arguments: Any) -> list[tuple[int, int]]:
        self._calls["poll"] += 1
        return self._poll.poll(*arguments)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Every call of a function that asks the kernel, by its name."""
    found: Counter[str] = Counter()

    def counted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            found[name] += 1
            return function(*arguments, **named)

        return call

    for place, names in COUNTED.items():
        for name in names:
            monkeypatch.setattr(place, name, counted(name, getattr(place, name)))
    make = select.poll
    monkeypatch.setattr(select, "poll", lambda: _CountedPoll(make(), found))
    return found


class _Clock:
    """Later by a step each time it is read."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.step = 0.0

    def __call__(self) -> float:
        self.now += self.step
        return self.now


class Asked:
    """A bot that repeats its line, and one turn of it, as a session asks for it."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.clock = _Clock()
        self.process = BotProcess(Launch(("cat",), "/usr", sandbox), self.clock)
        # It must have come to run `cat`, and be frozen.
        self.process.send(b"hello\n")
        assert self.process.wait(self.clock() + 20.0) == b"hello"
        self.process.freeze()
        self.check(due=True)

    def turn(self) -> None:
        assert self.process.waiting() == b""
        with self.process.turn(b"hello\n", self.clock()):
            assert self.process.wait(self.clock() + 20.0) == b"hello"

    def check(self, *, due: bool) -> None:
        """Do or do not check the next freeze."""
        self.process._freeze_check.due = 0.0 if due else math.inf


@pytest.fixture(params=["sealed group", "cgroup"])
def asked(request: pytest.FixtureRequest, calls: Counter[str]) -> Asked:
    """A frozen bot for each fast way to freeze it, after a turn that opened what a turn needs."""
    sandbox = confinement() if request.param == "sealed group" else probe("off")
    if sandbox.cgroups.unified is None:
        not_tried("no cgroup can be made here")
    made = Asked(sandbox)
    request.addfinalizer(lambda: made.process.close(polite=False))
    # As in a worker: a bot on another core may need a moment to stop.
    cores = os.sched_getaffinity(0)
    request.addfinalizer(lambda: os.sched_setaffinity(0, cores))
    os.sched_setaffinity(0, os.sched_getaffinity(made.process._first.find()))
    made.turn()
    made.check(due=False)
    made.turn()
    calls.clear()
    return made


def freezing(calls: Counter[str]) -> dict[str, int]:
    """One call to thaw and one to freeze."""
    return {"killpg": 2} if "killpg" in calls else {"pwrite": 2}


def test_a_short_turn_needs_seven_system_calls(asked: Asked, calls: Counter[str]) -> None:
    """Nothing is opened and no counter is read but the bot's CPU time."""
    asked.turn()
    assert dict(calls) == BARE_TURN | freezing(calls)
    assert calls.total() == 7


def test_a_turn_that_seems_idle_reads_each_counter_once(asked: Asked, calls: Counter[str]) -> None:
    """The arena's own delay before and after, and the bot's pressure and the CPU time of its helpers."""
    asked.clock.step = 0.01
    asked.turn()
    assert dict(calls) == BARE_TURN | freezing(calls) | {"pread": 4}


def test_a_check_of_a_freeze_is_a_few_readings(asked: Asked, calls: Counter[str]) -> None:
    """For a bot of one thread: no file is opened, no folder is listed, and nobody sleeps."""
    asked.check(due=True)
    asked.turn()
    for _ in range(100):
        asked.check(due=True)
        calls.clear()
        asked.turn()
        if "sleep" not in calls:  # else it had not stopped yet, on a busy host
            break
    # The turn begins with the CPU time since the last check, and new baselines of all counters.
    assert dict(calls) == BARE_TURN | freezing(calls) | {"poll": 3, "pread": 6, "clock_gettime": 2, "sched_yield": 1}
