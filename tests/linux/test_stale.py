"""Tests of "is the owner still running?": one answer for everything that a killed command may leave."""

from __future__ import annotations

import os
import subprocess
import time

import pytest

from arena.linux.stale import ELSEWHERE_S, is_abandoned, owner_mark, place_id, start_of


def test_what_a_living_process_made_is_not_abandoned() -> None:
    """However old it is."""
    assert not is_abandoned(owner_mark(), 0.0)


def test_what_an_ended_process_made_is_abandoned() -> None:
    """The number alone does not count: another process may have it by now."""
    with subprocess.Popen(["true"]) as ended:
        pass
    now = time.time()
    assert is_abandoned(f"{place_id()}-{ended.pid}-1", now)
    assert is_abandoned(f"{place_id()}-{os.getpid()}-{start_of(os.getpid()) + 1}", now)


def test_another_place_gets_a_day() -> None:
    """Its processes cannot be seen from here."""
    now = time.time()
    mark = f"0badcafe-{os.getpid()}-{start_of(os.getpid())}"
    assert not is_abandoned(mark, now - ELSEWHERE_S / 2)
    assert is_abandoned(mark, now - 2 * ELSEWHERE_S)


@pytest.mark.parametrize("text", ["", "-", "1-2", "0badcafe-x-1", "0badcafe-1-", "0badcafe-1-²", "a-b-c-d"])
def test_what_is_no_mark_is_left_alone(text: str) -> None:
    """A file that the arena did not name is somebody else's."""
    assert not is_abandoned(text, 0.0)
