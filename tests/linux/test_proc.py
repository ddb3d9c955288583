"""Tests of the state of other processes, read from the kernel each time."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.linux.proc import KeptFile, KeptProcess, status_of, threads_of

ON_ORDER = """
import os, signal, sys, threading
for line in sys.stdin:
    if line == "thread\\n": threading.Thread(target=signal.pause, daemon=True).start()
    if line == "child\\n" and os.fork() == 0: signal.pause()
    print(line, end="", flush=True)
"""


@pytest.fixture
def helper() -> Iterator[subprocess.Popen[bytes]]:
    """A process that starts a thread or a child when it is told to."""
    with subprocess.Popen(
        [sys.executable, "-c", ON_ORDER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
        start_new_session=True,
    ) as process:
        tell(process, "hello")
        yield process
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def tell(process: subprocess.Popen[bytes], order: str) -> None:
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(order.encode() + b"\n")
    assert process.stdout.readline() == order.encode() + b"\n"


def stop(process: subprocess.Popen[bytes]) -> None:
    os.kill(process.pid, signal.SIGSTOP)
    os.waitpid(process.pid, os.WUNTRACED)


def test_a_kept_process_tells_its_state_as_it_is_now(helper: subprocess.Popen[bytes]) -> None:
    """The files are opened once, and read anew each time."""
    kept = KeptProcess(helper.pid)
    stop(helper)
    assert kept.only_state() == "T"
    os.kill(helper.pid, signal.SIGCONT)
    tell(helper, "hello")
    assert kept.only_state() in ("R", "S")
    helper.kill()
    os.waitid(os.P_PID, helper.pid, os.WEXITED | os.WNOWAIT)
    assert kept.only_state() == "Z"
    helper.wait()
    assert kept.only_state() is None
    kept.close()
    kept.close()


@pytest.mark.parametrize("order", ["thread", "child"])
def test_a_process_with_company_has_no_only_state(order: str, helper: subprocess.Popen[bytes]) -> None:
    """What one thread does proves nothing about the others."""
    kept = KeptProcess(helper.pid)
    assert kept.only_state() is not None
    tell(helper, order)
    stop(helper)
    assert kept.only_state() is None
    kept.close()
    assert kept.only_state() is None


def test_a_process_that_is_gone_is_not_kept(helper: subprocess.Popen[bytes]) -> None:
    """And no descriptor stays open for it."""
    before = len(list(Path("/proc/self/fd").iterdir()))
    with pytest.raises(OSError, match="No such file"):
        KeptProcess(2**22 + 1)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_kept_file_shows_each_change(tmp_path: Path) -> None:
    file = tmp_path / "count"
    file.write_text("one")
    kept = KeptFile(file)
    assert kept.read() == b"one"
    file.write_text("other")
    assert kept.read() == b"other"
    kept.close()
    with pytest.raises(OSError, match="Bad file descriptor"):
        kept.read()


def test_threads_are_counted_and_listed(helper: subprocess.Popen[bytes]) -> None:
    status = status_of(helper.pid)
    assert status is not None and status.threads == 1
    assert threads_of(helper.pid) == [helper.pid]
    tell(helper, "thread")
    status = status_of(helper.pid)
    assert status is not None and status.threads == 2 == len(threads_of(helper.pid))
    assert threads_of(2**22 + 1) == []
    assert threading.get_native_id() in threads_of(os.getpid())
