"""Tests of the probe: a layer is reported only if a bot tried to break it, and failed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import arena.sandbox.launcher as confining
import arena.sandbox.probe as probing
from arena.errors import UsageError
from arena.sandbox.cgroups import CgroupHost
from arena.sandbox.launcher import Sandbox, Tools
from arena.sandbox.probe import LAYERS, probe
from arena.transport.base import Limits
from tests.support.hosts import confinement, not_tried

CONTAINER = ("unshare", "--user", "--map-root-user")
"""Runs a command in a container in which root is the only user."""
KNOWN_OTHERWISE = {"read-only", "no-new-privileges", "total-memory-limit", "pressure"}
"""Tried by the shell before the trials, told by the kernel, or tried by the arena when it looks for a cgroup."""


FILTERED = ("seccomp by memory without a name", "seccomp by its priority")
LEAVING = ("group by a session", "group by a group")
FILES = ("file-limit by a larger file", "file-limit by more files")
NETWORK = ("no-network by a port", "no-network by a socket without a file")


def broken(sandbox: Sandbox) -> set[str]:
    """What gave way to the trials in that sandbox."""
    lines = probing._ask(sandbox).splitlines()
    assert lines[-1] == "tried"
    return {line.removeprefix("broke ") for line in lines if line.startswith("broke ")}


def test_nothing_gives_way_in_a_sandbox() -> None:
    """All layers are tried, and hold."""
    assert broken(confinement()) == set()


def test_each_layer_gives_way_where_it_is_missing() -> None:
    """A bot that is not confined at all breaks everything that is tried, so no trial is idle."""
    gone = broken(Sandbox(Tools()))
    assert gone >= {*FILTERED, *LEAVING, *FILES, *NETWORK}
    layers = {name.partition(" ")[0].replace("group", "sealed-group") for name in gone}
    assert layers | {"unprivileged"} == set(LAYERS) - KNOWN_OTHERWISE
    assert ("unprivileged" in layers) is (os.geteuid() == 0)


@pytest.mark.parametrize(
    ("weaken", "gone"),
    [
        (lambda sandbox: replace(sandbox, seccomp=b""), {*FILTERED, *LEAVING}),
        (
            lambda sandbox: replace(sandbox, tools=replace(sandbox.tools, prlimit=None)),
            {"memory-limit by more memory", *FILES, "process-limit by more threads"},
        ),
    ],
    ids=["no filter", "no limits"],
)
def test_what_is_taken_from_a_sandbox_gives_way(weaken: Callable[[Sandbox], Sandbox], gone: set[str]) -> None:
    """And nothing else does."""
    assert broken(weaken(confinement())) == gone


@pytest.mark.parametrize("port", ["a TCP port", "none"])
def test_a_host_whose_network_is_shared_is_found_out(port: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a port of its loopback, and also where there is no loopback, by a socket that has a name but no file."""
    sandbox = confinement()
    shared = tuple(part for part in confining._NAMESPACES if part != "--unshare-net")
    monkeypatch.setattr(confining, "_NAMESPACES", shared)
    if port == "none":

        def refuse(*_arguments: object) -> None:
            raise OSError("no loopback")

        monkeypatch.setattr("socket.create_server", refuse)
    assert broken(sandbox) == set(NETWORK if port == "a TCP port" else NETWORK[1:])


def test_a_scratch_folder_of_another_size_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is really filled, up to the size that it should have."""
    sandbox = confinement()
    made = Sandbox.wrap

    def twice(self: Sandbox, command: object, folder: object, limits: Limits, **how: object) -> object:
        return made(self, command, folder, replace(limits, scratch_mb=2 * limits.scratch_mb), **how)  # type: ignore[arg-type]

    monkeypatch.setattr(Sandbox, "wrap", twice)
    assert broken(sandbox) == {"scratch-limit by more content"}


@pytest.mark.parametrize("layer", [*LAYERS])
def test_what_gave_way_is_not_claimed(layer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever else tells that the layer is there; `sealed-group` has two ways to hold, and both are looked at."""
    whole = confinement()
    ask = probing._ask
    words = ["group", "cgroup"] if layer == "sealed-group" else [layer]
    monkeypatch.setattr(
        probing, "_ask", lambda sandbox: "".join([ask(sandbox), *(f"broke {word} by luck\n" for word in words)])
    )
    assert set(probe("auto").layers) == set(whole.layers) - {layer}
    assert LAYERS[layer] in probe("auto").not_prevented


def test_what_could_not_be_tried_is_not_claimed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bots are still confined where there is no Python for the trials, but that is not called proved."""
    whole = confinement()
    monkeypatch.setattr("arena.sandbox.probe.BOT_PATH", "/nowhere")
    tmp_path.chmod(0o755)
    monkeypatch.setattr("sys.base_prefix", str(tmp_path))
    poor = probe("auto")
    assert poor.confined
    assert set(poor.layers) == set(whole.layers) & KNOWN_OTHERWISE
    assert any("python3" in line for line in poor.advice)
    assert not any("python3" in line for line in whole.advice)


@pytest.mark.parametrize("python", [None, "#!/bin/sh\necho this is too old\nexit 1\n"], ids=["none", "too old"])
def test_the_arenas_own_python_will_do(python: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where bots have none, or one that is no good, that of the arena is shown to the trials, and to no bot."""
    tmp_path.chmod(0o755)
    whole = confinement(runtimes=[str(tmp_path)])
    if python is not None:
        (tmp_path / "python3").write_text(python)
        (tmp_path / "python3").chmod(0o755)
    monkeypatch.setattr("arena.sandbox.probe.BOT_PATH", str(tmp_path))
    found = probe("auto", runtimes=[str(tmp_path)])
    assert (found.layers, found.runtimes) == (whole.layers, whole.runtimes)


def test_a_group_is_sealed_by_a_cgroup_that_cannot_be_left() -> None:
    """Only where a bot that tries to move out of it is refused."""
    bare = probe("off")
    if os.geteuid() == 0 and bare.cgroups.unified is not None:
        assert "sealed-group" in bare.layers
        as_root = replace(bare, uids=range(0))
        assert "cgroup by leaving it" in broken(as_root)
    for sandbox in (bare, replace(bare, cgroups=CgroupHost())):
        assert not any(name.startswith("cgroup") for name in broken(sandbox))


@pytest.mark.parametrize(
    ("container", "status", "expected"),
    [
        (CONTAINER, 0, "since this container has no users 1900000000 to 1900000999"),
        ((*CONTAINER, "--mount", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh"), 1,
         "there is no /proc: mount it (`mount -t proc proc /proc`)"),
    ],
    ids=["no users", "no /proc"],
)  # fmt: skip
def test_a_poor_container_is_described(
    container: tuple[str, ...], status: int, expected: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Doctor reports everything else too, and commands that run no bot work."""
    if subprocess.run([*container, "true"], capture_output=True).returncode:
        not_tried("this host permits no user namespaces")
    environment = {**os.environ, "ARENA_HOME": str(tmp_path)}
    command = [*container, sys.executable, "-m", "arena"]
    ran = subprocess.run([*command, "doctor"], env=environment, capture_output=True, text=True)
    assert (ran.returncode, expected in ran.stdout) == (status, True), ran.stderr + ran.stdout
    assert (
        "lanterns"
        in subprocess.run([*command, "league", "list"], env=environment, capture_output=True, text=True).stdout
    )
    bot = Path(__file__).parents[2] / "sample_bots" / "village_random.py"
    ran = subprocess.run(
        [*command, "check", str(bot), "--game", "burn_my_village"], env=environment, capture_output=True, text=True
    )
    assert ran.returncode == status, ran.stderr
    assert status == 0 or expected in ran.stderr


def test_users_that_do_not_exist_are_named() -> None:
    """A setting of the organiser's is not passed over."""
    if os.geteuid() != 0:
        pytest.skip("only root's bots run under other users")
    with pytest.raises(UsageError, match="bot_users names 4294967295 to 4294967300, and not all of these users exist"):
        probe("auto", uids=range(4294967295, 4294967301))
