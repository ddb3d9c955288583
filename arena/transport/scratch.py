"""Scratch folders of unconfined bots: made in the host's folder for temporary files, where others may write too.

Their names say which process made them. Nothing else is taken for one: a link, a folder of another user, or a folder
somewhere else stays as it is, whatever asks for its removal.
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

from arena.linux.stale import living

PREFIX: Final = "arena-scratch-"
_NAME: Final = re.compile(rf"{PREFIX}([1-9][0-9]{{0,9}})-[A-Za-z0-9_]{{4,16}}")
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def make_scratch() -> str:
    """Make a scratch folder of this process, which only its owner may enter."""
    return tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-")


def is_scratch_name(name: str, owner: int) -> bool:
    """Whether `make_scratch` could have given that name in the process of that number."""
    found = _NAME.fullmatch(name)
    return found is not None and int(found[1]) == owner


def remove_scratch(path: Path, owner: int, users: Container[int] = ()) -> bool:
    """Remove a scratch folder that the process `owner` made; gives whether this was one, and nothing happens if not.

    It must lie in this command's own folder for temporary files, be no link, and belong to the caller or, where root
    calls, to one of these users.
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
    """Remove a folder that a bot has filled, however deep; what cannot be removed stays, and nothing is raised.

    By descriptors: a link that comes meanwhile is not followed. Each folder inside is first moved to the top, since a
    bot can nest more of them than calls may be nested here, or files be open.
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
    """Remove this folder of the top; gives those that were in it, which now are at the top."""
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
    """Remove what is no folder, and move to the top what is one; gives their new names."""
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
    """Remove the scratch folders of arenas that live no more."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        found = _NAME.fullmatch(folder.name)
        if found is not None and living(int(found[1])) is None:
            remove_scratch(folder, int(found[1]), users)
