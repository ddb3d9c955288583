"""A disturbed night gives exactly the expected results. `make chaos` does the same a thousand times."""

from __future__ import annotations

import ast
import contextlib
import errno
import shutil
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from arena.linux import subreaper
from arena.model.records import MatchOrder, MatchRecord
from arena.store.store import Store
from arena.store.values import MatchFilter, NightState
from arena.workers import logs
from arena.workers.pool import Workers, WorkerSettings
from tests.night.chaos import (
    DISTURBANCES,
    MODES,
    NIGHT,
    Chaos,
    Playing,
    Setting,
    jumping_wall_clock,
    kinds_in_turn,
    wait_for_orphans,
)
from tests.support.helpers import an_order
from tests.support.players import FunctionPlayer
from tests.support.real_night import ROOT, outcome, play, prepare, rules
from tests.support.small_disk import fill, small_disk

OTHER_CLOCKS = {
    *(f"{kind}.{asked}" for kind in ("datetime", "date") for asked in ("now", "utcnow", "today")),
    "time.CLOCK_REALTIME",
}
DIE_WITH_A_DISK = """
import os, sys
sys.path[:0] = {path!r}
from pathlib import Path
from tests.support.small_disk import small_disk
with small_disk(Path(sys.argv[1]), 1 << 20):
    os.kill(os.getpid(), 9)
"""


def test_disturbed_nights_end_as_quiet_ones(tmp_path: Path) -> None:
    """Parent, workers, bots or all of them killed, everything suspended, a full disk, a copy of the database taken
    while its writer stood still, a wall clock that jumps: each at least once, confined and not, resumed, exact, no
    process left."""
    chaos = Chaos(tmp_path)
    kinds = kinds_in_turn(1)
    seed = 1
    while chaos.done.total() < len(DISTURBANCES):
        chaos.disturb(seed, kinds)
        seed += 1
    assert {name for name, _mode, _small in chaos.done} == {kind.__name__ for kind in DISTURBANCES}
    assert {mode for _name, mode, _small in chaos.done} == set(MODES)
    assert seed <= 2 + 2 * len(DISTURBANCES) // NIGHT


def test_a_wall_clock_that_jumps_is_stored_and_decides_nothing(tmp_path: Path) -> None:
    """The times of such a night's matches are days apart and in no order; its outcome and ratings are those of a quiet
    one."""
    quiet = tmp_path / "quiet"
    prepare(quiet)
    jumping = Path(shutil.copytree(quiet, tmp_path / "jumping"))
    assert play(quiet, rules(reuse=True), 2, lambda _event: None).finished
    night = Playing(Setting(jumping, "off", reuse=True, proven=False, disk=None), Random(1))
    assert night.end() == 0, night.errors
    assert outcome(jumping) == outcome(quiet)
    with Store.open(quiet) as store:
        assert longest_jump(store) < timedelta(minutes=1)
    with Store.open(jumping) as store:
        assert longest_jump(store) > timedelta(days=1)
        assert store.verify("real").holds
        assert store.night("real").state is NightState.CLOSED


def longest_jump(store: Store) -> timedelta:
    """The most that the clock went, forth or back, between the stored moments of a night."""
    night = store.night("real")
    finished = [match.finished_at for match in store.matches(MatchFilter(league="real"), limit=1_000)]
    assert len(finished) > 10
    moments = [datetime.fromisoformat(moment or "") for moment in (night.started_at, *finished, night.ended_at)]
    return max(abs(after - before) for before, after in pairwise(moments))


def test_the_wall_clock_of_workers_jumps_too(tmp_path: Path) -> None:
    """What a worker writes into the log of a night has another day; without the jump, this one."""

    def spoil(_order: MatchOrder) -> MatchRecord:
        raise RuntimeError("nothing to play")

    for jump in (False, True):
        clock = jumping_wall_clock(Random(1)) if jump else contextlib.nullcontext()
        folder = tmp_path / str(jump)
        folder.mkdir()
        begun = datetime.now(UTC)
        with (
            clock,
            logs.night_log(folder) as log,
            Workers(WorkerSettings(1, pin=False), FunctionPlayer(spoil)) as workers,
        ):
            workers.submit(an_order())
            while workers.running:
                workers.wait()
        written = [line.split(maxsplit=1)[0] for line in log.read_text().splitlines() if "worker-0" in line]
        moments = [datetime.fromisoformat(moment) for moment in written]
        assert moments
        assert all((abs(moment - begun) > timedelta(hours=1)) is jump for moment in moments)


def test_no_part_of_a_night_asks_another_wall_clock() -> None:
    """One that does not go by `time.time` would not jump in these tests."""
    asking = {
        path.relative_to(ROOT / "arena").as_posix()
        for path in (ROOT / "arena").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and ast.unparse(node) in OTHER_CLOCKS
    }
    # Commands read a time of day from their arguments before anything is played.
    assert asking <= {"cli/time_limits.py"}


def test_a_small_disk_goes_away_with_its_test(tmp_path: Path) -> None:
    """Full or in use, after a failure or a SIGKILL, nothing is mounted any more."""
    folder = tmp_path / "failed"
    with pytest.raises(AssertionError, match="a failure"), small_disk(folder, 1 << 20) as there:
        assert folder.is_mount() is there
        if there:
            fill(folder / "filler", 5_000)
            with (folder / "more").open("wb", buffering=0) as file, pytest.raises(OSError) as full:
                while file.write(bytes(1_000)):
                    assert file.tell() < 20_000
            assert full.value.errno == errno.ENOSPC
        raise AssertionError("a failure")
    assert not folder.is_mount()
    folder = tmp_path / "killed"
    code = DIE_WITH_A_DISK.format(path=[str(ROOT), *sys.path])
    known = subreaper.children()
    before = subreaper.adopt_orphans(True)
    try:
        killed = subprocess.run([sys.executable, "-c", code, str(folder)], cwd=ROOT)
        assert killed.returncode == -signal.SIGKILL
        wait_for_orphans(known)
    finally:
        subreaper.adopt_orphans(before)
    assert folder.is_dir()
    assert not folder.is_mount()
