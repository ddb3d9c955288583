"""Tests of a killed arena: sandboxed bots die with it, and the next command kills the others and cleans up."""

from __future__ import annotations

import json
import os
import select
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from arena.linux import subreaper
from arena.linux.stale import owner_mark, place_id
from arena.sandbox.launcher import Sandbox
from arena.sandbox.probe import probe
from arena.transport.base import Launch, Limits
from arena.transport.process import BotProcess
from arena.transport.process_registry import note, sweep
from tests.support.hosts import confinement
from tests.support.leftovers import DEAD, DEAD_OWNER, STRANGER

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
from arena.transport.base import Launch; from arena.transport.process import BotProcess
mode, bot, ledger = sys.argv[1:]
sandbox = replace(probe(mode), ledger=ledger)
transport = BotProcess(Launch(("python3", "MARK.py"), bot, sandbox, Limits()))
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
    transport = BotProcess(Launch(("sleep", "60"), str(bot), sandbox, Limits()))
    (entry,) = ledger.iterdir()
    owner, started, _ = entry.name.split(".")
    assert owner == owner_mark() and Path("/proc", started).exists()
    transport.close(polite=False)
    assert list(ledger.iterdir()) == []


def test_a_number_that_came_again_is_not_killed(ledger: Path) -> None:
    """A pid alone names nobody: with another start time it is somebody else's, and so is a torn entry."""
    bystander = subprocess.Popen(["sleep", "60"], start_new_session=True)
    try:
        of_another_boot, of_another_host = (ledger / f"0badcafe-419400{n}-1.{bystander.pid}.1" for n in (0, 2))
        for entry in (of_another_boot, of_another_host):
            entry.write_text("boot\n\n\n")
        os.utime(of_another_boot, (0, 0))  # nothing that is at work: a host that shares the home would have been here
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        (ledger / f"{place_id()}-4194001-1.{bystander.pid}.1").write_text(f"{boot}\n\n\n")
        (ledger / "torn").write_text("")
        assert sweep(ledger) == 0
        assert bystander.poll() is None
        assert {entry.name for entry in ledger.iterdir()} == {of_another_host.name, "torn"}
    finally:
        bystander.send_signal(signal.SIGKILL)
        bystander.wait()
    assert sweep(ledger / "nowhere") == 0


# Planted entries, which prove nothing

BOOT = Path("/proc/sys/kernel/random/boot_id").read_text().strip()


@pytest.fixture
def bystander() -> Iterator[subprocess.Popen[bytes]]:
    """A process of the caller's that no bot is."""
    process = subprocess.Popen(["sleep", "60"], start_new_session=True)
    yield process
    process.send_signal(signal.SIGKILL)
    process.wait()


def started(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])


def plant(
    ledger: Path, process: subprocess.Popen[bytes], *, boot: str = BOOT, scratch: str = "", mode: int = 0o600
) -> Path:
    """An entry that names a living process, as a dead arena would have left it."""
    entry = ledger / f"{DEAD_OWNER}.{process.pid}.{started(process.pid)}"
    entry.write_text(f"{boot}\n{scratch}\n{scratch}\n{os.geteuid()}\n")
    entry.chmod(mode)
    return entry


def needs_root() -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can make files of other users")


def test_an_entry_that_proves_itself_ends_what_it_names(ledger: Path, bystander: subprocess.Popen[bytes]) -> None:
    """The others below differ from this one in a single thing."""
    entry = plant(ledger, bystander)
    assert sweep(ledger) == 1
    assert bystander.wait() == -signal.SIGKILL and not entry.exists()


@pytest.mark.parametrize("boot", ["", "another"])
def test_an_entry_of_no_boot_or_another_kills_nobody(
    boot: str, ledger: Path, bystander: subprocess.Popen[bytes]
) -> None:
    """Numbers and start times of processes come again with every boot."""
    plant(ledger, bystander, boot=boot)
    assert sweep(ledger) == 0 and bystander.poll() is None


def test_an_entry_that_others_could_have_written_kills_nobody(
    ledger: Path, tmp_path: Path, bystander: subprocess.Popen[bytes]
) -> None:
    """By its mode, its folder's, as a link, as a second name of another file, or as something else than a file."""
    entry = plant(ledger, bystander, mode=0o666)
    assert sweep(ledger) == 0
    entry.chmod(0o600)
    ledger.chmod(0o777)
    assert sweep(ledger) == 0
    ledger.chmod(0o755)
    name = entry.name
    entry.rename(tmp_path / "elsewhere")
    (ledger / name).symlink_to(tmp_path / "elsewhere")
    assert sweep(ledger) == 0
    (ledger / name).unlink()
    (ledger / name).hardlink_to(tmp_path / "elsewhere")
    assert sweep(ledger) == 0
    (ledger / name).unlink()
    os.mkfifo(ledger / name, 0o600)
    assert sweep(ledger) == 0
    (ledger / name).unlink()
    linked = tmp_path / "linked"
    linked.symlink_to(ledger)
    (tmp_path / "elsewhere").rename(ledger / name)
    assert sweep(linked) == 0
    assert bystander.poll() is None
    assert sweep(ledger) == 1, "it was fit to kill all the time"


def test_entries_and_processes_of_others_are_left(ledger: Path) -> None:
    """An entry of another user, and one of the caller's that names a process of another user."""
    needs_root()
    command = ["setpriv", "--reuid", "64998", "--regid", "64998", "--clear-groups", "sleep", "60"]
    other = subprocess.Popen(command, start_new_session=True)
    try:
        while Path(f"/proc/{other.pid}/comm").read_text() != "sleep\n":
            os.sched_yield()
        entry = plant(ledger, other)
        assert sweep(ledger) == 0
        entry = plant(ledger, other)
        entry.write_text(entry.read_text().replace("\n0\n", "\n64998\n"))
        os.chown(entry, STRANGER, STRANGER)
        assert sweep(ledger) == 0
        os.chown(entry, 0, 0)
        assert other.poll() is None
        assert sweep(ledger) == 1, "the user that the bot ran under"
    finally:
        other.kill()
        other.wait()


def test_an_entry_never_names_the_session_of_its_reader(ledger: Path) -> None:
    """Nor process 1, nor what began before its writer."""
    for pid, born in ((os.getsid(0), 1), (1, 1), (os.getpid(), 0)):
        entry = ledger / f"{place_id()}-{DEAD}-{born + 1 if pid == os.getpid() else 1}.{pid}.{born}"
        entry.write_text(f"{BOOT}\n\n\n0\n")
        entry.chmod(0o600)
    assert sweep(ledger) == 0
    assert list(ledger.iterdir()) == []


def test_only_a_scratch_folder_is_removed(ledger: Path, temporary: Path, tmp_path: Path) -> None:
    """Of that writer, in the place for temporary files, no link, the caller's own: everything else stays."""
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "thesis").touch()
    (temporary / f"arena-scratch-{DEAD_OWNER}-linked").symlink_to(precious)
    (tmp_path / f"arena-scratch-{DEAD_OWNER}-outside").mkdir()
    (temporary / f"arena-scratch-{place_id()}-{DEAD - 1}-1-another").mkdir()
    (temporary / "arena-scratch").mkdir()
    kept = [
        precious, temporary / f"arena-scratch-{DEAD_OWNER}-linked", tmp_path / f"arena-scratch-{DEAD_OWNER}-outside",
        temporary / f"arena-scratch-{place_id()}-{DEAD - 1}-1-another", temporary / "arena-scratch", temporary,
        temporary / f"arena-scratch-{DEAD_OWNER}-linked" / ".." / "precious",
    ]  # fmt: skip
    for number, place in enumerate(kept):
        entry = ledger / f"{DEAD_OWNER}.{DEAD}.{number + 1}"
        entry.write_text(f"{BOOT}\n{place}\n{place}\n0\n")
        entry.chmod(0o600)
    left = temporary / f"arena-scratch-{DEAD_OWNER}-abcdefgh"
    left.mkdir()
    (left / "escape").symlink_to(precious)
    entry = ledger / f"{DEAD_OWNER}.{DEAD}.99"
    entry.write_text(f"{BOOT}\n{left}\n{left}\n0\n")
    entry.chmod(0o600)
    sweep(ledger)
    assert not left.exists() and list(ledger.iterdir()) == []
    assert all(place.exists() for place in kept) and (precious / "thesis").exists()


def test_entries_are_written_whole(ledger: Path, bystander: subprocess.Popen[bytes]) -> None:
    """What is only half written is not read as an entry, and is swept away."""
    entry = note(str(ledger), bystander.pid, None, None, 7)
    assert entry is not None and entry.read_text() == f"{BOOT}\n\n\n7\n"
    assert stat.S_IMODE(entry.stat().st_mode) == 0o600
    assert list(ledger.iterdir()) == [entry]
    (ledger / f".{DEAD_OWNER}.{bystander.pid}.1").touch(0o600)
    assert sweep(ledger) == 0
    assert list(ledger.iterdir()) == [entry] and bystander.poll() is None
