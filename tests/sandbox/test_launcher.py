"""Tests of the sandbox: a bot that tries everything gains nothing, and the sandbox reports what it does not prevent."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.errors import ArenaFault, UsageError
from arena.linux.stale import owner_mark
from arena.sandbox.cgroups import BotCgroup, CgroupHost, find_cgroups, sweep
from arena.sandbox.launcher import NEEDED_FOR_STRANGERS, Sandbox, copy_engine
from arena.sandbox.probe import LAYERS, probe
from arena.sandbox.public_paths import reachable
from arena.transport.base import Launch, Limits
from arena.transport.command import Finished, run_to_end
from tests.support.hosts import confinement
from tests.support.leftovers import DEAD_OWNER

ATTEMPTS = Path(__file__).parent / "attempts.py"
LIMITS = Limits(memory_mb=256, processes=24, scratch_mb=16, open_files=64, file_mb=8)


@pytest.fixture(scope="module")
def confined() -> Sandbox:
    """The best confinement of this host; the README's installation line brings bubblewrap."""
    return confinement()


def bare_sandbox(**how: Any) -> Sandbox:
    """Limits alone."""
    return probe("off", **how)


@pytest.fixture(scope="module")
def bare() -> Sandbox:
    """Limits alone."""
    return bare_sandbox()


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A bot's folder, with a secret of another bot beside it."""
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "secret").write_text("secret")
    made = tmp_path / "bot"
    made.mkdir(mode=0o755)
    (made / "attempts.py").write_text(ATTEMPTS.read_text())
    yield made


def run(sandbox: Sandbox, folder: Path, *command: str, **how: Any) -> Finished:
    return run_to_end(Launch(command, str(folder), sandbox, LIMITS, **how), limit_s=30.0)


def attempt(sandbox: Sandbox, folder: Path) -> dict[str, str]:
    """What the bot that tries everything reports: attempt -> "done", or the error that stopped it."""
    secret = folder.parent / "other" / "secret"
    with socket.create_server(("127.0.0.1", 0)) as listener:
        done = run(
            sandbox, folder, "python3", "-I", "attempts.py",
            str(os.getpid()), str(secret), str(listener.getsockname()[1]),
        )  # fmt: skip
    assert done.status == 0, done.errors
    report: dict[str, str] = json.loads(done.output)
    return report


def test_a_confined_bot_gets_nothing(confined: Sandbox, folder: Path) -> None:
    """Each attempt fails; none of them would fail for a bot that is merely badly written."""
    report = attempt(confined, folder)
    done = {name for name, result in report.items() if result == "done"}
    assert done == {"an honest bot's work"}, report


UNCONFINED = {
    "reach the host's loopback": "no-network",
    "resolve a name": "no-network",
    "reach the internet": "no-network",
    "leave the group": "sealed-group",
    "see other processes": "namespaces",
    "signal the arena": "namespaces",
    "trace the arena": "namespaces",
    "read the arena's environment": "namespaces",
    "read the arena's memory": "namespaces",
    "share memory by name": "namespaces",
    "hold capabilities": "namespaces",
    "see other files": "read-only",
    "read a secret": "read-only",
    "write outside": "read-only",
    "fill the scratch folder": "read-only",
    "start many threads": "process-limit",
    "change its affinity": "seccomp",
    "lower its priority": "seccomp",
    "hold memory that no limit counts": "seccomp",
    "share anonymous memory": "seccomp",
    "talk past the network": "seccomp",
    "use the kernel's keys": "seccomp",
    "lock memory": "seccomp",
    "clone into a namespace": "seccomp",
    "use a new namespace": "seccomp",
    "have a timer send a signal": "seccomp",
    "be told of a child's end by another signal": "seccomp",
    "be sent a signal when its parent dies": "seccomp",
    "be sent another signal when a file changes": "seccomp",
    "limit its processor time": "seccomp",
    "limit its time without a pause": "seccomp",
    "make a terminal": "read-only",
}
"""What may succeed without a sandbox -> the layer that is then not claimed."""


def test_what_is_not_prevented_is_said(bare: Sandbox, folder: Path) -> None:
    """Without namespaces some attempts succeed, and every one of them lies under a layer that is not claimed."""
    report = attempt(bare, folder)
    done = {name for name, result in report.items() if result == "done"} - {"an honest bot's work"}
    assert done <= set(UNCONFINED), report
    claimed = {name for name in done if UNCONFINED[name] in bare.layers}
    assert not claimed - {"leave the group"}, report  # a cgroup holds those that do
    assert "namespaces" not in bare.layers
    assert LAYERS["no-network"] in bare.not_prevented


def test_layers_are_what_strangers_need(confined: Sandbox, bare: Sandbox) -> None:
    """A full sandbox lacks nothing for bots of strangers; limits alone lack the namespaces at least."""
    assert confined.missing_for_untrusted() == ()
    assert {"namespaces", "no-network", "seccomp"} <= set(bare.missing_for_untrusted())
    assert set(confined.layers) <= set(LAYERS)
    assert set(NEEDED_FOR_STRANGERS) <= set(LAYERS)


def test_required_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where bubblewrap is missing, `required` is a usage error that names the package, and `auto` gives advice."""
    monkeypatch.setattr("arena.sandbox.probe._find", lambda program: None)
    with pytest.raises(UsageError, match="apt-get install bubblewrap"):
        probe("required")
    poor = probe("auto")
    assert not poor.confined
    assert any("bubblewrap" in line for line in poor.advice)
    assert LAYERS["memory-limit"] in poor.not_prevented


def test_a_poor_host_still_runs_bots(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """With none of the tools, a command runs as the arena's user, and a missing one fails as a process."""
    monkeypatch.setattr("arena.sandbox.probe._find", lambda program: None)
    poor = probe("auto")
    assert run(poor, folder, "python3", "-c", "print(1)").output == "1\n"
    assert run(poor, folder, "no-such-program").status == 127


@pytest.mark.parametrize("make", [confinement, bare_sandbox], ids=["confined", "bare"])
def test_the_environment_is_the_contract(make: Any, folder: Path) -> None:
    """A bot finds these variables and no other, whatever the arena's own environment holds."""
    os.environ["SECRET"] = "token"
    try:
        sandbox = make(engine_folder=copy_engine(folder.parent / "path"))
        done = run(sandbox, folder, "python3", "-c", "import os, json; print(json.dumps(dict(os.environ)))")
    finally:
        del os.environ["SECRET"]
    found = json.loads(done.output)
    assert found.pop("PWD", "/bot") == "/bot"  # bubblewrap's own, with the name of the bot's folder inside
    assert set(found) == {
        "PATH", "HOME", "LANG", "PYTHONUNBUFFERED", "PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE", "PYTHONPATH",
    }  # fmt: skip
    assert found["PATH"] == "/usr/local/bin:/usr/bin:/bin"


@pytest.mark.parametrize("make", [confinement, bare_sandbox], ids=["confined", "bare"])
def test_a_bot_may_import_the_engine_and_nothing_else(make: Any, folder: Path) -> None:
    """The rules are there for search bots; the arena is not."""
    sandbox = make(engine_folder=copy_engine(folder.parent / "path"))
    done = run(sandbox, folder, "python3", "-c", "import engine.core; import arena")
    assert "No module named 'arena'" in done.errors


def test_a_confined_bot_needs_no_copy_of_the_engine(confined: Sandbox, folder: Path) -> None:
    """By default the sandbox shows the installed package itself, read-only."""
    assert run(confined, folder, "python3", "-c", "import engine.walk; print(engine.walk.__file__)").output == (
        "/arena/engine/walk.py\n"
    )


def test_a_runtime_of_ones_own_is_shown_at_its_place(folder: Path, tmp_path: Path) -> None:
    """An interpreter outside /usr runs where it was installed, below a folder that only its owner may enter too."""
    runtime = tmp_path / "private" / "runtime"
    runtime.mkdir(parents=True)
    (tmp_path / "private").chmod(0o700)
    (runtime / "greet").write_text("#!/bin/sh\necho hello from $0\n")
    (runtime / "greet").chmod(0o755)
    sandbox = confinement(runtimes=[str(runtime)])
    assert run(sandbox, folder, str(runtime / "greet")).output == f"hello from {runtime}/greet\n"


def test_the_engine_is_copied_once(tmp_path: Path) -> None:
    """A copy that is complete is kept; one that was cut short is made again."""
    copy_engine(tmp_path)
    core = tmp_path / "engine" / "core.py"
    before = core.stat().st_ino
    copy_engine(tmp_path)
    assert core.stat().st_ino == before
    core.unlink()
    copy_engine(tmp_path)
    assert core.is_file()


@pytest.mark.parametrize("make", [confinement, bare_sandbox], ids=["confined", "bare"])
def test_a_build_may_write_into_its_folder(make: Any, folder: Path) -> None:
    """Writable for builds, read-only for bots where there is a sandbox."""
    sandbox = make()
    assert run(sandbox, folder, "sh", "-c", "echo made > made", writable=True).status == 0
    assert (folder / "made").read_text() == "made\n"


def test_scratch_is_fresh_for_each_start(confined: Sandbox, bare: Sandbox, folder: Path) -> None:
    """What one process leaves in its home is gone when the next starts."""
    for sandbox in (confined, bare):
        run(sandbox, folder, "sh", "-c", 'echo hello > "$HOME/message"')
        assert run(sandbox, folder, "sh", "-c", 'ls -A "$HOME"').output == ""
    assert not list(Path(tempfile.gettempdir()).glob(f"arena-scratch-{owner_mark()}-*"))


HOARD = """
import os, signal
children = []
for _ in range(10):
    reading, writing = os.pipe()
    children.append(os.fork())
    if children[-1] == 0:
        hoard = b"x" * (50 << 20)
        os.write(writing, b".")
        signal.pause()
    os.close(writing)
    os.read(reading, 1)
print(sum(os.waitpid(child, os.WNOHANG) == (0, 0) for child in children))
"""


def test_memory_of_all_processes_together_is_bounded(confined: Sandbox, folder: Path) -> None:
    """Ten children do not get ten times the limit, where the host lets the arena make a memory cgroup."""
    limits = Limits(memory_mb=128, processes=24, scratch_mb=16)
    done = run_to_end(Launch(("python3", "-c", HOARD), str(folder), confined, limits), limit_s=30.0)
    bounded = done.status == 137 or int(done.output) < 10
    assert bounded is ("total-memory-limit" in confined.layers), done


@pytest.mark.parametrize("version", [1, 2])
def test_a_host_without_memory_is_no_fault_of_a_bot(version: int, tmp_path: Path) -> None:
    """The kernel counts whom it ends for the host's sake too; it is the bot's own doing only at the bot's own limit."""
    memory = tmp_path / "memory"
    memory.mkdir()
    cgroup = BotCgroup(tmp_path, memory if version == 1 else None)
    assert cgroup.memory_refusals() == 0
    for reached, ended, refusals in ((0, 0, 0), (0, 2, 0), (7, 0, 0), (7, 2, 2)):
        if version == 1:
            (memory / "memory.limit_in_bytes").write_text(f"{1 << 29}\n")
            (memory / "memory.max_usage_in_bytes").write_text(f"{(1 << 29) - (4096 if reached else 1 << 23)}\n")
            (memory / "memory.oom_control").write_text(f"oom_kill_disable 0\nunder_oom 0\noom_kill {ended}\n")
        else:
            (tmp_path / "memory.events").write_text(f"low 0\nhigh 0\nmax 9\noom {reached}\noom_kill {ended}\n")
        assert cgroup.memory_refusals() == refusals


def test_a_folder_below_a_closed_one_is_shown(tmp_path: Path) -> None:
    """Root's private folders do not keep bots from their own, and the way there opens nothing else."""
    closed = tmp_path / "closed"
    (closed / "bots" / "one").mkdir(parents=True)
    (closed / "bots" / "one" / "file").write_text("content")
    if os.geteuid() != 0:
        return  # only root's bots run under another user, and only root may change its view of the file system
    closed.chmod(0o700)
    shown = Path(reachable(str(closed / "bots" / "one"), 65_534))
    assert (shown / "file").read_text() == "content"
    assert all(parent.stat().st_mode & 0o001 for parent in shown.parents)
    # This process has a view of its own by now, so the mount is gone with it.
    disk = tmp_path / "second" / "disk"
    disk.mkdir(parents=True)
    disk.parent.chmod(0o700)
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", disk], check=True)
    (disk / "bots").mkdir()
    assert Path(reachable(str(disk / "bots"), 65_534)).is_dir(), "a disk that is mounted below is shown too"
    subprocess.run(["umount", "--lazy", disk], check=True)
    (closed / "bots" / "one").chmod(0o700)
    with pytest.raises(ArenaFault, match="expected mode 755"):
        reachable(str(closed / "bots" / "one"), 65_534)


def test_nothing_of_a_dead_arena_stays(folder: Path) -> None:
    """Cgroups that a killed arena left are removed by the next; those of living ones are not touched."""
    places = [place for place in (find_cgroups().unified, find_cgroups().memory) if place]
    for place in places:
        dead, living = Path(place, f"arena-bot-{DEAD_OWNER}-0"), Path(place, f"arena-bot-{owner_mark()}-x")
        dead.mkdir()
        living.mkdir()
        try:
            sweep(place)
            assert not dead.exists()
            assert living.exists()
        finally:
            living.rmdir()


def test_a_host_without_cgroups_is_no_trouble(confined: Sandbox, folder: Path) -> None:
    """Everything else holds without them."""
    plain = replace(confined, cgroups=CgroupHost())
    assert run(plain, folder, "sh", "-c", "echo ok").output == "ok\n"
