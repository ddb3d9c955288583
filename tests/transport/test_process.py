"""Tests of a process and its pipes: the arena never blocks, is never deceived, and leaves no process after closing."""

from __future__ import annotations

import contextlib
import errno
import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from arena.errors import ArenaFault
from arena.linux import subreaper
from arena.linux.proc import clock_of
from arena.linux.subreaper import children
from arena.protocol.messages import LINE_BYTES, MESSAGE_BYTES
from arena.sandbox.cgroups import CgroupHost
from arena.sandbox.launcher import Sandbox
from arena.sandbox.probe import probe
from arena.transport import orphans
from arena.transport.base import (
    OUTPUT_CAP,
    Enclosure,
    EndOfOutput,
    Evidence,
    HeadAndTail,
    Launch,
    Limits,
    LineTooLong,
    Wrapped,
)
from arena.transport.command import run_to_end
from arena.transport.cpu_accounting import PressureEvidence, SchedulerEvidence
from arena.transport.pipes import PIPE_BYTES
from arena.transport.process import ProcessTransport
from tests.support.hosts import confinement

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


@pytest.fixture(scope="module", params=["confined", "confined, no cgroups", "bare", "bare, no cgroups"])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    """Each way in which a bot's family is held together."""
    found = probe("auto" if request.param.startswith("confined") else "off")
    return replace(found, cgroups=CgroupHost()) if "no cgroups" in request.param else found


@pytest.fixture(scope="module")
def bare() -> Sandbox:
    """The quickest start."""
    return probe("off")


@contextlib.contextmanager
def started(sandbox: Sandbox, *command: str) -> Iterator[ProcessTransport]:
    transport = ProcessTransport(Launch(command, "/usr", sandbox))
    try:
        yield transport
    finally:
        assert transport.close(polite=False).survivors == 0


def soon(transport: ProcessTransport, seconds: float = 10.0) -> float:
    return transport.clock() + seconds


def family(mark: str) -> dict[int, str]:
    """Every process whose command line holds the mark -> its state."""
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if mark.encode() in (process / "cmdline").read_bytes():
                state = (process / "stat").read_text().rpartition(") ")[2][0]
                if b"bwrap" not in (process / "comm").read_bytes():
                    found[int(process.name)] = state
    return found


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
        transport.send(b"hello\n")
        transport.thaw()
        assert transport.wait(soon(transport)) == b"hello"
        transport.freeze()
    assert family(mark) == {}


def test_a_polite_close_ends_the_rest_too(sandbox: Sandbox) -> None:
    """A bot that leaves at the end of its input takes its family with it, like it or not."""
    mark = f"polite-{os.getpid()}-{id(sandbox)}"
    transport = ProcessTransport(Launch(("python3", "-I", "-c", FAMILY, mark), "/usr", sandbox))
    assert transport.wait(soon(transport)) == b"born"
    transport.freeze()
    ending = transport.close(polite=True)
    assert (ending.exit_status, ending.survivors) == (0, 0)
    assert family(mark) == {}


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
        ending = transport.close(polite=True)
        assert ending.exit_status in (137, -9)
        assert not transport.killed_from_outside()


def test_a_bot_stays_on_one_core_and_the_arena_on_all(sandbox: Sandbox) -> None:
    """What the kernel counts as its wait is exact on one core only."""
    cores = os.sched_getaffinity(0)
    tell = "import os; print(*os.sched_getaffinity(0), flush=True); input()"
    with started(sandbox, "python3", "-I", "-c", tell) as transport:
        line = transport.wait(soon(transport))
        assert line is not None and int(line) in cores
        assert os.sched_getaffinity(0) == cores


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


def test_a_bot_that_does_not_read_blocks_nobody(bare: Sandbox) -> None:
    """Messages beyond the pipe are kept and written while waiting; the clock starts with the first refusal."""
    with started(bare, "sh", "-c", "read go; cat | wc -c") as transport:
        for _ in range(3):
            before = transport.clock()
            assert before <= transport.send(b"x" * 999_999 + b"\n") <= transport.clock()
        transport.end_input()
        assert transport.wait(soon(transport)) == b"2000000"


def test_a_closed_input_is_no_error(bare: Sandbox) -> None:
    """A bot that closed its input is judged by what it writes."""
    with started(bare, "sh", "-c", "exec 0<&-; echo closed; sleep 60") as transport:
        assert transport.wait(soon(transport)) == b"closed"
        transport.send(b"hello\n")
        assert transport.wait(transport.clock()) is None


def test_silence_ends_at_the_deadline(bare: Sandbox) -> None:
    """None at the deadline, however much the bot writes to stderr meanwhile."""
    with started(bare, "sh", "-c", "while :; do echo noise >&2; done") as transport:
        deadline = soon(transport, 0.05)
        assert transport.wait(deadline) is None
        assert deadline <= transport.clock() < deadline + 1.0


def test_lines_come_one_by_one(bare: Sandbox) -> None:
    """What is written in one breath is read as single lines, and shows as waiting before it is asked for."""
    with started(bare, "printf", "one\\ntwo\\nthree") as transport:
        assert transport.wait(soon(transport)) == b"one"
        assert transport.waiting() == b"two\nthree"
        assert transport.wait(soon(transport)) == b"two"
        with pytest.raises(EndOfOutput) as caught:
            transport.wait(soon(transport))
        assert caught.value.alive is False


@pytest.mark.parametrize(("length", "fits"), [(OUTPUT_CAP, True), (OUTPUT_CAP + 1, False)])
def test_a_line_is_measured_before_its_newline(bare: Sandbox, length: int, fits: bool) -> None:
    """The longest line fits, one byte more is refused."""
    with started(bare, "python3", "-I", "-c", f"print('x' * {length})") as transport:
        if fits:
            assert transport.wait(soon(transport)) == b"x" * length
        else:
            with pytest.raises(LineTooLong):
                transport.wait(soon(transport))


def test_an_endless_line_is_refused_without_its_end(bare: Sandbox) -> None:
    """Nobody waits for the newline of a flood."""
    with started(bare, "cat", "/dev/zero") as transport, pytest.raises(LineTooLong):
        transport.wait(soon(transport))


def test_last_words_of_a_bot_count_though_a_helper_holds_the_pipe(bare: Sandbox) -> None:
    """An answer written before the end is heard; then the end of the bot is the end of its output."""
    with started(bare, "sh", "-c", "sleep 60 & echo bye") as transport:
        assert transport.wait(soon(transport)) == b"bye"
        with pytest.raises(EndOfOutput):
            transport.wait(soon(transport))


def test_a_bot_must_be_started_from_the_main_thread(bare: Sandbox) -> None:
    """The parent-death signal is tied to the thread: elsewhere it is refused, not silently fragile."""
    caught: list[Exception] = []

    def start() -> None:
        try:
            ProcessTransport(Launch(("true",), "/usr", bare))
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
            transport = ProcessTransport(Launch(command, folder, sandbox))
        except FileNotFoundError:
            assert failed  # root looks at the folder before, to make it reachable
            continue
        with pytest.raises(EndOfOutput):
            transport.wait(soon(transport))
        transport.close(polite=False)
        assert transport.sandbox_failed() is failed


def test_a_sandbox_that_is_killed_as_it_starts_is_noticed_at_once() -> None:
    """What it leaves behind, waiting for it for ever, makes no bot late and is ended."""
    sandbox = confinement()
    for _ in range(5):
        known = children()
        transport = ProcessTransport(Launch(("cat",), "/usr", sandbox))
        (monitor,) = children() - known
        while not (inner := Path(f"/proc/{monitor}/task/{monitor}/children").read_text().split()):
            pass
        left = os.pidfd_open(int(inner[0]))
        os.kill(monitor, signal.SIGKILL)
        with pytest.raises(EndOfOutput):
            transport.wait(soon(transport))
        assert transport.close(polite=False).survivors == 0
        assert transport.sandbox_failed()
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
    transport = ProcessTransport(Launch(("sh", "-c", files), "/usr", sandbox, limits))
    with pytest.raises(EndOfOutput):
        transport.wait(soon(transport))
    assert transport.close(polite=False).exit_status in (137, -9)
    assert transport.memory_ran_out()
    assert not transport.sandbox_failed()


def test_a_bot_that_was_killed_is_told_from_one_that_ended() -> None:
    """Where the host holds the proof, SIGKILL from outside is nobody's crash; the same number as exit code still is."""
    sandbox = confinement()
    provable = {"namespaces", "seccomp", "total-memory-limit"} <= set(sandbox.layers)
    code = "import os; print(flush=True); input(); os.kill(os.getpid(), 9); os._exit(137)"
    for killed in (True, False):
        mark = f"killed-{os.getpid()}-{killed}"
        transport = ProcessTransport(Launch(("python3", "-I", "-c", code, mark), "/usr", sandbox))
        assert transport.wait(soon(transport)) == b""
        transport.freeze()
        if killed:
            (pid,) = family(mark)
            os.kill(pid, signal.SIGKILL)
        else:
            transport.send(b"end yourself\n")
            transport.thaw()
        with pytest.raises(EndOfOutput):
            transport.wait(soon(transport))
        assert transport.close(polite=False).exit_status in (137, -9)
        assert transport.killed_from_outside() is (killed and provable)


@pytest.mark.parametrize("moment", ["silent", "greeted", "frozen"])
@pytest.mark.parametrize("killed", [True, False])
def test_a_bot_that_was_killed_looks_like_it(moment: str, killed: bool) -> None:
    """Before its first freeze and after it, before it is closed and after that; one that ends by itself does not."""
    code = "print(flush=True); input()"
    for sandbox in (confinement(), probe("off")):
        mark = f"looks-{os.getpid()}-{moment}-{killed}"
        transport = ProcessTransport(Launch(("python3", "-I", "-c", code, mark), "/usr", sandbox))
        assert transport.wait(soon(transport)) == b""
        (pid,) = family(mark)
        if moment == "frozen":
            transport.freeze()
        assert not transport.looks_killed()
        died = os.pidfd_open(pid)
        if killed:
            os.kill(pid, signal.SIGKILL)
        else:
            transport.send(b"end yourself\n")
            transport.thaw()
        assert select.select([died], [], [], 10)[0]
        os.close(died)
        if moment == "greeted":
            transport.freeze()
        assert transport.looks_killed() is killed
        with pytest.raises(EndOfOutput):
            transport.wait(soon(transport))
        transport.close(polite=False)
        assert transport.looks_killed() is killed


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
    transport = ProcessTransport(Launch(("python3", "-I", "-c", TRACED), "/usr", unenclosed))
    assert transport.wait(soon(transport)) == b""
    assert transport.close(polite=False).survivors == 0


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
    transport = ProcessTransport(Launch(("python3", "-I", "-c", code), "/usr", confinement(), limits))
    assert transport.wait(soon(transport)) == b""
    transport.freeze()
    transport.send(b"end yourself\n")
    transport.thaw()
    with pytest.raises(EndOfOutput):
        transport.wait(transport.clock() + 60.0)  # it has to get 1.5 s of the processor first
    assert transport.close(polite=False).exit_status in (137, -9)
    assert not transport.killed_from_outside()


class _Closed(Enclosure):
    """A cgroup that lets nobody in."""

    pressure = ""
    limits_memory = False

    def __init__(self) -> None:
        self.calls: list[str] = []

    def enter(self) -> None:
        self.calls.append("enter")
        raise PermissionError(errno.EPERM, "Operation not permitted")

    def leave(self) -> None:
        self.calls.append("leave")

    def freeze(self, frozen: bool) -> None: ...

    def kill(self) -> None: ...

    def memory_refusals(self) -> int:
        return 0

    def discard(self) -> None:
        self.calls.append("discard")


def test_a_start_that_fails_gives_back_all_that_was_made_for_it() -> None:
    """An enclosure that cannot be entered is a fault of the arena, which is outside again and holds nothing more."""
    enclosure = _Closed()

    class Failing:
        def wrap(self, command: Sequence[str], folder: str, limits: Limits, *, writable: bool = False) -> Wrapped:
            status, status_end = os.pipe()
            return Wrapped(
                command, {}, folder, pass_descriptors=(status_end,), status_descriptor=status, enclosure=enclosure
            )

    open_before = set(Path("/proc/self/fd").iterdir())
    with pytest.raises(ArenaFault, match="cannot start true"):
        ProcessTransport(Launch(("true",), "/usr", Failing()))
    assert enclosure.calls == ["enter", "leave", "discard"]
    assert set(Path("/proc/self/fd").iterdir()) == open_before


def test_nothing_leaks(sandbox: Sandbox) -> None:
    """Descriptors and children of the arena are the same after many starts and ends."""
    before, children = len(list(Path("/proc/self/fd").iterdir())), own_children()
    for polite in (True, False) * 5:
        transport = ProcessTransport(Launch(("cat",), "/usr", sandbox))
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


# Commands run to their end


def test_a_command_is_run_to_its_end(sandbox: Sandbox) -> None:
    """Input, output, errors and status of a build or a probe."""
    done = run_to_end(
        Launch(("sh", "-c", "cat; echo oops >&2; exit 3"), "/usr", sandbox), limit_s=10.0, given=b"in" * 100_000
    )
    assert done.status == 3
    assert done.output.startswith("inin")
    assert done.errors == "oops\n"


def test_a_command_is_stopped_at_its_limit(bare: Sandbox) -> None:
    """No status, and what it wrote so far."""
    done = run_to_end(Launch(("sh", "-c", "echo begun; sleep 60"), "/usr", bare), limit_s=0.1)
    assert (done.status, done.output) == (None, "begun\n")


def test_head_and_tail_bound_any_stream() -> None:
    """However much comes in whatever pieces, the first and the last bytes are kept, and the gap is named."""
    kept = HeadAndTail(100)
    stream = b"".join(b"%06d" % number for number in range(10_000))
    for start in range(0, len(stream), 7):
        kept.add(stream[start : start + 7])
    assert kept.read() == stream[:100] + b"\n[59800 bytes left out]\n" + stream[-100:]
    short = HeadAndTail(100)
    short.add(stream[:150])
    assert short.read() == stream[:150]


# Evidence


@pytest.fixture(params=["pressure", "schedstat"])
def evidence(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Evidence]:
    """Each kind of evidence, about this very process."""
    pressure = tmp_path / "cpu.pressure"
    pressure.write_text("some avg10=0.00 total=900\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=500\n")
    (tmp_path / "cpu.stat").write_text("usage_usec 0\nuser_usec 0\nsystem_usec 0\n")
    made: Evidence = (
        PressureEvidence(str(pressure), os.getpid()) if request.param == "pressure" else SchedulerEvidence(os.getpid())
    )
    yield made
    made.close()


def test_no_evidence_excuses_processor_time(evidence: Evidence) -> None:
    """Excused and used are never more than the wall time together."""
    evidence.begin(time.monotonic())
    began, used = time.monotonic(), time.process_time()
    while time.process_time() < used + 0.01:
        pass
    wall_s = time.monotonic() - began
    for excused_s, cpu_s in (evidence.look(wall_s), evidence.finish(wall_s)):
        assert excused_s >= 0.0
        assert cpu_s >= 0.01
        assert excused_s + cpu_s <= wall_s + 0.01 or excused_s == 0.0


def test_pressure_counts_what_others_held(tmp_path: Path) -> None:
    """The growth of `full` since the last turn is excused, within the time in which the bot did not run."""
    file = tmp_path / "cpu.pressure"
    file.write_text("some total=9\nfull avg10=0.00 total=1000000\n")
    (tmp_path / "cpu.stat").write_text("usage_usec 0\n")
    evidence = PressureEvidence(str(file), os.getpid())
    try:
        # This process has used processor time since its start, perhaps minutes of it.
        assert evidence.look(1e6)[0] == pytest.approx(1.0), "the wait of the start-up"
        evidence.forget()
        evidence.begin(time.monotonic())
        file.write_text("some total=9\nfull avg10=0.00 total=1250000\n")
        assert evidence.look(10.0)[0] == pytest.approx(0.25)
        assert evidence.look(0.1)[0] <= 0.1
        assert evidence.finish(10.0)[0] == pytest.approx(0.25, abs=0.1)
        evidence.begin(time.monotonic())
        assert evidence.look(10.0)[0] == pytest.approx(0.0)
    finally:
        evidence.close()


def test_what_its_helpers_used_is_not_excused(tmp_path: Path) -> None:
    """A bot whose children burn the core makes the arena wait for it: that is no time that others took."""
    file, usage = tmp_path / "cpu.pressure", tmp_path / "cpu.stat"

    def count(waited_s: float, helpers_s: float) -> None:
        file.write_text(f"some total=9\nfull avg10=0.00 total={waited_s * 1e6:.0f}\n")
        usage.write_text(f"usage_usec {(helpers_s + time.process_time()) * 1e6:.0f}\nuser_usec 1\n")

    count(0.0, 0.0)
    evidence = PressureEvidence(str(file), os.getpid())
    try:
        count(1.0, 5.0)
        evidence.forget()
        evidence.begin(time.monotonic())
        count(9.0, 11.0)
        assert evidence.look(10.0)[0] == pytest.approx(4.0, abs=0.1)
        assert evidence.finish(10.0)[0] == pytest.approx(4.0, abs=0.1)
        evidence.begin(time.monotonic())
        count(12.0, 11.0)
        assert evidence.finish(10.0)[0] == pytest.approx(3.0, abs=0.1)
    finally:
        evidence.close()


def test_a_dead_process_gives_no_evidence_and_no_error(bare: Sandbox) -> None:
    """A bot that is gone excuses nothing."""
    with started(bare, "true") as transport:
        evidence = transport.evidence()
        with pytest.raises(EndOfOutput):
            transport.wait(soon(transport))
        evidence.begin(time.monotonic())
        assert evidence.look(0.0) == (0.0, 0.0) or evidence.look(0.0)[0] == 0.0
        assert evidence.still_waits() is False


def test_the_pipe_takes_what_the_protocol_allows() -> None:
    """A transport knows no protocol, but its bounds are the same: the longest line out, the longest message in."""
    assert (OUTPUT_CAP, PIPE_BYTES) == (LINE_BYTES, MESSAGE_BYTES)


def test_limits_have_defaults_that_suit_every_runtime() -> None:
    """What a launch gets where nobody says otherwise."""
    assert Launch(("true",), "/", probe("off")).limits == Limits(512, 64, 64, 256, 64)
