"""Which programs of strangers run now, written down for the next command in case this one is killed.

A sandbox dies with the arena. What runs without one does not, or not all of it: a helper that left its process group is
tied to nobody. So each start is a small file in the arena's home (who started it, what was started, each with its
start time, since numbers of processes come again), removed after the end. `sweep` ends what is left of files whose
writer lives no more.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import stat
import time
from pathlib import Path
from typing import Final, NamedTuple

from arena.linux.proc import ProcessStatus, all_processes, has_ended
from arena.linux.stale import ELSEWHERE_S, boot_id, living, start_of
from arena.transport.scratch import is_scratch_name, remove_scratch

_ROUNDS: Final = 50
"""A process that forks for ever is ended in a few rounds, each of which finds fewer."""
_GONE_S: Final = 10.0
_NAME: Final = re.compile(r"([0-9]{1,10})\.([0-9]{1,20})\.([0-9]{1,10})\.([0-9]{1,20})")
_PARTIAL: Final = "."
"""An entry that is just being written begins with it."""
_MOST_BYTES: Final = 16_384


def note(folder: str, pid: int, scratch: str | None, home: str | None, runs_as: int = -1) -> Path | None:
    """Write down that this process started that one, with its scratch folder and by what name the bot knows that.

    `runs_as` is the user that it will run under. The file is to be removed after its end.

    None where it cannot be written, or where the process is gone already: the match goes on all the same.
    """
    started = living(pid)
    if started is None:
        return None
    entry = Path(folder, f"{os.getpid()}.{start_of(os.getpid())}.{pid}.{started.started}")
    partial = entry.with_name(f"{_PARTIAL}{entry.name}")
    try:
        # Whole or not at all: half an entry would prove nothing, and its processes would be left.
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "w") as stream:
            stream.write(f"{boot_id()}\n{scratch or ''}\n{home or ''}\n{runs_as}\n")
        partial.rename(entry)
    except OSError:
        return None
    return entry


def forget(entry: Path) -> None:
    """Remove it again."""
    with contextlib.suppress(OSError):
        entry.unlink()


def sweep(folder: Path, since_ns: int = 0) -> int:
    """End what killed commands left behind, remove its scratch folders and its entries; how many processes it were.

    Entries that last changed before `since_ns` (as files count time) are left alone.

    Nothing happens for what does not prove itself: a folder or an entry that others could have written, a process of
    another boot, of another user or with another start time, a folder that is no scratch folder of that writer.
    """
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return 0
    try:
        if not _is_ours(os.fstat(descriptor)):
            return 0
        return sum(_sweep_entry(descriptor, name, since_ns) for name in sorted(os.listdir(descriptor)))  # noqa: PTH208
    finally:
        os.close(descriptor)


def _sweep_entry(folder: int, name: str, since_ns: int) -> int:
    numbers = _NAME.fullmatch(name.removeprefix(_PARTIAL))
    if numbers is None:
        return 0  # nothing of ours
    owner, owner_started, pid, started = map(int, numbers.groups())
    writer = living(owner)
    if writer is not None and writer.started == owner_started:
        return 0
    text = _read(folder, name, since_ns)
    if text is None:
        return 0
    boot, scratch, home, user = [*text.split("\n"), "", "", "", ""][:4]
    if boot and boot != boot_id() and not _is_old(folder, name):
        return 0  # maybe of a host that shares the home, and runs now
    users = {os.geteuid(), int(user) if user.isascii() and user.isdigit() else os.geteuid()}
    is_scratch = is_scratch_name(Path(scratch).name, owner)
    ended = 0
    # Of another boot, or without any, the numbers of processes mean nothing.
    if boot and boot == boot_id() and pid > 1 and owner_started <= started:
        known_as = home if is_scratch and Path(home).name == Path(scratch).name else ""
        ended = _end_all(_Started(pid, started, known_as, frozenset(users)))
    if is_scratch:
        remove_scratch(Path(scratch), owner, users)
    with contextlib.suppress(OSError):
        os.unlink(name, dir_fd=folder)
    return ended


def _is_old(folder: int, name: str) -> bool:
    """Whether an entry has not changed for so long that no other host is at work on it."""
    try:
        changed_s = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mtime
    except OSError:
        return False
    return time.time() - changed_s > ELSEWHERE_S


def _is_ours(status: os.stat_result) -> bool:
    """Whether the caller alone could have written it."""
    return status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _read(folder: int, name: str, since_ns: int) -> str | None:
    """What an entry says; None where somebody else could have written it, it is too old, or it is no plain file."""
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    except OSError:
        return None
    try:
        status = os.fstat(descriptor)
        plain = stat.S_ISREG(status.st_mode) and status.st_nlink == 1 and status.st_ctime_ns >= since_ns
        if not plain or not _is_ours(status):
            return None
        return os.read(descriptor, _MOST_BYTES).decode(errors="surrogateescape")
    except OSError:
        return None
    finally:
        os.close(descriptor)


class _Started(NamedTuple):
    """What an entry proves to have been started."""

    pid: int
    started: int
    home: str
    """What its scratch folder is called in the environment of its processes; empty where that tells nothing."""
    users: frozenset[int]


def _end_all(bot: _Started) -> int:
    """SIGKILL to the started program, its session, its descendants, and whatever has its scratch folder as a home."""
    ended: set[tuple[int, int]] = set()
    deaf = {os.getpid()}
    """Those that no SIGKILL has ended in time: they are not waited for again."""
    for _ in range(_ROUNDS):
        found = [process for process in _left(bot) if process.pid not in deaf]
        if not found:
            break
        for process in found:
            if _kill(process):
                ended.add((process.pid, process.started))
            elif living(process.pid) is not None:
                deaf.add(process.pid)
    return len(ended)


def _left(bot: _Started) -> list[ProcessStatus]:
    processes = {process.pid: process for process in all_processes() if process.state not in "ZX"}
    first = processes.get(bot.pid)
    mine = set()
    if (first is None or first.started == bot.started) and bot.pid != os.getsid(0):
        # A number is not used again while it names a session, so its members are those of the program.
        mine = {pid for pid, process in processes.items() if process.session == bot.pid
                and process.started >= bot.started}  # fmt: skip
    if bot.home:
        mark = b"\0HOME=" + os.fsencode(bot.home) + b"\0"
        mine |= {pid for pid in processes if pid not in mine and mark in _environment(pid)}
    while True:
        more = {pid for pid, process in processes.items() if process.parent in mine} - mine
        if not more:
            return [processes[pid] for pid in sorted(mine) if _user(pid) in bot.users]
        mine |= more


def _user(pid: int) -> int | None:
    """The user who started a process. Not the owner of its folder in `/proc`, which a process can hide."""
    try:
        text = Path(f"/proc/{pid}/status").read_text(errors="replace")
    except OSError:
        return None
    found = re.search(r"^Uid:\s+(\d+)", text, re.MULTILINE)
    return int(found[1]) if found else None


def _kill(process: ProcessStatus) -> bool:
    """Kill exactly this process, and wait until it is gone; whether that was possible."""
    try:
        handle = os.pidfd_open(process.pid)
    except OSError:
        return False
    try:
        found = living(process.pid)
        if found is None or found.started != process.started:
            return False
        signal.pidfd_send_signal(handle, signal.SIGKILL)
        return has_ended(handle, _GONE_S)
    except OSError:
        return False
    finally:
        os.close(handle)


def _environment(pid: int) -> bytes:
    try:
        return b"\0" + Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""
