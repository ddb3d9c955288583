"""A cgroup for each bot, if this host permits it: it limits the memory of all processes together and measures waits.

Version 2 needs no controller for the most important parts (`cpu.pressure`, freezing, killing), so it is useful even on
hosts that still have their limits in version 1. A bot is not moved into its cgroup after its start, because it may have
child processes by then. Instead, the arena enters the cgroup, starts the bot there, and leaves. Entering takes some
milliseconds after a pause, because the kernel waits for all CPUs, and almost no time right after another move.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import signal
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.linux.stale import MARK, is_abandoned, is_from_here, owner_mark
from arena.transport.base import Enclosure, Limits

_PREFIX: Final = "arena-bot-"
_NAME: Final = re.compile(rf"{_PREFIX}({MARK})-[a-z0-9]{{1,20}}")
_CHARGE: Final = 1 << 20
"""A number of bytes above the largest single charge that the kernel requests from a cgroup before an OOM kill."""
_numbers = itertools.count()


@dataclass(frozen=True, slots=True)
class CgroupHost:
    """The folders in which this process may create cgroups. Each is the folder of the process's own cgroup."""

    unified: str | None = None
    """Folder in the version 2 hierarchy, which has pressure counters."""
    memory: str | None = None
    """Folder of the version 1 memory controller."""

    def make(self, limits: Limits) -> BotCgroup | None:
        """Return a new cgroup with these limits; None if there is no folder for it, or it cannot be created now."""
        if self.unified is None:
            return None
        name = f"{_PREFIX}{owner_mark()}-{next(_numbers)}"
        made: list[Path] = []
        try:
            for place in filter(None, (self.unified, self.memory)):
                folder = Path(place, name)
                folder.mkdir()
                made.append(folder)
            _limit_memory(made[-1], (limits.memory_mb + limits.scratch_mb) << 20)
        except OSError:
            for folder in made:
                with contextlib.suppress(OSError):
                    folder.rmdir()
            return None
        return BotCgroup(made[0], made[1] if self.memory is not None else None)

    def limits_memory(self) -> bool:
        """Return whether a new cgroup limits the memory of all its processes together."""
        made = self.make(Limits())
        if made is None:
            return False
        made.discard()
        return made.limits_memory


class BotCgroup(Enclosure):
    """The cgroup of one bot, in two hierarchies if the memory controller is in version 1."""

    def __init__(self, unified: Path, memory: Path | None) -> None:
        self._folders = [unified] if memory is None else [unified, memory]
        self._unified = unified
        self._memory = memory
        self._freezer = -1
        """Descriptor of `cgroup.freeze`, which is opened once, because bots may be frozen after each turn."""
        self.pressure = str(unified / "cpu.pressure")
        self.limits_memory = memory is not None or (unified / "memory.max").exists()

    def enter(self) -> None:
        """Move this process into the cgroup."""
        for folder in self._folders:
            _join(folder)

    def leave(self) -> None:
        """Move this process back to the parent cgroup."""
        for folder in self._folders:
            _join(folder.parent)

    def freeze(self, frozen: bool) -> None:
        """Freeze all processes of the cgroup, or thaw them."""
        with contextlib.suppress(OSError):
            if self._freezer < 0:
                self._freezer = os.open(self._unified / "cgroup.freeze", os.O_WRONLY | os.O_CLOEXEC)
            os.pwrite(self._freezer, b"1" if frozen else b"0", 0)

    def kill(self) -> None:
        """Send SIGKILL to all processes of the cgroup, frozen or not."""
        _kill_all(self._unified)

    def memory_refusals(self) -> int:
        """Return how many processes the kernel killed because the cgroup had used up its memory.

        The kernel's counter includes OOM kills because the whole host ran out of memory. They count here only if the
        cgroup ever reached its own limit.
        """
        with contextlib.suppress(OSError, ValueError, KeyError):
            if self._memory is not None:
                ended = _counts(self._memory / "memory.oom_control")["oom_kill"]
                return ended if _was_full(self._memory) else 0
            events = _counts(self._unified / "memory.events")
            return events["oom"] and events["oom_kill"]
        return 0

    def discard(self) -> None:
        """Remove the cgroup. If it cannot be removed yet, `sweep` removes it later."""
        if self._freezer >= 0:
            os.close(self._freezer)
            self._freezer = -1
        for folder in self._folders:
            with contextlib.suppress(OSError):
                folder.rmdir()


def find_cgroups() -> CgroupHost:
    """Return where this process can create and enter cgroups, by trying it. Remove the cgroups of dead arenas there."""
    unified = _usable(_own_folder("cgroup2", None), "cpu.pressure")
    if unified is None:
        return CgroupHost()
    memory = None
    if not (Path(unified) / "memory.max").exists():
        memory = _usable(_own_folder("cgroup", "memory"), "memory.limit_in_bytes")
    for place in filter(None, (unified, memory)):
        sweep(place)
    return CgroupHost(unified, memory)


def _was_full(memory: Path) -> bool:
    """Return whether a version 1 cgroup ever reached its limit; True if it cannot be read.

    The kernel's counter for this (`memory.failcnt`) no longer changes in newer kernels. If swap is counted, the limit
    of memory and swap together is reached first, because it has the same value.
    """
    for kind in ("memory.memsw", "memory"):
        with contextlib.suppress(OSError, ValueError):
            most = int((memory / f"{kind}.max_usage_in_bytes").read_text())
            return most + _CHARGE >= int((memory / f"{kind}.limit_in_bytes").read_text())
    return True


def _counts(file: Path) -> dict[str, int]:
    return {name: int(count) for name, count in (line.split() for line in file.read_text().splitlines())}


def sweep(place: str) -> None:
    """Kill the bots and remove the cgroups that dead arenas left in this folder."""
    for folder in Path(place).glob(f"{_PREFIX}*"):
        if (name := _NAME.fullmatch(folder.name)) is None:
            continue
        with contextlib.suppress(OSError):
            status = folder.lstat()
            # In a folder that several users may write to, another user's cgroup is not ours to kill.
            own = stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid()
            if not own or not is_abandoned(name[1], status.st_ctime):
                continue
            if is_from_here(name[1]):
                _kill_all(folder)
            folder.rmdir()  # refused if a process is left in it


def _limit_memory(folder: Path, total: int) -> None:
    """Limit memory and swap together. Each of the files exists only if the kernel has its controller."""
    for name, value in (
        ("memory.limit_in_bytes", total),
        ("memory.memsw.limit_in_bytes", total),
        ("memory.max", total),
        ("memory.swap.max", 0),
    ):
        if (folder / name).exists():
            (folder / name).write_text(str(value))


def _kill_all(folder: Path) -> None:
    with contextlib.suppress(OSError):
        (folder / "cgroup.kill").write_text("1")
        return
    with contextlib.suppress(OSError):
        for pid in (folder / "cgroup.procs").read_text().split():
            with contextlib.suppress(OSError):
                os.kill(int(pid), signal.SIGKILL)


def _join(folder: Path) -> None:
    descriptor = os.open(folder / "cgroup.procs", os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, b"0")
    finally:
        os.close(descriptor)


def _usable(place: Path | None, needed: str) -> str | None:
    """Return the folder if this process can create, enter and leave a cgroup in it that has the needed file."""
    if place is None:
        return None
    trial = place / f"{_PREFIX}{owner_mark()}-trial"
    try:
        trial.mkdir()
    except OSError:
        return None
    try:
        if not (trial / needed).exists():
            return None
        _join(trial)
        _join(place)
    except OSError:
        return None
    finally:
        with contextlib.suppress(OSError):
            trial.rmdir()
    return str(place)


def _own_folder(kind: str, controller: str | None) -> Path | None:
    """Return the folder of this process's own cgroup, in the version 2 hierarchy or of one version 1 controller."""
    try:
        mounts = Path("/proc/self/mountinfo").read_text().splitlines()
        own = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return None
    for line in own:
        number, controllers, path = line.split(":", 2)
        if (number == "0") if controller is None else (controller in controllers.split(",")):
            break
    else:
        return None
    for mount in mounts:
        fields, _, rest = mount.partition(" - ")
        root, point = fields.split()[3:5]
        found_kind, _, options = rest.partition(" ")
        if found_kind == kind and (controller is None or controller in options.replace(" ", ",").split(",")):
            with contextlib.suppress(ValueError):
                return Path(point) / Path(path).relative_to(root)
    return None
