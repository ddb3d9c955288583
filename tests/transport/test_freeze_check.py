"""A bot is frozen before the next turn of another bot; a bot that does not freeze at once is checked every time."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.linux.proc import ProcessStatus, status_of
from arena.transport import freeze_check
from arena.transport.freeze_check import (
    FIRST_LOOKS,
    FORGIVEN_AFTER,
    LOOK_EVERY_S,
    MOST_WAITED_S,
    RESTLESS_S,
    FreezeCheck,
)

GONE = 2**22 + 1
"""More than any process id of Linux."""


class _TickingClock:
    """Later by a tenth of the longest wait each time it is read."""

    def __init__(self) -> None:
        self._ticks = itertools.count()
        self.now = 0.0

    def __call__(self) -> float:
        self.now = next(self._ticks) * MOST_WAITED_S / 10
        return self.now


@pytest.fixture(autouse=True)
def _remembers_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(freeze_check, "_restless", {})


@pytest.fixture
def spinning() -> Iterator[int]:
    """A process that computes for ever."""
    with subprocess.Popen([sys.executable, "-c", "print(flush=True)\nwhile True: pass"], stdout=subprocess.PIPE) as bot:
        assert bot.stdout is not None
        bot.stdout.readline()
        yield bot.pid
        bot.kill()


def watched(*pids: int, program: str = "a bot", by_signal: bool = True, usage: Path | None = None) -> FreezeCheck:
    return FreezeCheck(program, _TickingClock(), lambda: True, lambda: pids, by_signal=by_signal, usage=usage)


def stop(pid: int) -> None:
    os.kill(pid, signal.SIGSTOP)
    os.waitpid(pid, os.WUNTRACED)


def state(pid: int) -> str:
    status = status_of(pid)
    assert status is not None
    return status.state


def test_one_that_stands_still_is_left_alone(spinning: int) -> None:
    stop(spinning)
    watch = watched(spinning)
    watch.run()
    assert not watch.restless
    assert state(spinning) == "T"


def test_one_that_no_stop_has_reached_is_stopped(spinning: int) -> None:
    """Nobody told this process: the look does."""
    watched(spinning).run()
    deadline = time.monotonic() + 30
    while state(spinning) != "T":  # on a busy host it gets the core, to stop on it, only later
        assert time.monotonic() < deadline


@pytest.mark.parametrize(
    ("threads", "used_s", "restless"),
    [
        ("R", 0.0, False),  # waits for the core, to stop on it
        ("RST", 0.0, False),
        ("R", 2 * RESTLESS_S, True),  # computes
        ("S", 0.0, True),  # no stop has reached it
        ("DR", 0.0, True),  # one of them takes no signal, so none has reached the other
    ],
)
def test_who_did_not_stop_is_remembered(
    monkeypatch: pytest.MonkeyPatch, threads: str, used_s: float, restless: bool
) -> None:
    """For its next processes and those that are alive already, but not to the harm of any other program."""
    states = dict(enumerate(threads))
    monkeypatch.setattr(freeze_check, "_tgkill", lambda _pid, thread, _number: states.update({thread: "T"}))
    monkeypatch.setattr(freeze_check, "threads_of", lambda pid: sorted(states))
    monkeypatch.setattr(freeze_check, "status_of", lambda pid, thread: ProcessStatus(pid, states[thread], 1, 1, 1, 0))
    used = iter([{0: 1.0}, {0: 1.0 + used_s}])
    monkeypatch.setattr(FreezeCheck, "_used", lambda self: next(used))
    watch, sibling, stranger = watched(GONE), watched(GONE), watched(GONE, program="another bot")
    watch.run()
    assert (watch.restless, sibling.restless, stranger.restless) == (restless, restless, False)
    assert set(states.values()) == {"T"}


def test_what_a_bot_uses_is_read_from_its_processes(spinning: int) -> None:
    watch = watched(spinning, GONE)
    watch._used_at_stop = watch._used()
    before = watch._used_at_stop
    assert before.keys() == {spinning}
    deadline = time.monotonic() + 30
    while watch._since_stop() <= RESTLESS_S:
        assert time.monotonic() < deadline
    before.clear()
    assert watch._since_stop() == 0.0, "who was not there then has no past to be charged"


def test_one_that_is_gone_stands_still() -> None:
    watch = watched(GONE)
    watch.run()
    assert not watch.restless


def test_nobody_is_waited_for_for_ever(spinning: int) -> None:
    """Stopped by a cgroup that does not work, as it seems."""
    clock = _TickingClock()
    watch = FreezeCheck("a bot", clock, lambda: True, lambda: [spinning], by_signal=False, usage=None)
    watch.run()
    assert state(spinning) == "R"
    assert clock.now <= 1.2 * MOST_WAITED_S


def test_one_that_a_cgroup_stopped_is_sent_no_signal(monkeypatch: pytest.MonkeyPatch) -> None:
    """It looks idle; a signal would wait for it, and stop it when it goes on."""
    told: list[int] = []
    monkeypatch.setattr(freeze_check, "_tgkill", lambda _pid, thread, _number: told.append(thread))
    monkeypatch.setattr(freeze_check, "threads_of", lambda pid: [1, 2])
    monkeypatch.setattr(freeze_check, "status_of", lambda pid, thread: ProcessStatus(pid, "SD"[thread - 1], 1, 1, 1, 0))
    watch = watched(GONE, by_signal=False)
    watch.run()
    assert not watch.restless
    assert told == []


def test_a_thread_that_takes_no_signal_is_sent_one_for_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """It waits in a way that no signal ends; but when it goes on, it has to find one."""
    told: list[int] = []
    states = {1: "D", 2: "T", 3: "S"}

    def tell(_pid: int, thread: int, number: int) -> None:
        assert number == signal.SIGSTOP
        told.append(thread)
        if states[thread] == "S":
            states[thread] = "T"

    monkeypatch.setattr(freeze_check, "_tgkill", tell)
    monkeypatch.setattr(freeze_check, "threads_of", lambda pid: sorted(states))
    monkeypatch.setattr(freeze_check, "status_of", lambda pid, thread: ProcessStatus(pid, states[thread], 1, 1, 1, 0))
    watched(GONE).run()
    assert told == [1, 3]


def test_a_polite_bot_is_looked_at_now_and_then() -> None:
    """Some of its first stops, then at moments that it cannot know: just after a look as well as at any other time."""
    clock = _TickingClock()
    gaps: list[float] = []
    first = set()
    for _ in range(20):
        watch = FreezeCheck("a bot", clock, lambda: True, lambda: [GONE], by_signal=True, usage=None)
        looks = 0
        while watch.due == 0.0:
            watch.run()
            looks += 1
        first.add(looks)
        for _ in range(20):
            watch.run()
            gaps.append(watch.due - clock.now)
    assert min(first) >= FIRST_LOOKS[0]
    assert max(first) <= FIRST_LOOKS[1]
    assert len(first) > 1
    assert sum(gap < LOOK_EVERY_S / 2 for gap in gaps) > 80  # 39 of 100 are, where the last look is forgotten
    assert sum(gap > LOOK_EVERY_S * 2 for gap in gaps) > 20  # and 14 of 100


def test_what_is_used_after_a_stop_is_told(tmp_path: Path) -> None:
    """Not the little that a runtime needs to tidy up; who uses more is restless, if no look has shown it."""
    usage = tmp_path / "cpu.stat"
    for used_us, told_s in ((900, 0.0), (250_000, 0.25)):
        usage.write_text("usage_usec 1000000\nuser_usec 1\n")
        watch = watched(GONE, usage=usage)
        watch.run()
        usage.write_text(f"usage_usec {1_000_000 + used_us}\nuser_usec 1\n")
        assert watch.used_since() == pytest.approx(told_s)
        assert watch.restless is (told_s > 0.0)


def test_one_that_was_told_is_looked_at_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """One thread comes out of the kernel when another has left it: the first look may have seen neither."""
    looks = iter(["DT", "DT", "RT", "TT", "TT"])
    states: list[str] = []

    def threads(_pid: int) -> list[int]:
        states.append(next(looks))
        return [0, 1]

    monkeypatch.setattr(freeze_check, "_tgkill", lambda _pid, _thread, _number: None)
    monkeypatch.setattr(freeze_check, "threads_of", threads)
    monkeypatch.setattr(
        freeze_check, "status_of", lambda pid, thread: ProcessStatus(pid, states[-1][thread], 1, 1, 1, 0)
    )
    watched(GONE).run()
    assert states == ["DT", "DT", "RT", "TT", "TT"]


def test_a_restless_bot_is_looked_at_after_each_of_its_turns() -> None:
    freeze_check._restless["a bot"] = FORGIVEN_AFTER
    watch = watched(GONE)
    for _ in range(FORGIVEN_AFTER - 1):
        watch.run()
        assert watch.due == 0.0
    watch.run()
    assert not watch.restless, "so long after, it is one like all others again"
    assert watch.due > 0.0


def test_a_bot_that_has_ended_is_neither_checked_nor_charged(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the kernel needs to remove it is no work of its own."""
    alive = [True]
    used = iter([{0: 1.0}, {0: 1.0}, {0: 1.0}, {0: 9.0}])
    monkeypatch.setattr(FreezeCheck, "_used", lambda self: next(used))
    watch = FreezeCheck("a bot", _TickingClock(), lambda: alive[0], lambda: [], by_signal=True, usage=None)
    watch.run()
    assert watch.used_since() == 0.0
    assert watch.used_since() is None, "it is charged once"
    watch.run()
    alive[0] = False
    assert watch.used_since() == 0.0
    watch.run()
    assert watch.used_since() is None


@pytest.mark.parametrize(
    ("state", "by_signal", "quick"),
    [("T", True, True), ("Z", True, True), ("S", True, False), ("R", True, False), (None, True, False),
     ("S", False, True), ("R", False, False), (None, False, False)],
)  # fmt: skip
def test_a_bot_of_one_thread_is_looked_at_once(
    monkeypatch: pytest.MonkeyPatch, state: str | None, by_signal: bool, quick: bool
) -> None:
    """Where its only thread has stopped, nothing else is asked; else every thread is looked at."""

    class Kept:
        def __init__(self, pid: int) -> None:
            assert pid == GONE

        def only_state(self) -> str | None:
            return state

        def close(self) -> None: ...

    walked: list[int] = []
    monkeypatch.setattr(freeze_check, "KeptProcess", Kept)
    monkeypatch.setattr(freeze_check, "threads_of", lambda pid: walked.append(pid) or [])  # type: ignore[func-returns-value]
    watch = FreezeCheck(
        "a bot", _TickingClock(), lambda: True, lambda: [GONE], by_signal=by_signal, leader=lambda: GONE, usage=None
    )
    watch.run()
    assert (walked == []) is quick
    watch.close()


def test_a_bot_whose_leader_is_gone_is_looked_at_all_the_same() -> None:
    """Its files cannot be opened."""
    watch = FreezeCheck(
        "a bot", _TickingClock(), lambda: True, lambda: [GONE], by_signal=True, leader=lambda: GONE, usage=None
    )
    watch.run()
    assert watch.used_since() == 0.0
    watch.close()
