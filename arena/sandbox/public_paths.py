"""Make folders that only root may enter accessible to the unprivileged user that bots run under.

Another user cannot open a path below root's home, whatever the mode of the folder itself. So root creates a private
mount namespace, in which such folders also appear at a public path. Processes outside the namespace do not see these
mounts. The namespace ends with its last process.
"""

from __future__ import annotations

import ctypes
import functools
import os
import stat
from pathlib import Path
from typing import Final

from arena.errors import ArenaFault

_PUBLIC: Final = Path("/run/league-arena")
_CLONE_NEWNS: Final = 0x00020000
_MS_NOSUID: Final = 2
_MS_NODEV: Final = 4
_MS_BIND: Final = 4096
_MS_REC: Final = 16384
_MS_SLAVE: Final = 1 << 19

_shown: dict[Path, Path] = {}
"""Inaccessible folder -> its public path. Forked workers inherit this dictionary and share the mount namespace."""


def reachable(folder: str, uid: int) -> str:
    """Return a path by which this user can open the folder. Raises `ArenaFault` if this host does not permit it.

    The folder itself must be readable by all users, or belong to this user.
    """
    path = Path(folder).resolve()
    if not _readable(path, uid):
        raise ArenaFault(f"bots run under a user of their own, which may not read {folder}: expected mode 755")
    closed = [ancestor for ancestor in path.parents if not _searchable(ancestor)]
    if not closed:
        return str(path)
    # All folders below the innermost inaccessible folder can be entered. Mount its child on the path.
    inner = path.relative_to(closed[0])
    top = closed[0] / inner.parts[0]
    if top not in _shown:
        _shown[top] = _show(top)
    return str(_shown[top].joinpath(*inner.parts[1:]))


def is_open(folder: str, uid: int) -> bool:
    """Return whether this user can read the folder at its own path."""
    path = Path(folder).resolve()
    return _readable(path, uid) and all(_searchable(ancestor) for ancestor in path.parents)


def _show(folder: Path) -> Path:
    try:
        _private_view()
        place = _PUBLIC / f"{os.getpid()}-{len(_shown)}"
        place.mkdir()
        _mount(str(folder), place, "", _MS_BIND | _MS_REC)  # with inner mounts, such as a disk for the home
    except OSError as error:
        raise ArenaFault(
            f"bots run under a user of their own, which cannot reach {folder} ({error.strerror}): "
            "move the arena's home to where every folder may be searched by all, for example below /var/lib"
        ) from error
    return place


@functools.cache
def _private_view() -> None:
    _PUBLIC.mkdir(mode=0o755, exist_ok=True)
    if _libc().unshare(_CLONE_NEWNS) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    # "Slave": new mounts of the host still appear here, but our mounts do not appear in the host.
    _mount("none", Path("/"), "", _MS_REC | _MS_SLAVE)
    _mount("none", _PUBLIC, "tmpfs", _MS_NOSUID | _MS_NODEV, "mode=755,size=1m")


def _mount(source: str, target: Path, kind: str, flags: int, data: str = "") -> None:
    done = _libc().mount(source.encode(), bytes(target), kind.encode(), ctypes.c_ulong(flags), data.encode())
    if done != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _searchable(folder: Path) -> bool:
    return bool(folder.stat().st_mode & stat.S_IXOTH)


def _readable(path: Path, uid: int) -> bool:
    found = path.stat()
    needed = stat.S_IRUSR | stat.S_IXUSR if found.st_uid == uid else stat.S_IROTH | stat.S_IXOTH
    return found.st_mode & needed == needed
