"""Read files that somebody names: regular files of bounded size, and nothing that blocks or never ends."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

from arena.errors import UsageError

MOST_BYTES: Final = 64 << 20
"""The most bytes of a file that a command reads: several times the longest replay."""


def read_regular(file: Path, most_bytes: int = MOST_BYTES) -> bytes:
    """Return the content of a regular file.

    Raises `UsageError`, one sentence, for a file that cannot be read, for a device, pipe or folder, and for a file
    above `most_bytes`.
    """
    try:
        # Without O_NONBLOCK, opening a named pipe would wait for a writer.
        descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as stream:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise UsageError(f"{file} cannot be read: expected a regular file")
            # One byte more than allowed shows that the file is too large, even if it grows meanwhile.
            data = stream.read(most_bytes + 1)
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {(error.strerror or str(error)).lower()}") from error
    except ValueError as error:  # a NUL in the name
        raise UsageError(f"{str(file)!r} is no name of a file") from error
    if len(data) > most_bytes:
        raise UsageError(f"{file} cannot be read: expected at most {most_bytes:,} bytes")
    return data
