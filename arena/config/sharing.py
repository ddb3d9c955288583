"""Permissions of a home. By default only the owner can read it. The owner can let one group read the results.

A group gets the database and the settings. The files of bots, logs, locks and sockets stay private.
"""

from __future__ import annotations

import grp
import os
from pathlib import Path
from typing import Final

from arena.config.home import SETTINGS_FILE, Home
from arena.config.settings import DATABASE_FILE
from arena.errors import StoreError, UsageError
from arena.linux.private import SHARED_MODE, group_name, open_private, others_read

RECORD: Final = "home.shared"
"""The file in a home that contains the number of the group that may read it."""
_DATABASE: Final = tuple(f"{DATABASE_FILE}{end}" for end in ("", "-wal", "-shm"))


def shared_with(home: Home) -> int | None:
    """Return the group with which the owner shares the home; None if the home is private."""
    try:
        return int((home.folder / RECORD).read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None


def readable_part(home: Home) -> Path | None:
    """Return a part of an existing home that others may read although it is not shared with them; None if none is."""
    group = shared_with(home)
    if not others_read(home.folder, group):
        return None
    parts = [home.folder, home.database_file, home.bots, home.logs, home.run]
    return next((part for part in parts if part.exists() and others_read(part, group)), None)


def share(home: Home, group: str) -> list[Path]:
    """Let the members of a group read the results. Return the folders above the home that they cannot enter.

    Raises `UsageError` for an unknown group, and `StoreError` if the owner may not give files to it.
    """
    gid = _group(group)
    _set(home, gid, SHARED_MODE, 0o640)
    with open(home.folder / RECORD, "w", encoding="ascii", opener=open_private) as file:
        file.write(f"{gid}\n")
    return [place for place in home.folder.parents if not place.stat().st_mode & 0o001 and place.stat().st_gid != gid]


def make_private(home: Home) -> None:
    """Close the home and all its parts to other users. Raises `StoreError` if that fails."""
    (home.folder / RECORD).unlink(missing_ok=True)
    _set(home, home.folder.stat().st_gid if home.folder.stat().st_uid != os.geteuid() else os.getegid(), 0o700, 0o600)


def _set(home: Home, gid: int, folder_mode: int, file_mode: int) -> None:
    """Set the group and modes of a home, and close all its other parts."""
    closed = [home.logs, home.run, home.started, home.folder / "comparisons"]
    files = [home.folder / name for name in (*_DATABASE, SETTINGS_FILE)]
    parts = [(path, 0o700) for path in closed] + [(path, file_mode) for path in files] + [(home.bots, home.bots_mode)]
    try:
        # First close the whole home, and open it again only after its parts have their modes. So no part of it can be
        # read too early.
        for path, mode in [(home.folder, 0o700), *parts, (home.folder, folder_mode)]:
            if path.exists() and not path.is_symlink():
                os.chown(path, -1, gid)
                path.chmod(mode)
        for copy in home.folder.glob(f"{DATABASE_FILE}.before-*"):
            copy.chmod(0o600)
    except OSError as error:
        raise StoreError(
            f"the home cannot be given to the group {group_name(gid)}: {(error.strerror or str(error)).lower()}"
            f" ({error.filename}); expected a group of your own"
        ) from error


def _group(name: str) -> int:
    try:
        return int(name) if name.isascii() and name.isdigit() and len(name) < 10 else grp.getgrnam(name).gr_gid
    except KeyError as error:
        raise UsageError(f"there is no group {name!r} on this host") from error
