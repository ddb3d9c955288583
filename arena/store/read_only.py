"""Open a SQLite file to read it only, so that no file is created: another user's file, a backup, a read-only medium.

The file may come from somebody else. So its schema may call no function that has effects, and a pipe or a device in its
place is refused.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from pathlib import Path
from urllib.parse import quote

from arena.errors import StoreError

PRAGMAS = ("query_only=ON", "trusted_schema=OFF", "cell_size_check=ON")
"""The settings of a connection that only reads."""


class ReadOnlyFile:
    """A SQLite file, and the way in which it can be read here. Raises `StoreError` if it cannot be read."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._log, self._index, journal = (file.with_name(f"{file.name}{end}") for end in ("-wal", "-shm", "-journal"))
        if not _is_there(file):
            raise StoreError(f"there is no database {file}: `arena submit` creates it")
        log = _is_there(self._log) and self._log.stat().st_size > 0
        for path in (self._index, journal):
            _is_there(path)
        own = file.stat().st_uid == os.geteuid()
        if own and os.access(file, os.W_OK) and os.access(file.parent, os.W_OK):
            self._how = "mode=rw"  # as a writer does: otherwise SQLite would leave an empty log behind
        elif not log:
            self._how = "mode=ro&immutable=1"  # the only way to read without an index of the log
        elif self._index.exists():
            self._how = "mode=ro"
        else:
            raise StoreError(
                f"the newest part of the database {file} is in {self._log}, which cannot be read without {self._index}:"
                " copy the home to a folder of your own, and name the copy by ARENA_HOME"
            )
        self._before = self._state()

    def connect(self, busy_timeout_s: float) -> sqlite3.Connection:
        """Return a new connection."""
        uri = f"file:{quote(str(self._file))}?{self._how}"
        return sqlite3.connect(uri, uri=True, timeout=busy_timeout_s, check_same_thread=False)

    def check(self) -> None:
        """Raise `StoreError` if somebody wrote to a file that SQLite was told would not change."""
        if "immutable" in self._how and self._state() != self._before:
            raise StoreError(f"the database {self._file} was changed while it was read: try again")

    def _state(self) -> list[tuple[int, int, int] | None]:
        return [_identity(path) for path in (self._file, self._log)]


def _is_there(path: Path) -> bool:
    """Return whether the file exists. Raises `StoreError` for anything that is not a regular, readable file."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return False
    except OSError as error:
        raise StoreError(f"the database {path} cannot be read: {(error.strerror or str(error)).lower()}") from error
    if not stat.S_ISREG(mode):
        raise StoreError(f"{path} is no database of the arena: expected a regular file")
    if not os.access(path, os.R_OK):
        raise StoreError(
            f"the database {path} cannot be read: permission denied: its owner can run `arena home share --group G`"
        )
    return True


def _identity(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
