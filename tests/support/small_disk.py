"""A small disk for a test to fill, which goes away with the test however that ends."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

PATIENCE_S = 60
# What it is told to wait for is the end of its input: it comes also when the test is ended by SIGKILL.
GUARD = """
mount -t tmpfs -o "nosuid,nodev,mode=755,size=$2" small-disk "$1" || exit
printf +
cat
umount "$1" || umount -l "$1"
"""


@contextlib.contextmanager
def small_disk(folder: Path, size: int) -> Iterator[bool]:
    """A new folder, with a file system of that many bytes of its own where this user may mount one; whether it has it.

    Afterwards nothing is mounted there.
    """
    folder.mkdir()
    guard = subprocess.Popen(
        ["sh", "-c", GUARD, "sh", str(folder), str(size)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # a Ctrl-C is for the test alone
        bufsize=0,
    )
    assert guard.stdout is not None
    try:
        yield guard.stdout.read(1) == b"+"
    finally:
        guard.communicate(timeout=PATIENCE_S)
        assert not folder.is_mount(), f"{folder} is still mounted"


def fill(file: Path, left: int) -> None:
    """Write this file until there is no space any more, then give so many bytes back."""
    with file.open("wb", buffering=0) as filler:
        with contextlib.suppress(OSError):
            while filler.write(bytes(1 << 16)):
                pass
        size = filler.tell()
        os.ftruncate(filler.fileno(), max(size - left, 0))
