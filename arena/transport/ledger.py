"""Which programs of strangers run now, written down for the next command in case this one is killed.

A sandbox dies with the arena. What runs without one does not, or not all of it: a helper that left its process group is
tied to nobody. So each start is a small file in the arena's home (who started it, what was started, each with its
start time, since numbers of processes come again), removed after the end. `sweep` ends what is left of files whose
writer lives no more.
"""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import signal
from pathlib import Path
from typing import Final

from arena.process_status import ProcessStatus, all_processes, has_ended, status_of

_ROUNDS: Final = 50
"""A process that forks for ever is ended in a few rounds, each of which finds fewer."""
_GONE_S: Final = 10.0


def note(folder: str, pid: int, scratch: str | None, home: str | None) -> Path | None:
    """Write down that this process started that one, with its scratch folder and by what name the bot knows that.

    The file is to be removed after its end.

    None where it cannot be written, or where the process is gone already: the match goes on all the same.
    """
    started = _look(pid)
    if started is None:
        return None
    entry = Path(folder, f"{os.getpid()}.{_own_start(os.getpid())}.{pid}.{started.started}")
    try:
        entry.write_text(f"{_boot()}\n{scratch or ''}\n{home or ''}\n")
    except OSError:
        return None
    return entry


def forget(entry: Path) -> None:
    """Remove it again."""
    with contextlib.suppress(OSError):
        entry.unlink()


def sweep(folder: Path) -> int:
    """End what killed commands left behind, remove its scratch folders and its entries; how many processes it were."""
    if not folder.is_dir():
        return 0
    ended = 0
    for entry in sorted(folder.iterdir()):
        try:
            owner, owner_started, pid, started = map(int, entry.name.split("."))
            # A writer that was killed meanwhile may have left less, or nothing.
            boot, scratch, home = [*entry.read_text().split("\n"), "", "", ""][:3]
        except (OSError, ValueError):
            continue  # just removed, or nothing of ours
        writer = _look(owner)
        if boot in ("", _boot()):
            if writer is not None and writer.started == owner_started:
                continue
            ended += _end_all(pid, started, home)
        if scratch:
            shutil.rmtree(scratch, ignore_errors=True)
        forget(entry)
    return ended


def _end_all(leader: int, started: int, home: str) -> int:
    """SIGKILL to the started program, its session, its descendants, and whatever has its scratch folder as a home."""
    ended: set[tuple[int, int]] = set()
    deaf = {os.getpid()}
    """Those that no SIGKILL has ended in time: they are not waited for again."""
    for _ in range(_ROUNDS):
        found = [process for process in _left(leader, started, home) if process.pid not in deaf]
        if not found:
            break
        for process in found:
            if _kill(process):
                ended.add((process.pid, process.started))
            elif _look(process.pid) is not None:
                deaf.add(process.pid)
    return len(ended)


def _left(leader: int, started: int, home: str) -> list[ProcessStatus]:
    processes = {process.pid: process for process in all_processes() if process.state not in "ZX"}
    first = processes.get(leader)
    mine = set()
    if first is None or first.started == started:
        # A number is not used again while it names a session, so its members are those of the program.
        mine = {pid for pid, process in processes.items() if process.session == leader and process.started >= started}
    if home:
        mark = b"\0HOME=" + os.fsencode(home) + b"\0"
        mine |= {pid for pid in processes if pid not in mine and mark in _environment(pid)}
    while True:
        more = {pid for pid, process in processes.items() if process.parent in mine} - mine
        if not more:
            return [processes[pid] for pid in sorted(mine)]
        mine |= more


def _kill(process: ProcessStatus) -> bool:
    """Kill exactly this process, and wait until it is gone; whether that was possible."""
    try:
        handle = os.pidfd_open(process.pid)
    except OSError:
        return False
    try:
        found = _look(process.pid)
        if found is None or found.started != process.started:
            return False
        signal.pidfd_send_signal(handle, signal.SIGKILL)
        return has_ended(handle, _GONE_S)
    except OSError:
        return False
    finally:
        os.close(handle)


def _look(pid: int) -> ProcessStatus | None:
    """None if it is gone, or dead and only waits to be reaped."""
    status = status_of(pid)
    return None if status is None or status.state in "ZX" else status


def _environment(pid: int) -> bytes:
    try:
        return b"\0" + Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""


@functools.lru_cache(maxsize=1)
def _own_start(pid: int) -> int:
    own = _look(pid)
    return own.started if own is not None else 0


@functools.cache
def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""
