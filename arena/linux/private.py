"""Folders and files that only their owner may read, whatever the umask is."""

from __future__ import annotations

import grp
import os
import stat
from pathlib import Path
from typing import Final

SHARED_MODE: Final = 0o2750
"""The mode of a folder whose files a group may read. New files in it get its group."""
_READERS: Final = stat.S_IRWXG | stat.S_IRWXO


def make_private_folder(folder: Path, mode: int = 0o700) -> None:
    """Create a folder with this mode, and its missing parents as others can enter them. Keep one that exists."""
    if folder.is_dir():
        return
    for missing in reversed([place for place in folder.parents if not place.is_dir()]):
        missing.mkdir(mode=0o755, exist_ok=True)
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        if not folder.is_dir():
            raise
    else:
        folder.chmod(mode)


def open_private(path: str | os.PathLike[str], flags: int) -> int:
    """Open a file, as the `opener` of `open`. A new file can be read by its owner, and by the group of a shared folder.

    In a folder of mode `SHARED_MODE` the group of the folder may read it.
    """
    descriptor = os.open(path, flags, 0o600)
    if flags & os.O_CREAT and os.fstat(descriptor).st_size == 0 and is_shared(Path(path).parent):
        os.fchmod(descriptor, 0o640)
    return descriptor


def is_shared(folder: Path) -> bool:
    """Return whether new files of this folder are for its group."""
    return stat.S_IMODE(folder.stat().st_mode) & 0o2077 == SHARED_MODE & 0o2077


def others_read(path: Path, group: int | None = None) -> bool:
    """Return whether users other than the owner and the members of `group` may read or enter the path."""
    found = path.stat()
    readers = found.st_mode & _READERS
    return bool(readers & ~stat.S_IRWXG) or bool(readers & stat.S_IRWXG and found.st_gid != group)


def group_name(gid: int) -> str:
    """Return the name of a group for a message, or its number."""
    try:
        return grp.getgrgid(gid).gr_name
    except KeyError:
        return str(gid)
