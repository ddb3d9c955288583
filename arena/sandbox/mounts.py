"""The mounts of the sandbox, as arguments of bubblewrap: all files that a bot sees, and where it may write."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from arena.sandbox.public_paths import reachable


def mount_arguments(
    folder: str, *, engine: str, runtimes: Sequence[str], scratch_mb: int, uid: int | None, writable: bool
) -> list[str]:
    """Return the arguments that mount everything a bot sees. The order counts: later mounts cover earlier ones.

    `folder` appears as /bot, read-only unless `writable`, and `engine` as /arena/engine. Each folder of `runtimes`
    appears at its own path. /tmp is the scratch folder, of `scratch_mb`. Raises `ArenaFault` if the user `uid` cannot
    read a runtime.
    """
    arguments = _system()
    for size_mb, place in ((16, "/dev/shm"), (scratch_mb, "/tmp")):  # noqa: S108 (inside the sandbox)
        arguments += ["--size", str(size_mb << 20), "--perms", "1777", "--tmpfs", place]
    # Give the bot no terminals: the hang-up of a terminal resumes the leader of the session.
    arguments += ["--perms", "0755", "--tmpfs", "/dev/pts", "--remount-ro", "/dev/pts"]
    # A shared mapping of /dev/zero is memory that no limit of a process counts.
    arguments += ["--dev-bind", "/dev/null", "/dev/zero"]
    arguments += _read_only(runtimes, uid)
    arguments += ["--ro-bind", engine, "/arena/engine", "--bind" if writable else "--ro-bind", folder, "/bot"]
    # Remount after all other mounts. Otherwise / and /dev would be writable without a limit, and the limit of the
    # scratch folder would mean nothing.
    return [*arguments, "--remount-ro", "/dev", "--remount-ro", "/"]


def _system() -> list[str]:
    """Return the arguments that show the host's programs and libraries read-only, and no other files of the host."""
    arguments = ["--ro-bind", "/usr", "/usr"]
    for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
        place = Path("/", name)
        if place.is_symlink():
            arguments += ["--symlink", str(place.readlink()), str(place)]
        elif place.is_dir():
            arguments += ["--ro-bind", str(place), str(place)]
    for name in ("alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d"):
        arguments += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    return [*arguments, "--proc", "/proc", "--dev", "/dev"]


def _read_only(folders: Sequence[str], uid: int | None) -> list[str]:
    """Return the arguments that show each folder read-only at its own path.

    At another path, a language runtime might load other libraries.
    """
    arguments = []
    for folder in folders:
        arguments += ["--ro-bind", folder if uid is None else reachable(folder, uid), folder]
    return arguments
