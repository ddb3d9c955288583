"""Tests of planted files: registry entries, scratch and cgroups that are not proven kill and remove nothing."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.sandbox import cgroups
from arena.transport.process_registry import note, sweep
from arena.transport.scratch import make_scratch, remove_scratch, remove_tree, sweep_scratch

BOOT = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
DEAD = 4_194_301
"""A number near the highest that the kernel gives, which no process has."""
STRANGER = 65_534


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for temporary files that all may write, as /tmp is."""
    place = tmp_path / "tmp"
    place.mkdir()
    place.chmod(0o1777)
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    return place


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    folder = tmp_path / "run" / "bots"
    folder.mkdir(parents=True)
    return folder


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
    entry = ledger / f"{DEAD}.1.{process.pid}.{started(process.pid)}"
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
        entry = ledger / f"{DEAD}.{born + 1 if pid == os.getpid() else 1}.{pid}.{born}"
        entry.write_text(f"{BOOT}\n\n\n0\n")
        entry.chmod(0o600)
    assert sweep(ledger) == 0
    assert list(ledger.iterdir()) == []


def test_only_a_scratch_folder_is_removed(ledger: Path, temporary: Path, tmp_path: Path) -> None:
    """Of that writer, in the place for temporary files, no link, the caller's own: everything else stays."""
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "thesis").touch()
    (temporary / f"arena-scratch-{DEAD}-linked").symlink_to(precious)
    (tmp_path / f"arena-scratch-{DEAD}-outside").mkdir()
    (temporary / f"arena-scratch-{DEAD - 1}-another").mkdir()
    (temporary / "arena-scratch").mkdir()
    kept = [
        precious, temporary / f"arena-scratch-{DEAD}-linked", tmp_path / f"arena-scratch-{DEAD}-outside",
        temporary / f"arena-scratch-{DEAD - 1}-another", temporary / "arena-scratch", temporary,
        temporary / f"arena-scratch-{DEAD}-linked" / ".." / "precious",
    ]  # fmt: skip
    for number, place in enumerate(kept):
        entry = ledger / f"{DEAD}.1.{DEAD}.{number + 1}"
        entry.write_text(f"{BOOT}\n{place}\n{place}\n0\n")
        entry.chmod(0o600)
    left = temporary / f"arena-scratch-{DEAD}-abcdefgh"
    left.mkdir()
    (left / "escape").symlink_to(precious)
    entry = ledger / f"{DEAD}.1.{DEAD}.99"
    entry.write_text(f"{BOOT}\n{left}\n{left}\n0\n")
    entry.chmod(0o600)
    sweep(ledger)
    assert not left.exists() and list(ledger.iterdir()) == []
    assert all(place.exists() for place in kept) and (precious / "thesis").exists()


def test_the_scratch_of_dead_arenas_is_swept_and_nothing_else(temporary: Path, tmp_path: Path) -> None:
    """A planted link and a folder of another user stay; one of the bots' users goes."""
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "thesis").touch()
    left = temporary / f"arena-scratch-{DEAD}-abcdefgh"
    left.mkdir()
    (temporary / f"arena-scratch-{DEAD}-linked").symlink_to(precious)
    mine = Path(make_scratch())
    sweep_scratch()
    assert not left.exists() and mine.exists() and (precious / "thesis").exists()
    assert not remove_scratch(temporary / f"arena-scratch-{DEAD}-linked", DEAD)
    if os.geteuid() == 0:
        left.mkdir()
        os.chown(left, STRANGER, STRANGER)
        sweep_scratch()
        assert left.exists()
        sweep_scratch({STRANGER})
        assert not left.exists()


def test_a_cgroup_of_another_user_is_not_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor a link to one: where several users may make cgroups, each ends its own."""
    needs_root()
    killed: list[Path] = []
    monkeypatch.setattr(cgroups, "_kill_all", killed.append)
    for name in ("own", "other"):
        (tmp_path / f"arena-bot-{DEAD}-{name}").mkdir()
    os.chown(tmp_path / f"arena-bot-{DEAD}-other", STRANGER, STRANGER)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / f"arena-bot-{DEAD}-link").symlink_to(tmp_path / "elsewhere")
    cgroups.sweep(str(tmp_path))
    assert killed == [tmp_path / f"arena-bot-{DEAD}-own"]


def test_entries_are_written_whole(ledger: Path, bystander: subprocess.Popen[bytes]) -> None:
    """What is only half written is not read as an entry, and is swept away."""
    entry = note(str(ledger), bystander.pid, None, None, 7)
    assert entry is not None and entry.read_text() == f"{BOOT}\n\n\n7\n"
    assert stat.S_IMODE(entry.stat().st_mode) == 0o600
    assert list(ledger.iterdir()) == [entry]
    (ledger / f".{DEAD}.1.{bystander.pid}.1").touch(0o600)
    assert sweep(ledger) == 0
    assert list(ledger.iterdir()) == [entry] and bystander.poll() is None


def test_a_scratch_folder_is_removed_however_deep_it_is(temporary: Path) -> None:
    """A bot can nest thousands of folders, close them, and link to what is not its own."""
    kept = temporary / "kept"
    kept.mkdir()
    (kept / "file").touch()
    scratch = Path(make_scratch())
    inner = os.open(scratch, os.O_RDONLY)
    for number in range(3000):
        os.mkdir("d", dir_fd=inner)
        deeper = os.open("d", os.O_RDONLY, dir_fd=inner)
        os.symlink(kept, "link", dir_fd=inner)
        if number == 7:
            os.fchmod(inner, 0o000)
        os.close(inner)
        inner = deeper
    os.close(inner)
    remove_tree(scratch)
    assert [path.name for path in temporary.iterdir()] == ["kept"]
    assert [path.name for path in kept.iterdir()] == ["file"]
    remove_tree(scratch)
