"""Running what makes a submission ready to play: its own build command, and compiling its Python files."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from arena.errors import SubmissionRefused
from arena.runtimes import BOT_PATH

_KEPT_BYTES = 32_768
_QUOTED_LINES = 12


@dataclass(frozen=True, slots=True)
class Build:
    """One command to run in a writable copy of a submission."""

    command: tuple[str, ...]
    folder: Path
    limit_s: float = 120.0
    must_succeed: bool = True


def run_build(build: Build) -> bytes:
    """Run the command to its end and return what it printed (the last 32 KiB).

    Raises `SubmissionRefused` with the last lines of that when it fails or takes too long. No process of it is left.
    """
    environment = {
        "PATH": BOT_PATH,
        "HOME": str(build.folder),
        "LANG": "C.UTF-8",
        "TMPDIR": str(build.folder),
        "GOCACHE": str(build.folder / ".gocache"),
    }
    try:
        process = subprocess.Popen(
            build.command,
            cwd=build.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # one signal then ends the compiler and all its helpers
        )
    except OSError as error:
        raise SubmissionRefused(f"the build command {build.command[0]!r} cannot be run: {error.strerror}") from error
    assert process.stdout is not None
    try:
        printed, in_time = _read_until(process.stdout, time.monotonic() + build.limit_s)
        if in_time:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(5.0)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.stdout.close()
        status = process.wait()
    if build.must_succeed and not in_time:
        raise SubmissionRefused(f"the build took longer than {build.limit_s:g} s and was stopped{_tail(printed)}")
    if build.must_succeed and status != 0:
        raise SubmissionRefused(f"the build failed with exit status {status}{_tail(printed)}")
    return printed


def _read_until(stream: IO[bytes], deadline: float) -> tuple[bytes, bool]:
    """The last bytes of the stream, and whether it ended before the deadline."""
    kept = b""
    descriptor = stream.fileno()
    with selectors.DefaultSelector() as selector:
        selector.register(descriptor, selectors.EVENT_READ)
        while (left := deadline - time.monotonic()) > 0:
            if selector.select(left):
                chunk = os.read(descriptor, 65_536)
                if not chunk:
                    return kept, True
                kept = (kept + chunk)[-_KEPT_BYTES:]
    return kept, False


def _tail(printed: bytes) -> str:
    lines = printed.decode(errors="backslashreplace").splitlines()[-_QUOTED_LINES:]
    shown = ["".join(c if c.isprintable() or c == "\t" else ascii(c)[1:-1] for c in line)[:200] for line in lines]
    return ", after printing:" + "".join(f"\n  {line}" for line in shown) if shown else ", without printing anything"
