"""A night comes out exactly as it should, whatever happens to it. `make chaos` does the same a thousand times."""

from __future__ import annotations

import errno
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from arena import family
from tests.arena.chaos import DISTURBANCES, MODES, NIGHT, Chaos, kinds_in_turn, wait_for_orphans
from tests.arena.real_night import ROOT
from tests.arena.small_disk import fill, small_disk

DIE_WITH_A_DISK = """
import os, sys
sys.path[:0] = {path!r}
from pathlib import Path
from tests.arena.small_disk import small_disk
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
    known = family.children()
    before = family.adopt_orphans(True)
    try:
        killed = subprocess.run([sys.executable, "-c", code, str(folder)], cwd=ROOT)
        assert killed.returncode == -signal.SIGKILL
        wait_for_orphans(known)
    finally:
        family.adopt_orphans(before)
    assert folder.is_dir()
    assert not folder.is_mount()
