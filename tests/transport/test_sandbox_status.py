"""The status reports of the sandbox are read as far as they are complete; an incomplete rest is ignored."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from arena.transport.sandbox_status import SandboxStatus


@pytest.fixture
def pipe() -> Iterator[tuple[SandboxStatus, int]]:
    """A status, and where the monitor would write."""
    reading, writing = os.pipe()
    yield SandboxStatus(reading), writing
    os.close(reading)


def test_the_bot_and_its_end_are_told(pipe: tuple[SandboxStatus, int]) -> None:
    status, writing = pipe
    os.write(writing, b'{ "child-pid": 42 }\n')
    assert status.bot() == 42
    assert not status.has_run()
    os.write(writing, b'{ "exit-code": 0 }\n')
    os.close(writing)
    assert status.has_run()
    assert status.bot() == 42


@pytest.mark.parametrize("told", [b"", b'{ "child-pid": 4'])
def test_a_monitor_that_is_killed_in_the_middle_has_told_nothing(pipe: tuple[SandboxStatus, int], told: bytes) -> None:
    status, writing = pipe
    os.write(writing, told)
    os.close(writing)
    assert status.bot() == 0
    assert not status.has_run()
