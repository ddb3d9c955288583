"""Find out which users could change a path: its owner, users who may write it, and users who may replace a parent."""

from __future__ import annotations

import grp
import os
import pwd
import stat
from pathlib import Path
from typing import Final

_OVERFLOW_UID: Final = 65534
"""Id by which the kernel shows a user who does not exist in this user namespace."""
_ACCESS_LIST: Final = "system.posix_acl_access"


def exposure(path: Path) -> str | None:
    """Return why users other than the caller and root could change this path, as a clause; None if they cannot.

    Links are followed. Every folder above the real path is checked too, because a user who can rename such a folder can
    replace the path. For a path that does not exist, only the existing folders above it are checked.
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
        # In a folder such as /tmp, all users may create files, but may rename and remove only their own files.
        kept_apart = above and status.st_mode & stat.S_ISVTX
        if _others_write(place, status) and not kept_apart:
            return f"{place} can be written by others (mode {stat.S_IMODE(status.st_mode):o})"
    return None


def user_name(uid: int) -> str:
    """Return the name of a user for a message, or the number if there is no name."""
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
    # With an access list, the group bits are the maximum for all users and groups that it names.
    return _has_access_list(place) or not _is_private(status.st_gid)


def _has_access_list(place: Path) -> bool:
    try:
        return _ACCESS_LIST in os.listxattr(place)
    except OSError:
        return False  # a file system without such lists


def _is_private(gid: int) -> bool:
    """Return whether this group is root's, or contains only the caller, as many systems create it for each user."""
    if gid == 0:
        return True
    try:
        caller, group = pwd.getpwuid(os.geteuid()), grp.getgrgid(gid)
    except KeyError:
        return False
    return gid == caller.pw_gid and group.gr_name == caller.pw_name and set(group.gr_mem) <= {caller.pw_name}


def _is_unmapped(uid: int) -> bool:
    """Return whether this id represents users outside of the user namespace, who may own `/` itself."""
    if uid != _OVERFLOW_UID:
        return False
    try:
        spans = [list(map(int, line.split())) for line in Path("/proc/self/uid_map").read_text().splitlines()]
    except (OSError, ValueError):
        return False
    return not any(first <= uid < first + count for first, _, count in spans)
