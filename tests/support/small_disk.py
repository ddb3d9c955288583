"""A small disk that a test can fill; it is removed with the test, even if the test is killed."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

PATIENCE_S = 60
# The script waits for the end of its input, which also comes if the test is killed by SIGKILL.
GUARD = """
mount -t tmpfs -o "nosuid,nodev,mode=755,size=$2" small-disk "$1" || exit
printf +
cat
umount "$1" || umount -l "$1"
"""


@contextlib.contextmanager
def small_disk(folder: Path, size: int) -> Iterator[bool]:
    """Create a folder, and yield whether it has its own file system of this size.

    It has one if this user may mount file systems. Afterwards the file system is unmounted.
    """
    folder.mkdir()
    guard = subprocess.Popen(
        ["sh", "-c", GUARD, "sh", str(folder), str(size)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C must reach only the test
        bufsize=0,
    )
    assert guard.stdout is not None
    try:
        yield guard.stdout.read(1) == b"+"
    finally:
        guard.communicate(timeout=PATIENCE_S)
        assert not folder.is_mount(), f"{folder} is still mounted"


def fill(file: Path, left: int) -> None:
    """Write this file until the disk is full, then free this number of bytes."""
    with file.open("wb", buffering=0) as filler:
        with contextlib.suppress(OSError):
            while filler.write(bytes(1 << 16)):
                pass
        size = filler.tell()
        os.ftruncate(filler.fileno(), max(size - left, 0))
