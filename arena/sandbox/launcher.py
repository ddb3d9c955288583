"""The sandbox of this host: `Sandbox` turns a command into the command that the arena really runs."""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from arena.errors import ArenaFault
from arena.linux.programs import BOT_PATH
from arena.sandbox.cgroups import CgroupHost
from arena.sandbox.mounts import mount_arguments
from arena.sandbox.public_paths import is_open, reachable
from arena.transport.base import Limits, Wrapped
from arena.transport.scratch import make_scratch

ADDRESS_SPACE_MB: Final = 6144
"""Limit of address space. It is only a last resort, because language runtimes reserve far more than they use."""

_launches = itertools.count()


@dataclass(frozen=True, slots=True)
class Tools:
    """Absolute paths of the programs that make the sandbox; None for a program that is missing or must not be used."""

    bwrap: str | None = None
    setpriv: str | None = None
    prlimit: str | None = None


@dataclass(frozen=True, slots=True)
class Sandbox:
    """The sandbox of bots on this host. `probe` creates it after testing every layer; workers receive it unchanged."""

    tools: Tools
    layers: tuple[str, ...] = ()
    """Names of the active layers (keys of `LAYERS`). They are stored with each night."""
    prevented: tuple[str, ...] = ()
    """What a bot cannot do here, one line each, for a human reader."""
    not_prevented: tuple[str, ...] = ()
    """What a bot can do here, one line each."""
    advice: tuple[str, ...] = ()
    """What to install or change to get more layers."""
    seccomp: bytes = field(default=b"", repr=False)
    """The system-call filter, or empty if there is none."""
    uids: range = range(0)
    """Users that bots run under if the arena is root, one for each start in turn; empty for the arena's own user."""
    engine_folder: str | None = None
    """Folder that contains only the package `engine`, for bots to import; None for this installation's own package."""
    runtimes: tuple[str, ...] = ()
    """Folders besides /usr that bots' interpreters need. The sandbox shows them read-only at their own paths."""
    cgroups: CgroupHost = field(default_factory=CgroupHost)
    """Where a cgroup for each bot can be created."""
    ledger: str | None = None
    """Folder in which each start is recorded, in case this command is killed; None to record nothing."""
    process_room: int = 0
    """Process limit of bots that share the arena's user, whose own processes the limit also counts; 0 for no limit."""

    @property
    def confined(self) -> bool:
        """Return whether bots run in their own namespaces."""
        return self.tools.bwrap is not None

    def missing_for_untrusted(self) -> tuple[str, ...]:
        """Return the missing layers without which untrusted bots must not run."""
        return tuple(layer for layer in NEEDED_FOR_STRANGERS if layer not in self.layers)

    def wrap(self, command: Sequence[str], folder: str, limits: Limits, *, writable: bool = False) -> Wrapped:
        """Return the command as it must be run. `folder` is its working folder, read-only unless `writable`.

        Raises `ArenaFault` if the bots' user cannot read the folder.
        """
        uid = self._uid()
        if uid is not None and writable:
            _give(folder, uid)
        folder, copy = (reachable(folder, uid), None) if uid is not None and writable else self._shown(folder, uid)
        if self.confined:
            wrapped = self._namespaces(command, folder, limits, uid, writable)
        else:
            wrapped = self._bare(command, folder, limits, uid)
        wrapped.copy = copy
        wrapped.ledger, wrapped.runs_as = self.ledger, os.geteuid() if uid is None else uid
        return wrapped

    def _shown(self, folder: str, uid: int | None) -> tuple[str, str | None]:
        """Return a path by which the bot can read its folder, and the copy of this start, if there is one.

        Without namespaces a bot sees what its user may see. So it gets a copy: it cannot change its stored files, and
        no other user, and so no other bot, can read them.
        """
        if uid is None:
            stored = not self.confined and os.geteuid() != 0 and os.access(folder, os.W_OK)
            return _copy(folder, None) if stored else (folder, None)
        if is_open(folder, uid):
            return folder, None
        if self.confined:
            with contextlib.suppress(ArenaFault):  # a container may permit no mounts
                return reachable(folder, uid), None
        return _copy(folder, uid)

    def _uid(self) -> int | None:
        # Use a new user for each start, so that without namespaces bots cannot signal each other. The pid spreads the
        # users over the workers.
        return self.uids[(os.getpid() * 31 + next(_launches)) % len(self.uids)] if self.uids else None

    def _namespaces(
        self, command: Sequence[str], folder: str, limits: Limits, uid: int | None, writable: bool
    ) -> Wrapped:
        bwrap, prlimit = self.tools.bwrap, self.tools.prlimit
        assert bwrap is not None
        status, status_end = os.pipe2(os.O_CLOEXEC)
        passed = [status_end]
        arguments: list[str] = []
        if uid is not None and self.tools.setpriv is not None:
            arguments += drop_to(self.tools.setpriv, uid)
        arguments += [bwrap, *_NAMESPACES]
        arguments += mount_arguments(
            folder,
            engine=self._engine(uid),
            runtimes=self.runtimes,
            scratch_mb=limits.scratch_mb,
            uid=uid,
            writable=writable,
        )
        arguments += ["--chdir", "/bot", "--clearenv"]
        for name, value in _environment("/tmp", "/arena").items():  # noqa: S108 (inside the sandbox)
            arguments += ["--setenv", name, value]
        arguments += ["--json-status-fd", str(status_end)]
        if self.seccomp:
            # Create a new file for each start: after one read, a descriptor is at the end of its file.
            filter_file = os.memfd_create("filter", os.MFD_CLOEXEC)
            os.write(filter_file, self.seccomp)
            os.lseek(filter_file, 0, os.SEEK_SET)
            passed.append(filter_file)
            arguments += ["--seccomp", str(filter_file)]
        arguments.append("--")
        if prlimit is not None:
            arguments += limited(prlimit, limits, limits.processes)
        return Wrapped(
            arguments=[*arguments, *command],
            environment={},  # a bot might find and read even the environment of bwrap itself
            pass_descriptors=tuple(passed),
            status_descriptor=status,
            sealed=bool(self.seccomp),
            enclosure=self.cgroups.make(limits),
            uid=uid if self.tools.setpriv is None else None,
        )

    def _bare(self, command: Sequence[str], folder: str, limits: Limits, uid: int | None) -> Wrapped:
        arguments: list[str] = []
        if self.tools.setpriv is not None:
            arguments += [self.tools.setpriv] if uid is None else drop_to(self.tools.setpriv, uid)
            # The bot dies with its worker, even if the worker is killed. Otherwise a frozen bot would never end.
            arguments += ["--no-new-privs", "--pdeathsig", "KILL", "--"]
        if self.tools.prlimit is not None:
            processes = limits.processes if uid is not None else self.process_room
            arguments += limited(self.tools.prlimit, limits, processes)
        if not arguments:
            # A command that cannot be run must fail as a process, as with the other tools, and not in the arena.
            arguments += ["/bin/sh", "-c", 'exec "$0" "$@"']
        scratch = home = make_scratch()
        if uid is not None:
            os.chown(scratch, uid, uid)
            home = reachable(scratch, uid)
        engine = self.engine_folder
        if engine is not None and uid is not None:
            engine = reachable(engine, uid)
        return Wrapped(
            arguments=[*arguments, *command],
            environment=_environment(home, engine),
            folder=folder,
            scratch=scratch,
            enclosure=self.cgroups.make(limits),
            uid=uid if self.tools.setpriv is None else None,
        )

    def _engine(self, uid: int | None) -> str:
        engine = str(Path(self.engine_folder) / "engine") if self.engine_folder else _own_engine()
        return engine if uid is None else reachable(engine, uid)


NEEDED_FOR_STRANGERS: Final = (
    "namespaces",
    "no-network",
    "seccomp",
    "unprivileged",
    "memory-limit",
    "process-limit",
)

# Without --cap-drop, the bots of root would keep all capabilities. --as-pid-1 keeps bwrap's own process out of the
# bot's /proc. --new-session gives the bot its own process group.
_NAMESPACES: Final = (
    "--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup",
    "--hostname", "bot", "--die-with-parent", "--as-pid-1", "--new-session", "--cap-drop", "ALL",
)  # fmt: skip


def _environment(home: str, engine: str | None) -> dict[str, str]:
    """Return the complete environment of a bot."""
    variables = {
        "PATH": BOT_PATH,
        "HOME": home,
        "LANG": "C.UTF-8",
        "PYTHONUNBUFFERED": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    if engine is not None:
        variables["PYTHONPATH"] = engine
    return variables


def drop_to(setpriv: str, uid: int) -> list[str]:
    """Return arguments that make the rest of a command line run as this user and group, with no other groups."""
    return [setpriv, "--reuid", str(uid), "--regid", str(uid), "--clear-groups"]


def limited(prlimit: str, limits: Limits, processes: int) -> list[str]:
    """Return arguments that put the rest of a command line under these limits. 0 `processes` means no process limit.

    A program sets the limits, not the arena after the start, because root without CAP_SYS_RESOURCE may not limit
    another user's process. It runs inside the namespaces, where the kernel counts the processes of each bot separately.
    """
    arguments = [
        prlimit,
        f"--data={limits.memory_mb << 20}",
        f"--as={max(ADDRESS_SPACE_MB, limits.memory_mb) << 20}",
        f"--nofile={limits.open_files}",
        f"--fsize={limits.file_mb << 20}",
        "--core=0",
    ]
    if processes:
        arguments.append(f"--nproc={processes}")
    return [*arguments, "--"]


def _own_engine() -> str:
    import engine

    return str(Path(engine.__file__).parent)


def _give(folder: str, uid: int) -> None:
    os.chown(folder, uid, uid)
    for parent, folders, files in os.walk(folder):
        for name in (*folders, *files):
            os.chown(Path(parent, name), uid, uid, follow_symlinks=False)


def _copy(folder: str, uid: int | None) -> tuple[str, str]:
    """Copy a folder for one start. Return the copy, and the folder around it, which only this user may enter."""
    place = make_scratch()
    target = Path(place, "bot")
    shutil.copytree(folder, target, symlinks=True)
    if uid is None:
        for parent, _, _ in os.walk(target):
            Path(parent).chmod(0o500)
        return str(target), place
    os.chown(place, -1, uid)
    Path(place).chmod(0o710)
    return str(Path(reachable(tempfile.gettempdir(), uid), Path(place).name, "bot")), place


def copy_engine(folder: str | os.PathLike[str]) -> str:
    """Copy the package `engine` of this installation into the folder, for `Sandbox.engine_folder`. Return the folder.

    The folder is created if missing, and all users may read it. An up-to-date copy is left unchanged; any other copy
    is replaced.
    """
    Path(folder).mkdir(parents=True, exist_ok=True)
    Path(folder).chmod(0o755)
    target = Path(folder) / "engine"
    source = Path(_own_engine())
    wanted = {path.relative_to(source): path.stat().st_mtime_ns for path in source.rglob("*") if _copied(path)}
    if target.is_dir():
        found = {path.relative_to(target): path.stat().st_mtime_ns for path in target.rglob("*") if _copied(path)}
        if found == wanted:
            return str(folder)
        shutil.rmtree(target)
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    return str(folder)


def _copied(path: Path) -> bool:
    return path.is_file() and "__pycache__" not in path.parts
