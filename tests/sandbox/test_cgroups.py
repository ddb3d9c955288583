"""Tests of the sweeper of cgroups: it removes those of killed arenas and no others."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from arena.linux.stale import ELSEWHERE_S, owner_mark, place_id, start_of
from arena.sandbox import cgroups
from tests.support.leftovers import DEAD_OWNER, STRANGER


@pytest.fixture
def killed(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The cgroups whose processes are killed; in these tests they are plain folders."""
    found: list[Path] = []
    monkeypatch.setattr(cgroups, "_kill_all", found.append)
    return found


def test_a_cgroup_of_another_user_is_not_ended(tmp_path: Path, killed: list[Path]) -> None:
    """Nor a link to one: where several users may make cgroups, each ends its own."""
    if os.geteuid() != 0:
        pytest.skip("only root can make folders of other users")
    for name in ("own", "other"):
        (tmp_path / f"arena-bot-{DEAD_OWNER}-{name}").mkdir()
    os.chown(tmp_path / f"arena-bot-{DEAD_OWNER}-other", STRANGER, STRANGER)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / f"arena-bot-{DEAD_OWNER}-link").symlink_to(tmp_path / "elsewhere")
    cgroups.sweep(str(tmp_path))
    assert killed == [tmp_path / f"arena-bot-{DEAD_OWNER}-own"]


def test_a_cgroup_of_a_process_whose_number_came_again_is_ended(tmp_path: Path, killed: list[Path]) -> None:
    """The number alone is no sign of life. What a living process made stays, and so does another kind of name."""
    left = tmp_path / f"arena-bot-{place_id()}-{os.getpid()}-{start_of(os.getpid()) + 1}-0"
    kept = [tmp_path / name for name in (f"arena-bot-{owner_mark()}-0", "arena-bot-999999999-0", "arena-bot-")]
    for folder in (left, *kept):
        folder.mkdir()
    cgroups.sweep(str(tmp_path))
    assert killed == [left] and not left.exists()
    assert all(folder.exists() for folder in kept)


def test_a_cgroup_of_another_place_is_only_removed_and_only_after_a_day(
    tmp_path: Path, killed: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its bot may still be alive in a container that shares the folder, and then the kernel keeps the cgroup."""
    far, used = (tmp_path / f"arena-bot-0badcafe-1-1-{number}" for number in range(2))
    far.mkdir()
    (used / "bot").mkdir(parents=True)
    cgroups.sweep(str(tmp_path))
    assert far.exists()
    day = far.lstat().st_ctime + ELSEWHERE_S
    monkeypatch.setattr("arena.linux.stale.time.time", lambda: day + 60)
    cgroups.sweep(str(tmp_path))
    assert killed == [] and not far.exists() and used.exists()
