"""Scratch folders of bots without a sandbox, in the host's folder for temporary files, where others may write too.

The name of a scratch folder contains the mark of the process that created it (`arena.linux.stale`). The arena never
removes anything else: not a link, a folder of another user, or a folder in another place.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import stat
import tempfile
from collections.abc import Container
from pathlib import Path
from typing import Final

from arena.linux.stale import MARK, is_abandoned, owner_mark

PREFIX: Final = "arena-scratch-"
_NAME: Final = re.compile(rf"{PREFIX}({MARK})-[A-Za-z0-9_]{{4,16}}")
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def make_scratch() -> str:
    """Create a scratch folder of this process, which only its owner may enter, and return its path."""
    return tempfile.mkdtemp(prefix=f"{PREFIX}{owner_mark()}-")


def is_scratch_name(name: str, owner: str) -> bool:
    """Return whether `make_scratch` could have chosen this name in the process with the mark `owner`."""
    found = _NAME.fullmatch(name)
    return found is not None and found[1] == owner


def remove_scratch(path: Path, owner: str, users: Container[int] = ()) -> bool:
    """Remove a scratch folder that the process with the mark `owner` created.

    Return whether the path was such a folder. Otherwise nothing changes. A scratch folder is in this command's own
    folder for temporary files, is not a link, and belongs to the caller or, if root calls, to one of these users.
    """
    place = Path(tempfile.gettempdir()).resolve()
    if not is_scratch_name(path.name, owner) or path.parent.resolve() != place:
        return False
    try:
        status = (place / path.name).lstat()
    except OSError:
        return False
    own = status.st_uid == os.geteuid() or (os.geteuid() == 0 and status.st_uid in users)
    if not stat.S_ISDIR(status.st_mode) or not own:
        return False
    remove_tree(place / path.name)
    return True


def remove_tree(folder: str | os.PathLike[str]) -> None:
    """Remove a folder that a bot has filled, with any depth. Files that cannot be removed stay; nothing is raised.

    Folders are opened by descriptors, so a link that appears meanwhile is not followed. Each inner folder is first
    moved to the top, because a bot can nest folders deeper than the limits of recursion and of open files allow.
    """
    with contextlib.suppress(OSError):
        top = os.open(folder, _FOLDER)
        try:
            waiting = _strip(top, top)
            while waiting:
                waiting += _remove_inner(waiting.pop(), top)
        finally:
            os.close(top)
        Path(folder).rmdir()


def _remove_inner(name: str, top: int) -> list[str]:
    """Remove this folder of the top. Return the names of its folders, which are at the top now."""
    moved: list[str] = []
    with contextlib.suppress(OSError):
        descriptor = os.open(name, _FOLDER, dir_fd=top)
        try:
            moved = _strip(descriptor, top)
        finally:
            os.close(descriptor)
        os.rmdir(name, dir_fd=top)
    return moved


def _strip(folder: int, top: int) -> list[str]:
    """Remove the files of a folder and move its folders to the top. Return the new names of the folders."""
    moved = []
    with os.scandir(folder) as entries:
        found = list(entries)
    for entry in found:
        with contextlib.suppress(OSError):
            if not entry.is_dir(follow_symlinks=False):
                os.unlink(entry.name, dir_fd=folder)
                continue
            if os.geteuid() != 0:
                os.chmod(entry.name, 0o700, dir_fd=folder)
            name = secrets.token_hex(8)
            os.rename(entry.name, name, src_dir_fd=folder, dst_dir_fd=top)
            moved.append(name)
    return moved


def sweep_scratch(users: Container[int] = ()) -> None:
    """Remove the scratch folders of arena processes that no longer run.

    A folder of another boot or pid namespace is removed if it has not changed for a day.
    """
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        found = _NAME.fullmatch(folder.name)
        with contextlib.suppress(OSError):
            # No bot can choose when its folder last changed in this sense.
            if found is not None and is_abandoned(found[1], folder.lstat().st_ctime):
                remove_scratch(folder, found[1], users)
