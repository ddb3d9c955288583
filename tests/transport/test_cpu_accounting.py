"""Tests of CPU accounting: a wait for the CPU is excused, CPU time of the bot is not."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.sandbox.launcher import Sandbox
from arena.transport import cpu_accounting
from arena.transport.base import (
    EndOfOutput,
    Evidence,
)
from arena.transport.cpu_accounting import MOST_UNREAD_S, PressureEvidence, SchedulerEvidence
from tests.support.processes import soon, started


@pytest.fixture(params=["pressure", "schedstat"])
def evidence(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Evidence]:
    """Each kind of evidence, about this very process."""
    pressure = tmp_path / "cpu.pressure"
    pressure.write_text("some avg10=0.00 total=900\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=500\n")
    (tmp_path / "cpu.stat").write_text("usage_usec 0\nuser_usec 0\nsystem_usec 0\n")
    made: Evidence = (
        PressureEvidence(str(pressure), os.getpid()) if request.param == "pressure" else SchedulerEvidence(os.getpid())
    )
    yield made
    made.close()


def test_no_evidence_excuses_processor_time(evidence: Evidence) -> None:
    """Excused and used are never more than the wall time together."""
    evidence.begin(time.monotonic())
    began, used = time.monotonic(), time.process_time()
    while time.process_time() < used + 0.01:
        pass
    wall_s = time.monotonic() - began
    for excused_s, cpu_s in (evidence.look(wall_s), evidence.finish(wall_s)):
        assert excused_s >= 0.0
        assert cpu_s >= 0.01
        assert excused_s + cpu_s <= wall_s + 0.01 or excused_s == 0.0


def test_pressure_counts_what_others_held(tmp_path: Path) -> None:
    """The growth of `full` since the last turn is excused, within the time in which the bot did not run."""
    file = tmp_path / "cpu.pressure"
    file.write_text("some total=9\nfull avg10=0.00 total=1000000\n")
    (tmp_path / "cpu.stat").write_text("usage_usec 0\n")
    evidence = PressureEvidence(str(file), os.getpid())
    try:
        # This process has used processor time since its start, perhaps minutes of it.
        assert evidence.look(1e6)[0] == pytest.approx(1.0), "the wait of the start-up"
        evidence.forget()
        evidence.begin(time.monotonic())
        file.write_text("some total=9\nfull avg10=0.00 total=1250000\n")
        assert evidence.look(10.0)[0] == pytest.approx(0.25)
        assert evidence.look(0.1)[0] <= 0.1
        assert evidence.finish(10.0)[0] == pytest.approx(0.25, abs=0.1)
        evidence.begin(time.monotonic())
        assert evidence.look(10.0)[0] == pytest.approx(0.0)
    finally:
        evidence.close()


def test_what_its_helpers_used_is_not_excused(tmp_path: Path) -> None:
    """A bot whose children burn the core makes the arena wait for it: that is no time that others took."""
    file, usage = tmp_path / "cpu.pressure", tmp_path / "cpu.stat"

    def count(waited_s: float, helpers_s: float) -> None:
        file.write_text(f"some total=9\nfull avg10=0.00 total={waited_s * 1e6:.0f}\n")
        usage.write_text(f"usage_usec {(helpers_s + time.process_time()) * 1e6:.0f}\nuser_usec 1\n")

    count(0.0, 0.0)
    evidence = PressureEvidence(str(file), os.getpid())
    try:
        count(1.0, 5.0)
        evidence.forget()
        evidence.begin(time.monotonic())
        count(9.0, 11.0)
        assert evidence.look(10.0)[0] == pytest.approx(4.0, abs=0.1)
        assert evidence.finish(10.0)[0] == pytest.approx(4.0, abs=0.1)
        evidence.begin(time.monotonic())
        count(12.0, 11.0)
        assert evidence.finish(10.0)[0] == pytest.approx(3.0, abs=0.1)
    finally:
        evidence.close()


def test_a_dead_process_gives_no_evidence_and_no_error(bare: Sandbox) -> None:
    """A bot that is gone excuses nothing."""
    with started(bare, "true") as transport:
        evidence = transport.evidence()
        with pytest.raises(EndOfOutput):
            transport.wait(soon(transport))
        evidence.begin(time.monotonic())
        assert evidence.look(0.0) == (0.0, 0.0) or evidence.look(0.0)[0] == 0.0
        assert evidence.still_waits() is False


def test_bots_share_the_reading_of_the_arenas_own_delay(evidence: Evidence, monkeypatch: pytest.MonkeyPatch) -> None:
    """The delay of the arena during the turn of one bot is not excused in the next turn of another bot."""
    delays = iter([1.0, 3.0, 7.0, 8.0])

    def read(_own: object, now: float) -> float:
        last = cpu_accounting._last_own
        last.total_s, last.read_at = next(delays), now
        return last.total_s

    monkeypatch.setattr(cpu_accounting._OwnDelay, "read", read)
    monkeypatch.setattr(type(evidence), "_growth", lambda self, **_: 0.0)
    monkeypatch.setattr(cpu_accounting._last_own, "read_at", -math.inf)
    evidence.forget()
    evidence.begin(100.0)
    assert evidence.finish(10.0)[0] == pytest.approx(2.0)
    evidence.begin(110.0 + MOST_UNREAD_S / 2)  # the last reading is fresh enough
    assert evidence.finish(10.0)[0] == pytest.approx(4.0)
    assert next(delays) == 8.0


def test_a_child_process_reads_its_own_delay() -> None:
    """What its parent has read is another thread's."""
    cpu_accounting._last_own.read_at = 1.0
    child = os.fork()
    if child == 0:
        os._exit(0 if cpu_accounting._last_own.read_at == -math.inf else 1)
    assert os.waitpid(child, 0)[1] == 0
