"""Tests of process groups: all processes of a bot are frozen, thawed and killed together, in each way that exists."""

from __future__ import annotations

import os
import time
from dataclasses import replace

from arena.linux.proc import clock_of
from arena.sandbox.cgroups import CgroupHost
from arena.sandbox.launcher import Sandbox
from arena.transport.base import (
    Launch,
)
from arena.transport.process import BotProcess
from tests.support.processes import family, soon, started

FAMILY = """
import os, sys, time
def spin():
    while True: pass
if os.fork() == 0: spin()
apart, tell = os.pipe()
if os.fork() == 0:
    if os.fork() == 0:
        try: os.setsid()
        except OSError: pass
        os.write(tell, b"x")
        spin()
    os._exit(0)
os.read(apart, 1)
os.wait()
print("born", flush=True)
for line in sys.stdin: print(line, end="", flush=True)
"""
"""A child, and a grandchild that leaves the family as far as it may; both burn the core for ever."""


def cpu_of(pids: list[int]) -> float:
    return sum(time.clock_gettime(clock_of(pid)) for pid in pids)


def test_a_family_is_frozen_and_gone_after_the_close(sandbox: Sandbox) -> None:
    """Children and runaways stop with the bot, run again with it, and none is alive after the close."""
    mark = f"family-{os.getpid()}-{id(sandbox)}"
    with started(sandbox, "python3", "-I", "-c", FAMILY, mark) as transport:
        assert transport.wait(soon(transport)) == b"born"
        transport.freeze()
        pids = list(family(mark))
        assert len(pids) == 3
        # Stopping is not instant where a process is just running on another core.
        deadline = soon(transport)
        while True:
            before, began = cpu_of(pids), time.process_time()
            while time.process_time() < began + 0.02:
                pass
            if cpu_of(pids) == before or transport.clock() > deadline:
                break
        assert cpu_of(pids) == before
        with transport.turn(b"hello\n", transport.clock()):
            assert transport.wait(soon(transport)) == b"hello"
    assert family(mark) == {}


def test_a_polite_close_ends_the_rest_too(sandbox: Sandbox) -> None:
    """A bot that leaves at the end of its input takes its family with it, like it or not."""
    mark = f"polite-{os.getpid()}-{id(sandbox)}"
    transport = BotProcess(Launch(("python3", "-I", "-c", FAMILY, mark), "/usr", sandbox))
    assert transport.wait(soon(transport)) == b"born"
    transport.freeze()
    end = transport.close(polite=True)
    assert (end.exit_status, end.survivors) == (0, 0)
    assert family(mark) == {}


def test_two_families_do_not_mix(bare: Sandbox) -> None:
    """Without a sandbox and without cgroups the end of one bot ends no other."""
    plain = replace(bare, cgroups=CgroupHost())
    marks = [f"mix-{os.getpid()}-{number}" for number in range(2)]
    with started(plain, "python3", "-I", "-c", FAMILY, marks[0]) as first:
        assert first.wait(soon(first)) == b"born"
        first.freeze()
        with started(plain, "python3", "-I", "-c", FAMILY, marks[1]) as second:
            assert second.wait(soon(second)) == b"born"
            second.freeze()
        assert family(marks[1]) == {}
        assert len(family(marks[0])) == 3
    assert family(marks[0]) == {}
