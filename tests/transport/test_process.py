"""Tests of the start and the end of a bot's process: the post mortem tells why it ended, and nothing is left."""

from __future__ import annotations

import os
import select
import signal
import threading
from pathlib import Path

import pytest

from arena.errors import ArenaFault
from arena.linux.subreaper import children
from arena.sandbox.launcher import Sandbox
from arena.transport.base import (
    EndCause,
    EndOfOutput,
    Launch,
    Limits,
)
from arena.transport.process import BotProcess
from tests.support.hosts import confinement
from tests.support.processes import family, soon, started


def test_nobody_waits_for_a_bot_that_has_left_already(sandbox: Sandbox) -> None:
    """A polite close after its end takes no second."""
    with started(sandbox, "true") as transport:
        with pytest.raises(EndOfOutput):
            transport.wait(soon(transport))
        began = transport.clock()
        assert transport.close(polite=True).exit_status == 0
        assert transport.clock() < began + 0.5


def test_the_second_to_leave_begins_when_a_bot_is_dismissed(sandbox: Sandbox) -> None:
    """Where several leave together, who does not is not waited for again: its time is over by then."""
    stubborn = "import time; print('here', flush=True); [time.sleep(1) for _ in range(1000)]"
    with started(sandbox, "python3", "-I", "-c", stubborn) as transport:
        assert transport.wait(soon(transport)) == b"here"
        transport.freeze()
        transport.dismiss()
        true_clock, transport.clock = transport.clock, lambda: true_clock() + 3600
        end = transport.close(polite=True)
        assert end.exit_status in (137, -9)
        assert end.cause is EndCause.KILLED


def test_a_bot_must_be_started_from_the_main_thread(bare: Sandbox) -> None:
    """The parent-death signal is tied to the thread: elsewhere it is refused, not silently fragile."""
    caught: list[Exception] = []

    def start() -> None:
        try:
            BotProcess(Launch(("true",), "/usr", bare))
        except ArenaFault as fault:
            caught.append(fault)

    thread = threading.Thread(target=start)
    thread.start()
    thread.join()
    assert len(caught) == 1


def test_a_sandbox_that_fails_is_no_crash_of_a_bot() -> None:
    """Setup that never came to run the command is told from a command that ended."""
    sandbox = confinement()
    for command, folder, failed in ((("true",), "/usr", False), (("true",), "/usr/no-such-folder", True)):
        try:
            transport = BotProcess(Launch(command, folder, sandbox))
        except FileNotFoundError:
            assert failed  # root looks at the folder before, to make it reachable
            continue
        with pytest.raises(EndOfOutput):
            transport.wait(soon(transport))
        assert (transport.close(polite=False).cause is EndCause.SANDBOX_FAILED) is failed


def test_a_sandbox_that_is_killed_as_it_starts_is_noticed_at_once() -> None:
    """What it leaves behind, waiting for it for ever, makes no bot late and is ended."""
    sandbox = confinement()
    for _ in range(5):
        known = children()
        transport = BotProcess(Launch(("cat",), "/usr", sandbox))
        (monitor,) = children() - known
        while not (inner := Path(f"/proc/{monitor}/task/{monitor}/children").read_text().split()):
            pass
        left = os.pidfd_open(int(inner[0]))
        os.kill(monitor, signal.SIGKILL)
        with pytest.raises(EndOfOutput):
            transport.wait(soon(transport))
        end = transport.close(polite=False)
        assert (end.survivors, end.cause) == (0, EndCause.SANDBOX_FAILED)
        gone = select.select([left], [], [], 5)[0]
        os.close(left)
        # Without a cgroup nobody knows yet who that is.
        assert gone or "total-memory-limit" not in sandbox.layers


def test_memory_that_the_monitor_is_killed_for_is_the_bots() -> None:
    """What the kernel keeps for it is no memory of a process of it, so the monitor may be the largest one."""
    sandbox = confinement()
    if "total-memory-limit" not in sandbox.layers:
        pytest.skip("no cgroup can be made here, so nothing would end it")
    files = "n=1; while :; do n=$((n + 1)); : > /dev/shm/$n; done"
    limits = Limits(memory_mb=16, scratch_mb=1)
    transport = BotProcess(Launch(("sh", "-c", files), "/usr", sandbox, limits))
    with pytest.raises(EndOfOutput):
        transport.wait(soon(transport))
    end = transport.close(polite=False)
    assert end.exit_status in (137, -9)
    assert end.cause is EndCause.OUT_OF_MEMORY


def test_a_bot_that_was_killed_is_told_from_one_that_ended() -> None:
    """Where the host holds the proof, SIGKILL from outside is nobody's crash; the same number as exit code still is."""
    sandbox = confinement()
    provable = {"namespaces", "seccomp", "total-memory-limit"} <= set(sandbox.layers)
    code = "import os; print(flush=True); input(); os.kill(os.getpid(), 9); os._exit(137)"
    for killed in (True, False):
        mark = f"killed-{os.getpid()}-{killed}"
        transport = BotProcess(Launch(("python3", "-I", "-c", code, mark), "/usr", sandbox))
        assert transport.wait(soon(transport)) == b""
        transport.freeze()
        if killed:
            (pid,) = family(mark)
            os.kill(pid, signal.SIGKILL)
        else:
            transport.turn(b"end yourself\n", transport.clock()).__enter__()
        with pytest.raises(EndOfOutput):
            transport.wait(soon(transport))
        end = transport.close(polite=False)
        assert end.exit_status in (137, -9)
        assert end.cause is (EndCause.KILLED_FROM_OUTSIDE if killed and provable else EndCause.KILLED)


LIMIT_OF_TIME = """
import ctypes, struct
limit = struct.pack("QQ", 1, 1)
for call in [(160, 1 << 32, limit), (302, 0, 1 << 32, limit, 0)]:  # setrlimit, prlimit64
    ctypes.CDLL(None).syscall(*(part if isinstance(part, bytes) else ctypes.c_long(part) for part in call))
while time.process_time() < 1.5: pass
os._exit(137)
"""
"""The kernel looks at the lower half of the number of a limit only; as programs for this kind of machine write it."""

TOO_MUCH_MEMORY = """
child = os.fork()
memory = bytearray(b"x") * ((40 if child == 0 else 56) << 20)
if child == 0: signal.pause()
time.sleep(2)
os._exit(137)
"""
"""Neither is refused anything, but together they have more than all of it; the larger one is ended."""


@pytest.mark.parametrize("code", [LIMIT_OF_TIME, TOO_MUCH_MEMORY], ids=["time", "memory"])
def test_a_bot_cannot_have_itself_killed_and_blame_others(code: str) -> None:
    """Whatever it does to be ended by the kernel, it was no SIGKILL from outside."""
    code = "import os, signal, time\nprint(flush=True); input()\n" + code
    limits = Limits(memory_mb=64, scratch_mb=16)
    transport = BotProcess(Launch(("python3", "-I", "-c", code), "/usr", confinement(), limits))
    assert transport.wait(soon(transport)) == b""
    transport.freeze()
    with pytest.raises(EndOfOutput), transport.turn(b"end yourself\n", transport.clock()):
        transport.wait(transport.clock() + 60.0)  # it has to get 1.5 s of the processor first
    end = transport.close(polite=False)
    assert end.exit_status in (137, -9)
    assert end.cause is not EndCause.KILLED_FROM_OUTSIDE


def test_nothing_leaks(sandbox: Sandbox) -> None:
    """Descriptors and children of the arena are the same after many starts and ends."""
    before, children = len(list(Path("/proc/self/fd").iterdir())), own_children()
    for polite in (True, False) * 5:
        transport = BotProcess(Launch(("cat",), "/usr", sandbox))
        transport.send(b"hello\n")
        assert transport.wait(soon(transport)) == b"hello"
        transport.evidence()
        transport.freeze()
        transport.close(polite=polite)
    assert len(list(Path("/proc/self/fd").iterdir())) == before
    assert own_children() == children


def own_children() -> set[str]:
    """The processes that this one has to wait for; others' tests may have left some to it."""
    return set(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())
