"""Tests of a killed arena: sandboxed bots die with it, and the next command kills the others and cleans up."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from arena.linux import subreaper
from arena.sandbox.launcher import Sandbox
from arena.sandbox.probe import probe
from arena.transport.base import Launch, Limits
from arena.transport.process import ProcessTransport
from arena.transport.process_registry import sweep
from tests.support.hosts import confinement

BOT = """
import os, signal, sys, time
def helper(escape, kept):
    if os.fork() == 0:
        try:
            if escape:
                os.setsid()
        except OSError:
            pass
        if os.fork() == 0:
            os.write(told[1], b".")
            if not kept:
                os.execve(sys.executable, [sys.executable, "-c", MARK, "MARK"], {"HOME": os.environ["HOME"]})
            signal.pause()
        os._exit(0)
told = os.pipe()
MARK = "import signal; signal.pause()"
for escape in (False, True):
    for kept in (False, True):
        helper(escape, kept)
heard = 0
while heard < 4:
    heard += len(os.read(told[0], 4))
print("ready", flush=True)
signal.pause()
"""
ARENA = """
import os, sys, time, json
from dataclasses import replace
from arena.transport.base import Limits; from arena.sandbox.probe import probe
from arena.transport.base import Launch; from arena.transport.process import ProcessTransport
mode, bot, ledger = sys.argv[1:]
sandbox = replace(probe(mode), ledger=ledger)
transport = ProcessTransport(Launch(("python3", "MARK.py"), bot, sandbox, Limits()))
assert transport.wait(time.monotonic() + 30) == b"ready"
print(json.dumps({"scratch": transport._wrapped.scratch}), flush=True)
transport.freeze()
sys.stdin.read()
"""


def marked(mark: str) -> set[int]:
    """Processes that live and have this on their command line."""
    found = set()
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (entry / "cmdline").read_bytes():
                found.add(int(entry.name))
        except OSError:
            continue
    return found


def wait_gone(pid: int, patience_s: float) -> bool:
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    gone = bool(poll.poll(patience_s * 1000))
    os.close(handle)
    return gone


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    folder = tmp_path / "run" / "bots"
    folder.mkdir(parents=True)
    return folder


def killed_arena(mode: str, tmp_path: Path, ledger: Path) -> tuple[str, str | None]:
    """An arena with a frozen bot and its escaped helpers, killed by SIGKILL; the bots' mark and scratch folder."""
    mark = f"left-behind-{os.getpid()}-{mode}"
    bot = tmp_path / "bot"
    bot.mkdir(mode=0o755)
    (bot / f"{mark}.py").write_text(BOT.replace('"MARK"', repr(mark)))
    arena = subprocess.Popen(
        [sys.executable, "-c", ARENA.replace("MARK", mark), mode, str(bot), str(ledger)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert arena.stdin is not None and arena.stdout is not None
    told = json.loads(arena.stdout.readline())
    assert len(marked(mark) - {arena.pid}) >= 2
    assert len(list(ledger.iterdir())) == 1
    assert sweep(ledger) == 0, "nothing of a living arena is touched"
    arena.kill()
    arena.wait()
    arena.stdin.close()
    arena.stdout.close()
    return mark, told["scratch"]


def test_a_confined_bot_dies_with_a_killed_arena(tmp_path: Path, ledger: Path) -> None:
    """At once, with all its helpers, without anybody's help; the next command only removes the entry."""
    confinement()
    mark, _ = killed_arena("required", tmp_path, ledger)
    for pid in marked(mark):
        assert wait_gone(pid, 5.0)
    assert sweep(ledger) == 0
    assert list(ledger.iterdir()) == []


def test_the_next_command_ends_what_an_unconfined_bot_left(tmp_path: Path, ledger: Path) -> None:
    """Whatever became of its session and its environment is ended, except what changed both; the scratch is gone."""
    before = subreaper.adopt_orphans(True)
    try:
        mark, scratch = killed_arena("off", tmp_path, ledger)
        assert scratch is not None and Path(scratch).is_dir()
        assert sweep(ledger) >= 2
        assert marked(mark) == set()
        assert not Path(scratch).exists()
        assert list(ledger.iterdir()) == []
        for pid in subreaper.children():
            os.waitpid(pid, os.WNOHANG)
    finally:
        subreaper.adopt_orphans(before)


@pytest.mark.parametrize("mode", ["off", "auto"])
def test_an_ended_bot_leaves_no_entry(mode: str, tmp_path: Path, ledger: Path) -> None:
    """The ledger holds what runs now, and nothing else."""
    sandbox: Sandbox = replace(probe("off" if mode == "off" else "auto"), ledger=str(ledger))
    bot = tmp_path / "bot"
    bot.mkdir(mode=0o755)
    transport = ProcessTransport(Launch(("sleep", "60"), str(bot), sandbox, Limits()))
    (entry,) = ledger.iterdir()
    owner, _, started, _ = entry.name.split(".")
    assert int(owner) == os.getpid() and Path("/proc", started).exists()
    transport.close(polite=False)
    assert list(ledger.iterdir()) == []


def test_a_number_that_came_again_is_not_killed(ledger: Path) -> None:
    """A pid alone names nobody: with another start time it is somebody else's, and so is a torn entry."""
    bystander = subprocess.Popen(["sleep", "60"], start_new_session=True)
    try:
        of_another_boot, of_another_host = (ledger / f"419400{n}.1.{bystander.pid}.1" for n in (0, 2))
        for entry in (of_another_boot, of_another_host):
            entry.write_text("boot\n\n\n")
        os.utime(of_another_boot, (0, 0))  # nothing that is at work: a host that shares the home would have been here
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        (ledger / f"4194001.1.{bystander.pid}.1").write_text(f"{boot}\n\n\n")
        (ledger / "torn").write_text("")
        assert sweep(ledger) == 0
        assert bystander.poll() is None
        assert {entry.name for entry in ledger.iterdir()} == {of_another_host.name, "torn"}
    finally:
        bystander.send_signal(signal.SIGKILL)
        bystander.wait()
    assert sweep(ledger / "nowhere") == 0
