"""A cgroup for each bot, where this host lets one be made: memory of all its processes together, and fair evidence.

Version 2 needs no controller for what matters most here (`cpu.pressure`, freezing, killing), so it is of use even on
hosts whose limits are still in version 1. A process is not moved in after its start, when it may already have helpers:
the arena goes in itself, starts the bot there, and goes back out. Going in takes some milliseconds after a pause (the
kernel waits for all processors), and hardly anything right after another move.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.linux.stale import living
from arena.transport.base import Enclosure, Limits

_PREFIX: Final = "arena-bot-"
_CHARGE: Final = 1 << 20
"""More than the kernel asks a cgroup for at a time before it ends a process for the refusal."""
_numbers = itertools.count()


@dataclass(frozen=True, slots=True)
class CgroupHost:
    """Where this process may make cgroups: folders, each the one that it lives in itself."""

    unified: str | None = None
    """In the version 2 hierarchy, with pressure counts."""
    memory: str | None = None
    """Of the version 1 memory controller."""

    def make(self, limits: Limits) -> BotCgroup | None:
        """A new cgroup with these limits; None where there is no place for one, or it cannot be made just now."""
        if self.unified is None:
            return None
        name = f"{_PREFIX}{os.getpid()}-{next(_numbers)}"
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
        """Whether a new cgroup bounds the memory of all processes together."""
        made = self.make(Limits())
        if made is None:
            return False
        made.discard()
        return made.limits_memory


class BotCgroup(Enclosure):
    """The cgroup of one bot; of two hierarchies where memory is in version 1."""

    def __init__(self, unified: Path, memory: Path | None) -> None:
        self._folders = [unified] if memory is None else [unified, memory]
        self._unified = unified
        self._memory = memory
        self.pressure = str(unified / "cpu.pressure")
        self.limits_memory = memory is not None or (unified / "memory.max").exists()

    def enter(self) -> None:
        """Move this process in."""
        for folder in self._folders:
            _join(folder)

    def leave(self) -> None:
        """Move this process back to the folder that the cgroup lies in."""
        for folder in self._folders:
            _join(folder.parent)

    def freeze(self, frozen: bool) -> None:
        """Stop all that is inside, or let it go on."""
        with contextlib.suppress(OSError):
            (self._unified / "cgroup.freeze").write_text("1" if frozen else "0")

    def kill(self) -> None:
        """SIGKILL to all that is inside, frozen or not."""
        _kill_all(self._unified)

    def memory_refusals(self) -> int:
        """How many processes the kernel ended because the memory of the cgroup was used up.

        The kernel also counts those that it ends when the whole host runs out; they count here only where the cgroup
        ever came to its own limit.
        """
        with contextlib.suppress(OSError, ValueError, KeyError):
            if self._memory is not None:
                ended = _counts(self._memory / "memory.oom_control")["oom_kill"]
                return ended if _was_full(self._memory) else 0
            events = _counts(self._unified / "memory.events")
            return events["oom"] and events["oom_kill"]
        return 0

    def discard(self) -> None:
        """Remove it. What cannot be removed yet is left for `sweep`."""
        for folder in self._folders:
            with contextlib.suppress(OSError):
                folder.rmdir()


def find_cgroups() -> CgroupHost:
    """Where cgroups can really be made and entered by this process, tried out; sweeps up after arenas that died."""
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
    """Whether a version 1 cgroup ever came to its limit; also where it does not tell.

    Its own count of that (`memory.failcnt`) stands still in newer kernels. Where swap is counted, the limit of both
    together, which is the same, is the one that is met first.
    """
    for kind in ("memory.memsw", "memory"):
        with contextlib.suppress(OSError, ValueError):
            most = int((memory / f"{kind}.max_usage_in_bytes").read_text())
            return most + _CHARGE >= int((memory / f"{kind}.limit_in_bytes").read_text())
    return True


def _counts(file: Path) -> dict[str, int]:
    return {name: int(count) for name, count in (line.split() for line in file.read_text().splitlines())}


def sweep(place: str) -> None:
    """End and remove what arenas that live no more have left in this folder."""
    for folder in Path(place).glob(f"{_PREFIX}*"):
        owner = folder.name.removeprefix(_PREFIX).partition("-")[0]
        if not (owner.isascii() and owner.isdigit()) or living(int(owner)) is not None:
            continue
        with contextlib.suppress(OSError):
            # Somebody else's cgroup, in a folder that several users may write in, is somebody else's to end.
            if folder.is_symlink() or folder.stat().st_uid != os.geteuid():
                continue
            _kill_all(folder)
            folder.rmdir()


def _limit_memory(folder: Path, total: int) -> None:
    """Bound memory and swap together; each file is there only where the kernel has that controller."""
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
    """The folder, if a cgroup with that file can be made in it, entered and left."""
    if place is None:
        return None
    trial = place / f"{_PREFIX}{os.getpid()}-trial"
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
    """The folder of the cgroup that this process is in, of the version 2 hierarchy or of one controller."""
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
