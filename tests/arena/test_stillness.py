"""Who computes while frozen is found out, and from then on waited for until it stands still."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.transport import stillness
from arena.transport.evidence import GroupUsage
from arena.transport.stillness import MOST_WAITED_S, RESTLESS_S, Stillness

_LITTLE_US = int(RESTLESS_S * 1e6) // 2
_SPINS = "while True: pass"


class _Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class _TickingClock:
    """Later by a tenth of the longest wait each time it is read."""

    def __init__(self) -> None:
        self.ticks = itertools.count()
        self.now = 0.0

    def __call__(self) -> float:
        self.now = next(self.ticks) * MOST_WAITED_S / 10
        return self.now


@pytest.fixture
def program() -> object:
    """A program that nobody else has: what is remembered of it ends with the test."""
    return object()


@pytest.fixture(autouse=True)
def _remembers_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stillness, "_restless", set())


@pytest.fixture
def group(tmp_path: Path) -> Path:
    """The folder of a cgroup whose count a test writes."""
    uses(tmp_path, 0)
    return tmp_path


@pytest.fixture
def spinning() -> Iterator[int]:
    with subprocess.Popen([sys.executable, "-c", _SPINS]) as process:
        yield process.pid
        process.kill()


def uses(group: Path, microseconds: int) -> None:
    (group / "cpu.stat").write_text(f"usage_usec {microseconds}\nuser_usec 0\n")


def watched(program: object, group: Path, clock: _Clock) -> Stillness:
    return Stillness(program, clock, lambda: set(), GroupUsage(str(group / "cpu.pressure")))


def test_one_that_computes_while_frozen_is_restless_ever_after(program: object, group: Path) -> None:
    clock = _Clock()
    watch = watched(program, group, clock)
    watch.after_freeze()
    assert watch.looking
    uses(group, 3 * _LITTLE_US)
    watch.before_thaw()
    assert watch.restless
    assert not watch.looking
    assert watch.due <= clock(), "it is waited for after each of its turns"
    watch.close()


def test_what_a_stop_itself_costs_is_no_computing(program: object, group: Path) -> None:
    watch = watched(program, group, _Clock())
    watch.after_freeze()
    uses(group, _LITTLE_US)
    watch.before_thaw()
    assert not watch.restless
    assert watch.due > 0.0, "the next look is not yet due"
    watch.close()


def test_what_is_used_on_turn_does_not_count(program: object, group: Path) -> None:
    clock = _Clock()
    watch = watched(program, group, clock)
    watch.after_freeze()
    watch.before_thaw()
    uses(group, 1_000_000)
    clock.now = watch.due
    watch.after_freeze()
    watch.before_thaw()
    assert not watch.restless
    watch.close()


def test_the_next_process_of_a_restless_program_is_waited_for_from_the_start(program: object, group: Path) -> None:
    watch = watched(program, group, _Clock())
    watch.after_freeze()
    uses(group, 3 * _LITTLE_US)
    watch.before_thaw()
    watch.close()
    again, other = watched(program, group, _Clock()), watched(object(), group, _Clock())
    assert again.restless
    assert not other.restless
    again.close()
    other.close()


def test_without_a_cgroup_each_process_is_measured(program: object, spinning: int) -> None:
    """A process that was told to stop and did not: nobody told it."""
    watch = Stillness(program, _Clock(), lambda: {os.getpid(), spinning}, None)
    watch.after_freeze()
    used = watch._measure()[spinning]
    while watch._measure()[spinning] <= used + 2 * RESTLESS_S:
        pass
    watch.before_thaw()
    assert watch.restless


def test_a_process_that_ends_while_frozen_has_run(program: object, spinning: int) -> None:
    processes = {spinning}
    watch = Stillness(program, _Clock(), lambda: processes, None)
    os.kill(spinning, signal.SIGSTOP)
    os.waitpid(spinning, os.WUNTRACED)
    watch.after_freeze()
    processes.clear()
    watch.before_thaw()
    assert watch.restless


def test_a_restless_bot_is_waited_for_until_it_stands_still(program: object, spinning: int) -> None:
    stillness._restless.add(program)
    clock = _TickingClock()
    looks = 0

    def processes() -> set[int]:
        nonlocal looks
        looks += 1
        if looks == 3:
            os.kill(spinning, signal.SIGSTOP)
            os.waitpid(spinning, os.WUNTRACED)
        return {spinning}

    Stillness(program, clock, processes, None).after_freeze()
    assert looks == 3
    assert clock.now < MOST_WAITED_S


def test_nobody_is_waited_for_longer_than_the_limit(program: object, spinning: int) -> None:
    stillness._restless.add(program)
    clock = _TickingClock()
    Stillness(program, clock, lambda: {spinning}, None).after_freeze()
    assert clock.now == pytest.approx(MOST_WAITED_S)


def test_a_bot_that_is_gone_is_not_waited_for(program: object) -> None:
    stillness._restless.add(program)
    clock = _TickingClock()
    Stillness(program, clock, lambda: {2**22 + 1}, None).after_freeze()
    assert clock.now < MOST_WAITED_S
