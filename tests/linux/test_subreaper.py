"""Tests of processes that dead workers left: they are killed, and nothing waits without end for an unkillable one."""

from __future__ import annotations

import signal
import subprocess

import pytest

from arena.linux import subreaper


def test_children_that_are_not_kept_are_ended() -> None:
    kept = subprocess.Popen(["sleep", "60"])
    try:
        other = subprocess.Popen(["sleep", "60"])
        assert subreaper.kill_adopted(subreaper.children() - {other.pid}) == 1
        assert kept.poll() is None
        assert other.wait() in (0, -signal.SIGKILL)
    finally:
        kept.kill()
        kept.wait()


def test_nobody_waits_for_ever_for_what_the_kernel_does_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread may be in the kernel for minutes, where SIGKILL does not reach it."""
    child = subprocess.Popen(["sleep", "60"])
    try:
        monkeypatch.setattr(subreaper, "has_ended", lambda descriptor, patience_s: False)
        assert subreaper.kill_adopted(subreaper.children() - {child.pid}) == 0
    finally:
        child.kill()
        child.wait()
