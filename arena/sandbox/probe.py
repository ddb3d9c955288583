"""Find out what this host supports: run a probe bot that tries to break each layer, and assume nothing.

If an attempt would be slow or harmful, the probe reads the kernel's report instead; docs/architecture.md lists these
cases.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import socket
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Final, Literal

from arena.errors import ArenaFault, ConfinementMissing, UsageError
from arena.linux.programs import BOT_PATH
from arena.sandbox.cgroups import find_cgroups
from arena.sandbox.launcher import Sandbox, Tools
from arena.sandbox.public_paths import reachable
from arena.sandbox.seccomp import build_filter
from arena.transport.base import Launch, Limits
from arena.transport.command import run_to_end
from arena.transport.scratch import sweep_scratch

LAYERS: Final = {
    "namespaces": "see or signal another process, or share memory and locks with one",
    "read-only": "read the arena's data or other bots, or write anywhere but into its own scratch folder",
    "no-network": "use the network, not even that of this machine",
    "seccomp": "use system calls that steer others, the kernel, or the scheduler",
    "sealed-group": "think while others are on turn",
    "unprivileged": "act as root",
    "no-new-privileges": "gain rights through set-uid programs",
    "memory-limit": "use more memory in a process than its limit",
    "total-memory-limit": "use more memory with all its processes together than its limit and its scratch folder",
    "process-limit": "start more processes and threads than its limit",
    "file-limit": "open more files, or write larger ones, than its limit",
    "scratch-limit": "fill the disk through its scratch folder",
    "pressure": "be charged for time in which others held the core, however many processes and threads it has",
}
"""Layer -> what a bot cannot do if the layer is active."""

_UID_RANGES: Final = (range(1_900_000_000, 1_900_001_000), range(64_100, 64_900), range(65_534, 65_535))
_NO_USERS: Final = (
    "bots run under the arena's own user, since this container has no users"
    f" {', '.join(f'{uids[0]} to {uids[-1]}' for uids in _UID_RANGES)}: map one of these ranges into the container"
)
_QUESTIONS: Final = """echo "shell $$"
cat /proc/self/status /proc/self/limits /proc/net/dev
grep " $HOME tmpfs " /proc/self/mounts
for folder in / /usr /dev /bot /arena; do (: > "$folder/.probe") 2>/dev/null && echo "writable $folder"; done
if [ -n "$0" ]; then (: > "$0") 2>/dev/null && echo "broke cgroup by leaving it"; fi
exec "$@"
"""
_TRIALS: Final = Path(__file__).with_name("probe_bot.py")
_LIMITS: Final = Limits(scratch_mb=1)
"""The default limits of bots, except for the scratch folder, which the probe really fills."""
_INSTALL: Final = "install bubblewrap (Debian and Ubuntu: apt-get install bubblewrap)"


def probe(
    mode: Literal["required", "auto", "off"] = "auto",
    *,
    engine_folder: str | None = None,
    runtimes: Sequence[str] = (),
    uids: range | None = None,
) -> Sandbox:
    """Return the best sandbox that this host supports.

    In mode `required`, raise `UsageError` if bots cannot run in namespaces; in mode `off`, do not try namespaces.
    `engine_folder` and `runtimes` are those of `Sandbox`. `uids` are the users that bots run under if the arena is
    root. Cgroups and scratch folders that killed arenas left are removed. Raises `ArenaFault` if bots cannot read the
    folders, `UsageError` for users that do not exist, and `ConfinementMissing` on a host where no bot can run.
    """
    if not Path("/proc/self/stat").exists():
        raise ConfinementMissing("bots cannot run here, since there is no /proc: mount it (`mount -t proc proc /proc`)")
    as_root = os.geteuid() == 0
    users = _mapped(uids) if as_root else range(0)
    tools = Tools(_find("bwrap"), _find("setpriv"), _find("prlimit"))
    base = Sandbox(
        tools=tools,
        engine_folder=engine_folder,
        runtimes=tuple(runtimes),
        uids=users,
        cgroups=find_cgroups(),
        advice=(_NO_USERS,) if as_root and not users else (),
    )
    for folder in (*base.runtimes, *filter(None, [engine_folder])):
        if base.uids:
            reachable(folder, base.uids[0])
    sweep_scratch(base.uids)
    trouble = ""
    if mode != "off":
        try:
            return _confined(base)
        except ArenaFault as fault:
            trouble = str(fault)
        if mode == "required":
            raise UsageError(f'bots cannot be confined here: {trouble}; {_INSTALL}, or set sandbox = "auto"')
    return _bare(replace(base, tools=replace(tools, bwrap=None)), trouble)


def _confined(base: Sandbox) -> Sandbox:
    if base.tools.bwrap is None:
        raise ArenaFault("bubblewrap (the program bwrap) is not installed")
    advice = []
    try:
        base = replace(base, seccomp=build_filter())
    except (OSError, RuntimeError) as error:
        advice.append(f"install libseccomp2 for the system-call filter ({error})")
    facts = _ask(base)
    return _described(base, facts, advice)


def _bare(base: Sandbox, trouble: str) -> Sandbox:
    advice = [f"{_INSTALL}: {trouble}"] if trouble else []
    base = replace(base, process_room=0 if base.uids else _own_processes() + _BARE_ROOM)
    try:
        return _described(base, _ask(base), advice)
    except ArenaFault as fault:
        advice.append(f"setpriv and prlimit (package util-linux) do not work here: {fault}")
    base = replace(base, tools=Tools(), uids=range(0))
    return _described(base, _ask(base), advice)


_BARE_ROOM: Final = 1024
"""Processes for all bots together if they share the arena's user: enough for the bots, but a limit for a fork bomb."""


def _ask(sandbox: Sandbox) -> str:
    """Run the questions and the probe bot in the sandbox, and return their output. Raises `ArenaFault` on failure."""
    facts = _answers(sandbox, shutil.which("python3", path=BOT_PATH) or "false")
    if not _tried(facts):
        # The bots' Python is missing or too old. Use the arena's own Python, shown to the probe bot at its own path.
        own = Path(sys.base_prefix, "bin", f"python{sys.version_info.major}.{sys.version_info.minor}")
        with contextlib.suppress(ArenaFault):
            return _answers(replace(sandbox, runtimes=(*sandbox.runtimes, sys.base_prefix)), str(own))
    return facts


def _answers(sandbox: Sandbox, python: str) -> str:
    door = f"league-arena-{secrets.token_hex(8)}"
    with contextlib.ExitStack() as listening:
        outside = listening.enter_context(socket.socket(socket.AF_UNIX))
        outside.bind(f"\0{door}")
        outside.listen()
        port = 0
        with contextlib.suppress(OSError):  # a host without even a loopback
            port = listening.enter_context(socket.create_server(("127.0.0.1", 0))).getsockname()[1]
        enclosing = sandbox.cgroups.unified
        command = (
            *("/bin/sh", "-c", _QUESTIONS, f"{enclosing}/cgroup.procs" if enclosing else ""),
            *(python, "-I", "-S", "-c", _TRIALS.read_text(encoding="utf-8"), str(port), door),
            *(f"{name}={value}" for name, value in asdict(_LIMITS).items()),
        )
        done = run_to_end(Launch(command, "/usr", sandbox, _LIMITS), limit_s=60.0)
    # If a busy host did not finish the probe bot, its attempts prove nothing, but the answers before it are valid.
    if "Pid:" not in done.output:
        said = done.errors.strip().splitlines()
        raise ArenaFault(said[-1] if said else f"a trial run ended with status {done.status}")
    return done.output


def _tried(facts: str) -> bool:
    return re.search(r"^tried$", facts, re.MULTILINE) is not None


def _described(sandbox: Sandbox, facts: str, advice: Sequence[str]) -> Sandbox:
    """Return the sandbox with the layers that the answers prove, and with their descriptions."""
    status = dict(re.findall(r"^(\w+):\s*(.*)$", facts, re.MULTILINE))
    broken = set(re.findall(r"^broke (\S+) by ", facts, re.MULTILINE))
    tried = _tried(facts)
    enclosed = sandbox.cgroups.unified is not None
    read = {
        "namespaces": sandbox.confined and facts.startswith("shell 1\n"),
        "read-only": sandbox.confined and "\nwritable" not in facts,
        "no-network": sandbox.confined and _interfaces(facts) <= {"lo"},
        "seccomp": bool(sandbox.seccomp) and status.get("Seccomp") == "2",
        "sealed-group": (sandbox.confined and bool(sandbox.seccomp) and "group" not in broken)
        or (enclosed and bool(sandbox.uids) and "cgroup" not in broken),  # another user cannot leave one of root's
        "unprivileged": status.get("Uid", "0").split()[0] != "0" and int(status.get("CapEff", "1"), 16) == 0,
        "no-new-privileges": status.get("NoNewPrivs") == "1",
        "memory-limit": _limit(facts, "Max data size") is not None,
        "total-memory-limit": sandbox.cgroups.limits_memory(),
        "process-limit": _limit(facts, "Max processes") == _LIMITS.processes,
        "file-limit": _limit(facts, "Max file size") is not None,
        "scratch-limit": _scratch_kb(facts) == _LIMITS.scratch_mb << 10,
        "pressure": enclosed,
    }
    in_force = tuple(
        layer for layer in LAYERS if read[layer] and layer not in broken and (tried or layer in _KNOWN_OTHERWISE)
    )
    if not tried:
        advice = [*advice, "install python3 where bots can run it (most layers are tried out by a program for it)"]
    return replace(
        sandbox,
        layers=in_force,
        prevented=tuple(LAYERS[layer] for layer in in_force),
        not_prevented=tuple(LAYERS[layer] for layer in LAYERS if layer not in in_force) + _always(sandbox),
        advice=(*sandbox.advice, *advice),
    )


_KNOWN_OTHERWISE: Final = frozenset({"read-only", "no-new-privileges", "total-memory-limit", "pressure"})
"""Layers that the probe bot does not try to break: its start script, the kernel or the arena reports them."""


def _always(sandbox: Sandbox) -> tuple[str, ...]:
    if sandbox.confined:
        return ("read facts about the machine, such as its processor and the size of its memory",)
    return ("leave a process behind for the moment until the end of its match, when what was left is found and ended",)


def _interfaces(facts: str) -> set[str]:
    table = facts.partition("Inter-|")[2]
    return set(re.findall(r"^\s*([\w.@-]+):\s+\d+\s+\d+", table, re.MULTILINE))


def _limit(facts: str, name: str) -> int | None:
    found = re.search(rf"^{name}\s+(\d+)\s", facts, re.MULTILINE)
    return int(found[1]) if found else None


def _scratch_kb(facts: str) -> int | None:
    found = re.search(r"^tmpfs \S+ tmpfs \S*\bsize=(\d+)k", facts, re.MULTILINE)
    return int(found[1]) if found else None


def _find(program: str) -> str | None:
    return shutil.which(program, path="/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin")


def _mapped(wanted: range | None) -> range:
    """Return users that exist in the user namespace of this process: in many containers only the first 65,536 do.

    Return no user if none was wanted and none of the arena's own exists. Raises `UsageError` for wanted users.
    """
    spans = []
    try:
        lines = Path("/proc/self/uid_map").read_text().splitlines()
    except FileNotFoundError:  # a kernel without user namespaces: every user exists
        lines = [f"0 0 {1 << 32}"]
    for line in lines:
        first, _, count = map(int, line.split())
        spans.append(range(first, first + count))
    for uids in _UID_RANGES if wanted is None else (wanted,):
        if any(uids[0] in span and uids[-1] in span for span in spans):
            return uids
    if wanted is None:
        return range(0)
    raise UsageError(
        f"bot_users names {wanted[0]} to {wanted[-1]}, and not all of these users exist in this container: expected"
        f" users of {', '.join(f'{span[0]} to {span[-1]}' for span in spans)}"
    )


def _own_processes() -> int:
    """Return the number of processes and threads of this user, which a process limit also counts."""
    count = 0
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                if process.stat().st_uid == os.getuid():
                    count += len(list((process / "task").iterdir()))
            except OSError:
                continue
    return count
