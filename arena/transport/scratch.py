"""Scratch folders of unconfined bots: made in the host's folder for temporary files, where others may write too.

Their names say which process made them. Nothing else is taken for one: a link, a folder of another user, or a folder
somewhere else stays as it is, whatever asks for its removal.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import tempfile
from collections.abc import Container
from pathlib import Path
from typing import Final

from arena.linux.stale import living

PREFIX: Final = "arena-scratch-"
_NAME: Final = re.compile(rf"{PREFIX}([1-9][0-9]{{0,9}})-[A-Za-z0-9_]{{4,16}}")


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
    shutil.rmtree(place / path.name, ignore_errors=True)  # by descriptors: a link that comes meanwhile is not followed
    return True


def sweep_scratch(users: Container[int] = ()) -> None:
    """Remove the scratch folders of arenas that live no more."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        found = _NAME.fullmatch(folder.name)
        if found is not None and living(int(found[1])) is None:
            remove_scratch(folder, int(found[1]), users)
