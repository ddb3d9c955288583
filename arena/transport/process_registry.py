"""Record which untrusted programs run now, so that the next command can kill them if this command is killed.

A sandbox dies with the arena. Without a sandbox, a child process that left its process group survives. So each start is
recorded in a small file in the arena's home, which is removed after the end. The file names the arena's process and the
started process, each with its start time, because process ids are reused. `sweep` kills the processes of files whose
writer no longer runs.
"""

from __future__ import annotations

import contextlib
import math
import os
import re
import signal
import stat
from pathlib import Path
from typing import Final, NamedTuple

from arena.linux.proc import ProcessStatus, all_processes, has_ended
from arena.linux.stale import MARK, boot_id, is_abandoned, is_from_here, living, owner_mark, start_in
from arena.transport.scratch import is_scratch_name, remove_scratch

_ROUNDS: Final = 50
"""Maximum number of rounds. Even a process that forks without end is killed in a few: each round finds fewer."""
_GONE_S: Final = 10.0
_NAME: Final = re.compile(rf"({MARK})\.([0-9]{{1,10}})\.([0-9]{{1,20}})")
_PARTIAL: Final = "."
"""Prefix of an entry that is not completely written."""
_MOST_BYTES: Final = 16_384


def note(folder: str, pid: int, scratch: str | None, home: str | None, runs_as: int = -1) -> Path | None:
    """Record that this process started process `pid`, and return the file, which the caller removes after the end.

    `scratch` is the scratch folder of the process, `home` the path by which the process knows this folder, and
    `runs_as` the user that the process will run under. Return None if the file cannot be written, or if the process
    has already exited. The match continues anyway.
    """
    started = living(pid)
    if started is None:
        return None
    entry = Path(folder, f"{owner_mark()}.{pid}.{started.started}")
    partial = entry.with_name(f"{_PARTIAL}{entry.name}")
    try:
        # Write atomically: an incomplete entry would prove nothing, so nobody would kill its processes.
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "w") as stream:
            stream.write(f"{boot_id()}\n{scratch or ''}\n{home or ''}\n{runs_as}\n")
        partial.rename(entry)
    except OSError:
        return None
    return entry


def forget(entry: Path) -> None:
    """Remove an entry."""
    with contextlib.suppress(OSError):
        entry.unlink()


def sweep(folder: Path, since_ns: int = 0) -> int:
    """Kill the processes that killed commands left, and return their number. Remove their scratch folders and entries.

    Entries whose last change is before `since_ns` (file time in nanoseconds) are skipped. `sweep` touches nothing
    that is not proved: a folder or an entry that others could have written, a process of another boot, of another user
    or with another start time, and a folder that is not a scratch folder of the writer.
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
    named = _NAME.fullmatch(name.removeprefix(_PARTIAL))
    if named is None:
        return 0  # not an entry
    owner, pid, started = named[1], int(named[2]), int(named[3])
    if not is_abandoned(owner, _changed_s(folder, name)):
        return 0  # its writer runs, or it may belong to a running command on another host that shares the home
    text = _read(folder, name, since_ns)
    if text is None:
        return 0
    boot, scratch, home, user = [*text.split("\n"), "", "", "", ""][:4]
    users = {os.geteuid(), int(user) if user.isascii() and user.isdigit() else os.geteuid()}
    is_scratch = is_scratch_name(Path(scratch).name, owner)
    ended = 0
    # Process ids of another or an unknown boot mean nothing.
    if boot and boot == boot_id() and is_from_here(owner) and pid > 1 and start_in(owner) <= started:
        known_as = home if is_scratch and Path(home).name == Path(scratch).name else ""
        ended = _end_all(_Started(pid, started, known_as, frozenset(users)))
    if is_scratch:
        remove_scratch(Path(scratch), owner, users)
    with contextlib.suppress(OSError):
        os.unlink(name, dir_fd=folder)
    return ended


def _changed_s(folder: int, name: str) -> float:
    """Return when an entry last changed; infinity if it is gone."""
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False).st_mtime
    except OSError:
        return math.inf


def _is_ours(status: os.stat_result) -> bool:
    """Return whether nobody except the caller could have written the file."""
    return status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _read(folder: int, name: str, since_ns: int) -> str | None:
    """Return an entry's text; None if somebody else could have written it, or it is too old or not a plain file."""
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
    """The program that an entry proves to have been started."""

    pid: int
    started: int
    home: str
    """Path of its scratch folder in the environment of its processes; empty if it identifies nothing."""
    users: frozenset[int]


def _end_all(bot: _Started) -> int:
    """Kill the program, its session, its descendants, and all processes whose HOME is its scratch folder.

    Return how many processes ended.
    """
    ended: set[tuple[int, int]] = set()
    deaf = {os.getpid()}
    """Processes that SIGKILL did not end in time. The arena does not wait for them again."""
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
        # The kernel does not reuse an id that names a session, so all members of the session belong to the program.
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
    """Return the real user of a process. The owner of its folder in `/proc` does not serve: a process can hide it."""
    try:
        text = Path(f"/proc/{pid}/status").read_text(errors="replace")
    except OSError:
        return None
    found = re.search(r"^Uid:\s+(\d+)", text, re.MULTILINE)
    return int(found[1]) if found else None


def _kill(process: ProcessStatus) -> bool:
    """Kill exactly this process, wait until it has ended, and return whether it did."""
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
