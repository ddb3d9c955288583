"""Folders that only root may enter, made reachable for the unprivileged user that bots run under.

A path below root's home cannot be opened by another user, whatever the mode of the folder itself. Root gives itself a
private view of the file system (a mount namespace) in which such folders also appear at a public place; nothing of it
is seen by other processes, and it is gone with this one.
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
"""Hidden folder -> where it appears; inherited by forked workers, which share the view."""


def reachable(folder: str, uid: int) -> str:
    """A path to the same folder that this user can open. Raises `ArenaFault` where this host allows none.

    The folder itself must be readable by everybody, or belong to that user.
    """
    path = Path(folder).resolve()
    if not _readable(path, uid):
        raise ArenaFault(f"bots run under a user of their own, which may not read {folder}: expected mode 755")
    closed = [ancestor for ancestor in path.parents if not _searchable(ancestor)]
    if not closed:
        return str(path)
    # Below the innermost closed folder everything can be searched; show what lies right there.
    inner = path.relative_to(closed[0])
    top = closed[0] / inner.parts[0]
    if top not in _shown:
        _shown[top] = _show(top)
    return str(_shown[top].joinpath(*inner.parts[1:]))


def _show(folder: Path) -> Path:
    try:
        _private_view()
        place = _PUBLIC / f"{os.getpid()}-{len(_shown)}"
        place.mkdir()
        _mount(str(folder), place, "", _MS_BIND | _MS_REC)  # with what is mounted below, such as a disk for the home
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
    # "Slave": mounts of the host still come in, ours do not go out.
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
