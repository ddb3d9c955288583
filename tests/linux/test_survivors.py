"""Tests of processes that survive SIGKILL: they are named, they cost nobody else, and the arena waits for them.

A test cannot create a process that ignores SIGKILL, because the sandbox refuses the calls. So the tests omit the kill.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator

import pytest

from arena.linux import subreaper, survivors
from arena.linux.proc import has_ended, status_of
from arena.sandbox.launcher import Sandbox
from arena.sandbox.probe import probe
from arena.transport import orphans
from arena.transport.base import EndCause, Launch
from arena.transport.process import BotProcess, close_all
from arena.transport.process_group import CgroupGroup, OrphanGroup, SealedGroup

SPINS = "import os, sys\nprint('born', flush=True)\nwhile True: pass"
HELPER = (
    "import os, sys, time\n"
    "if os.fork() == 0:\n"
    "    os.setsid() if sys.argv[1:] else None\n"
    "    print('born', flush=True)\n"
    "    while True: time.sleep(60)\n"
    "sys.stdin.read()\n"
)


@pytest.fixture(params=["auto", "off"])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    """Confined as well as this host can, and by limits alone."""
    return probe(request.param)


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What a command would say; whoever is killed is given up at once."""
    lines: list[str] = []
    monkeypatch.setattr(survivors, "PATIENCE_S", 0.0)
    survivors.tell_by(lines.append)
    yield lines
    survivors.tell_by(None)


@contextlib.contextmanager
def deaf(monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox, *command: str) -> Iterator[BotProcess]:
    """A bot that is running and that no kill reaches; in the end it is killed for good."""
    transport = BotProcess(Launch(command, "/usr", sandbox, name="deaf:1"))
    assert transport.wait(transport.clock() + 20) == b"born"
    with monkeypatch.context() as patched:
        for kind in (SealedGroup, CgroupGroup, OrphanGroup):
            patched.setattr(kind, "kill", lambda group, _dying: group._first.find())
        for module in (orphans, subreaper):  # both send it
            patched.setattr(module, "signal_all", lambda *_: None)
        try:
            yield transport
        finally:
            for survivor in survivors.living():
                handle = os.pidfd_open(survivor.pid)
                signal.pidfd_send_signal(handle, signal.SIGKILL)
                assert has_ended(handle, 20)
                os.close(handle)
    assert survivors.living() == []
    transport._first._process.wait()
    subreaper.kill_adopted(subreaper.children())


def test_what_lives_on_is_named_and_steps_back(
    monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox, said: list[str]
) -> None:
    """It works for itself, and whoever else wants the core comes first; a command ends with its number."""
    give_up = survivors.Dying.give_up

    def once_it_has_worked(dying: survivors.Dying) -> tuple[int, bool]:
        assert dying._used
        while all(survivors._used_s(pid) <= used_s for pid, used_s in dying._used.items()):
            os.sched_yield()
        return give_up(dying)

    monkeypatch.setattr(survivors, "WORKED_S", 0.0)
    monkeypatch.setattr(survivors.Dying, "give_up", once_it_has_worked)
    with deaf(monkeypatch, sandbox, "python3", "-c", SPINS) as transport:
        end = transport.close(polite=False)
        assert (end.survivors, end.works) == (1, True)
        assert end.cause is not EndCause.SANDBOX_FAILED
        assert end == transport.close(polite=False)
        (survivor,) = survivors.living()
        assert survivor.bot == "deaf:1"
        assert os.sched_getscheduler(survivor.pid) == os.SCHED_IDLE
        assert f"process {survivor.pid} of deaf:1" in survivors.sentence([survivor])
        assert said == [f"deaf:1 was killed and has not ended yet: waiting up to 0 s for 1 process, {survivor.pid}"]


def test_who_only_waits_is_told_from_who_works(
    monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox, said: list[str]
) -> None:
    """A process that waits for a dead disk does not use the core; nor does one that a busy host gives none."""
    with deaf(monkeypatch, sandbox, "sh", "-c", "echo born; read line") as transport:
        while (status := status_of(transport._first.find())) is not None and status.state == "R":
            pass  # it comes to its rest in a moment
        end = transport.close(polite=False)
        assert (end.survivors, end.works) == (1, False)
    monkeypatch.setattr(survivors, "_used_s", lambda _pid: 1.0)
    with deaf(monkeypatch, sandbox, "python3", "-c", SPINS) as transport:
        assert not transport.close(polite=False).works


def test_a_helper_that_lives_on_is_nobody_elses(
    monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox, said: list[str]
) -> None:
    """The next bot of this process ends as always, although an orphan of another is still there."""
    bare = probe("off")
    with deaf(monkeypatch, bare, "python3", "-c", HELPER, "apart") as transport:
        transport.end_input()
        transport._first.started_lives(20.0)
        end = transport.close(polite=False)
        assert end.survivors == 1
        with monkeypatch.context() as patched:
            patched.setattr(survivors, "PATIENCE_S", 60.0)
            other = BotProcess(Launch(("sh", "-c", "echo born; read line"), "/usr", bare, name="other:1"))
            assert other.wait(other.clock() + 20) == b"born"
            other.end_input()
            assert other.close(polite=True).survivors == 0


def test_the_next_match_waits_only_for_who_wants_the_core(monkeypatch: pytest.MonkeyPatch, said: list[str]) -> None:
    """It goes on as soon as the survivor is gone or its time is over, and does not wait for one that only waits."""
    monkeypatch.setattr(survivors, "PATIENCE_S", 60.0)
    waits = subprocess.Popen(["sleep", "60"])
    works = subprocess.Popen(["python3", "-c", SPINS], stdout=subprocess.PIPE)
    assert works.stdout is not None and works.stdout.readline() == b"born\n"
    survivors.remember(waits.pid, "waits:1")
    survivors.remember(works.pid, "works:1")
    monkeypatch.setattr("arena.linux.survivors.time.sleep", lambda _s: works.kill())
    survivors.wait_for_the_core()
    assert said == [f"the next match waits for process {works.pid} of works:1, which was killed and still works in the"
                    " kernel"]  # fmt: skip
    assert [survivor.bot for survivor in survivors.living()] == ["waits:1"]
    waits.kill()
    assert waits.wait() == -signal.SIGKILL or waits.returncode == 0
    works.wait()
    works.stdout.close()
    assert survivors.living() == []


def test_children_that_cannot_be_ended_are_named_once(monkeypatch: pytest.MonkeyPatch, said: list[str]) -> None:
    """What a worker leaves behind is remembered by the command, and not waited for a second time."""
    child = subprocess.Popen(["sleep", "60"])
    with monkeypatch.context() as patched:
        patched.setattr("arena.linux.subreaper.os.kill", lambda *_: None)
        patched.setattr("arena.linux.subreaper.os.killpg", lambda *_: None)
        kept = subreaper.children() - {child.pid}
        assert subreaper.kill_adopted(kept) == 0
        assert [survivor.pid for survivor in survivors.living()] == [child.pid]
        assert len(said) == 1
        assert subreaper.kill_adopted(kept) == 0
        assert len(said) == 1
    child.kill()
    child.wait()
    assert survivors.living() == []


def test_a_command_that_was_cut_short_ends_its_bots(sandbox: Sandbox) -> None:
    """Whatever it did not come to close."""
    transport = BotProcess(Launch(("sh", "-c", "echo born; read line"), "/usr", sandbox))
    assert transport.wait(transport.clock() + 20) == b"born"
    pid = transport._first.find()
    close_all()
    assert not survivors.alive(pid)
