"""Tests of scratch folders: they are removed whatever a bot did to them, and nothing else is removed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from arena.linux.stale import ELSEWHERE_S, owner_mark, place_id, start_of
from arena.transport.scratch import make_scratch, remove_scratch, remove_tree, sweep_scratch
from tests.support.leftovers import DEAD_OWNER, STRANGER


def test_the_scratch_of_dead_arenas_is_swept_and_nothing_else(temporary: Path, tmp_path: Path) -> None:
    """A planted link and a folder of another user stay; one of the bots' users goes."""
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "thesis").touch()
    left = temporary / f"arena-scratch-{DEAD_OWNER}-abcdefgh"
    left.mkdir()
    (temporary / f"arena-scratch-{DEAD_OWNER}-linked").symlink_to(precious)
    mine = Path(make_scratch())
    sweep_scratch()
    assert not left.exists() and mine.exists() and (precious / "thesis").exists()
    assert not remove_scratch(temporary / f"arena-scratch-{DEAD_OWNER}-linked", DEAD_OWNER)
    if os.geteuid() == 0:
        left.mkdir()
        os.chown(left, STRANGER, STRANGER)
        sweep_scratch()
        assert left.exists()
        sweep_scratch({STRANGER})
        assert not left.exists()


def test_a_scratch_folder_is_removed_however_deep_it_is(temporary: Path) -> None:
    """A bot can nest thousands of folders, close them, and link to what is not its own."""
    kept = temporary / "kept"
    kept.mkdir()
    (kept / "file").touch()
    scratch = Path(make_scratch())
    inner = os.open(scratch, os.O_RDONLY)
    for number in range(3000):
        os.mkdir("d", dir_fd=inner)
        deeper = os.open("d", os.O_RDONLY, dir_fd=inner)
        os.symlink(kept, "link", dir_fd=inner)
        if number == 7:
            os.fchmod(inner, 0o000)
        os.close(inner)
        inner = deeper
    os.close(inner)
    remove_tree(scratch)
    assert [path.name for path in temporary.iterdir()] == ["kept"]
    assert [path.name for path in kept.iterdir()] == ["file"]
    remove_tree(scratch)


def test_the_scratch_of_a_process_whose_number_came_again_is_swept(temporary: Path) -> None:
    """The number alone is no sign of life: another process may have it by now."""
    left = temporary / f"arena-scratch-{place_id()}-{os.getpid()}-{start_of(os.getpid()) + 1}-abcdefgh"
    mine = temporary / f"arena-scratch-{owner_mark()}-abcdefgh"
    for folder in (left, mine):
        folder.mkdir()
    sweep_scratch()
    assert not left.exists() and mine.exists()


def test_the_scratch_of_another_place_gets_a_day(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another container may share the folder; nobody here sees its processes. A bot cannot make the day longer."""
    far = temporary / f"arena-scratch-0badcafe-{os.getpid()}-1-abcdefgh"
    far.mkdir()
    sweep_scratch()
    assert far.exists()
    os.utime(far, (2**33, 2**33))
    day = far.lstat().st_ctime + ELSEWHERE_S
    monkeypatch.setattr("arena.linux.stale.time.time", lambda: day + 1)
    sweep_scratch()
    assert not far.exists()
