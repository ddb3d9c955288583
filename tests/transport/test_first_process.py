"""Tests of the first process of a bot: it is not its monitor, and its end is seen before it is reaped."""

from __future__ import annotations

import os
import select
import signal
from pathlib import Path

import pytest

from arena.linux.proc import has_ended
from arena.sandbox.probe import probe
from arena.transport.base import (
    EndCause,
    EndOfOutput,
    Launch,
)
from arena.transport.first_process import MonitoredProcess
from arena.transport.process import BotProcess
from tests.support.hosts import confinement
from tests.support.processes import family, soon, started


@pytest.mark.parametrize("moment", ["silent", "greeted", "frozen"])
@pytest.mark.parametrize("killed", [True, False])
def test_a_bot_that_was_killed_looks_like_it(moment: str, killed: bool) -> None:
    """Before its first freeze and after it, before it is closed and after that; one that ends by itself does not."""
    code = "print(flush=True); input()"
    for sandbox in (confinement(), probe("off")):
        mark = f"looks-{os.getpid()}-{moment}-{killed}"
        transport = BotProcess(Launch(("python3", "-I", "-c", code, mark), "/usr", sandbox))
        assert transport.wait(soon(transport)) == b""
        (pid,) = family(mark)
        if moment == "frozen":
            transport.freeze()
        assert not transport.looks_killed()
        died = os.pidfd_open(pid)
        if killed:
            os.kill(pid, signal.SIGKILL)
        else:
            transport.turn(b"end yourself\n", transport.clock()).__enter__()
        assert select.select([died], [], [], 10)[0]
        os.close(died)
        if moment == "greeted":
            transport.freeze()
        assert transport.looks_killed() is killed
        with pytest.raises(EndOfOutput):
            transport.wait(soon(transport))
        cause = transport.close(polite=False).cause
        assert (cause in (EndCause.KILLED, EndCause.KILLED_FROM_OUTSIDE)) is killed


def test_the_bot_is_told_from_the_monitor() -> None:
    """The monitor is what the arena started; the bot is what the monitor reports, once."""
    with started(confinement(), "cat") as transport:
        first = transport._first
        assert isinstance(first, MonitoredProcess)
        pid = first.find()
        assert pid not in (0, first.started)
        assert Path(f"/proc/{pid}/oom_score_adj").read_text() == "1000\n"
        assert first.lives() and first.started_lives()
        assert first.leaked() == set()
    with started(probe("off"), "cat") as transport:
        assert transport._first.find() == transport._first.started == transport._first.pid


def test_a_silent_monitor_keeps_the_end_of_its_bot() -> None:
    """While it is stopped, the bot's own end is seen, and the kernel keeps how it ended."""
    with started(confinement(), "cat") as transport:
        first = transport._first
        assert isinstance(first, MonitoredProcess)
        assert first.silence_monitor() is None, "nobody knows the bot yet"
        pid = first.find()
        descriptor = first.silence_monitor()
        assert descriptor is not None and not has_ended(descriptor)
        assert first.silence_monitor() is None
        assert not first.was_killed()
        os.kill(pid, signal.SIGKILL)
        assert has_ended(descriptor, 10.0)
        assert first.was_killed() and first.started_lives()
        assert first.wake_monitor()
        assert not first.wake_monitor()
        assert not first.started_lives(10.0)
        assert first.status_at_end() == first.killed_status


def test_an_end_by_itself_is_no_kill() -> None:
    """Its exit code is seen before anybody reaps the process."""
    with started(probe("off"), "sh", "-c", "exit 3") as transport:
        assert transport._first.status_at_end() == 3
        assert transport._first.status_at_end() == 3
