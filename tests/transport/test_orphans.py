"""Tests of orphans: processes that left the family of a bot are found, and no other bot is blamed for them."""

from __future__ import annotations

import os
import signal
import subprocess
from dataclasses import replace

from arena.linux import subreaper
from arena.sandbox.cgroups import CgroupHost
from arena.sandbox.probe import probe
from arena.transport import orphans
from arena.transport.base import (
    Launch,
)
from arena.transport.process import BotProcess
from tests.support.processes import soon


def test_an_orphan_belongs_to_its_session() -> None:
    """A helper that loses its parent while another bot is on turn is not taken for the other's."""
    subreaper.become_reaper()
    code = "sleep 600 & echo $!; kill -9 $$"
    with subprocess.Popen(["sh", "-c", code], stdout=subprocess.PIPE, start_new_session=True) as first:
        second = subprocess.Popen(["sleep", "600"], start_new_session=True)
        assert first.stdout is not None
        helper = int(first.stdout.readline())
        os.waitid(os.P_PID, first.pid, os.WEXITED | os.WNOWAIT)
        orphans.note_leader(first.pid)
        orphans.note_leader(second.pid)
        try:
            assert helper not in orphans.claim(second.pid)
            assert helper in orphans.claim(first.pid)
        finally:
            for leader in (first.pid, second.pid):
                orphans.forget_leader(leader)
            subreaper.signal_all({helper, second.pid}, signal.SIGKILL)
            assert subreaper.reap({helper}, 10.0) == set()
            second.wait()


TRACED = """
import ctypes, os, signal
reading, writing = os.pipe()
if os.fork() == 0:
    os.setsid()
    ctypes.CDLL(None).ptrace(0x4206, os.getppid(), 0, 0)  # PTRACE_SEIZE
    os.write(writing, b"x")
    while True: signal.pause()
os.read(reading, 1)
print(flush=True)
signal.pause()
"""


def test_an_end_that_a_helper_hides_is_seen() -> None:
    """A process that is traced shows its end to the tracer first: that one has to go before anybody can wait for it."""
    unenclosed = replace(probe("off"), cgroups=CgroupHost())  # a cgroup ends the tracer too
    transport = BotProcess(Launch(("python3", "-I", "-c", TRACED), "/usr", unenclosed))
    assert transport.wait(soon(transport)) == b""
    assert transport.close(polite=False).survivors == 0
