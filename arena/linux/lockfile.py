"""A lock file that one process at a time can hold. The kernel releases the lock when that process dies."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from arena.errors import ArenaError, StoreError


class FileLock:
    """A lock that is held."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def give_up(self) -> None:
        """Close the descriptor in a forked worker, where its copy would hold the lock for the worker's whole life."""
        os.close(self._descriptor)


@contextlib.contextmanager
def file_lock(file: Path, refusal: Callable[[str], ArenaError]) -> Iterator[FileLock]:
    """Hold the lock of this file. The file is created if missing, and contains the id of the process that holds it.

    If another process holds the lock, raise the error that `refusal` makes from `process ID`. Raises `StoreError` if
    the file cannot be created.
    """
    try:
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StoreError(f"the lock {file} cannot be created: {error.strerror}") from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.pread(descriptor, 20, 0).decode("ascii", "replace").strip() or "unknown"
            raise refusal(f"process {holder}") from error
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield FileLock(descriptor)
    finally:
        os.close(descriptor)
