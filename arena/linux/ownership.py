"""Who could change what lies at a path: its owner, whoever may write it, and whoever may exchange a folder above it."""

from __future__ import annotations

import grp
import os
import pwd
import stat
from pathlib import Path
from typing import Final

_OVERFLOW_UID: Final = 65534
"""How the kernel shows a user who does not exist in this user namespace."""
_ACCESS_LIST: Final = "system.posix_acl_access"


def exposure(path: Path) -> str | None:
    """Return why somebody besides the caller and root could change what lies at this path, as a clause; None if nobody.

    Links are followed, and every folder above the real place is looked at too: whoever can rename one of them can put
    something else in the place. A path that does not exist yet is judged by the folders above it.
    """
    real = Path(os.path.realpath(path))
    try:
        found = [(place, status) for place in (real, *real.parents) if (status := _look(place)) is not None]
    except OSError as error:
        return f"{error.filename or real} cannot be looked at ({error.strerror})"
    for place, status in found:
        if stat.S_ISLNK(status.st_mode):
            return f"{place} is a symbolic link that leads nowhere"
        above = place != real
        if status.st_uid not in (os.geteuid(), 0) and not (above and _is_unmapped(status.st_uid)):
            return f"{place} belongs to {user_name(status.st_uid)}, and you are {user_name(os.geteuid())}"
        # In a folder such as /tmp everybody may write, but rename and remove only what is their own.
        kept_apart = above and status.st_mode & stat.S_ISVTX
        if _others_write(place, status) and not kept_apart:
            return f"{place} can be written by others (mode {stat.S_IMODE(status.st_mode):o})"
    return None


def user_name(uid: int) -> str:
    """The name of a user for a message, else the number."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"


def _look(place: Path) -> os.stat_result | None:
    try:
        return place.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None


def _others_write(place: Path, status: os.stat_result) -> bool:
    if status.st_mode & 0o002:
        return True
    if not status.st_mode & 0o020:
        return False
    # With an access list the bits of the group are those of everybody who is named in it.
    return _has_access_list(place) or not _is_private(status.st_gid)


def _has_access_list(place: Path) -> bool:
    try:
        return _ACCESS_LIST in os.listxattr(place)
    except OSError:
        return False  # a file system without such lists


def _is_private(gid: int) -> bool:
    """Whether this is the group of the caller alone, as many systems give to each user, or root's."""
    if gid == 0:
        return True
    try:
        caller, group = pwd.getpwuid(os.geteuid()), grp.getgrgid(gid)
    except KeyError:
        return False
    return gid == caller.pw_gid and group.gr_name == caller.pw_name and set(group.gr_mem) <= {caller.pw_name}


def _is_unmapped(uid: int) -> bool:
    """Whether this stands for users outside of a user namespace: there `/` itself belongs to nobody known."""
    if uid != _OVERFLOW_UID:
        return False
    try:
        spans = [list(map(int, line.split())) for line in Path("/proc/self/uid_map").read_text().splitlines()]
    except (OSError, ValueError):
        return False
    return not any(first <= uid < first + count for first, _, count in spans)
