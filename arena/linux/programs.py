"""The programs of this host that a bot's command needs: its interpreter, or the loader of its own program."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Final

BOT_PATH: Final = "/usr/local/bin:/usr/bin:/bin"
"""Where bots find the programs of this host."""
_LONGEST_LINE: Final = 256
"""Bytes of a `#!` line that the kernel reads."""
_MOST_SCRIPTS: Final = 5
"""Number of scripts that the kernel follows from one interpreter to the next."""
_ELF_64: Final = b"\x7fELF\x02\x01"
_INTERPRETER: Final = 3
"""Type of the part of an ELF file that names its loader."""


def missing_program(command: Sequence[str], folder: str) -> str | None:
    """Return the program that keeps this host from running a bot's command in this folder; None if there is none.

    It looks at files only and runs nothing. A program that cannot be found, or not be executed, is missing.
    """
    for program in _needed(command, Path(folder)):
        if "/" not in program:
            if shutil.which(program, path=BOT_PATH) is None:
                return program
        elif not _is_executable(Path(folder) / program):
            return program
    return None


def host_program(command: Sequence[str], folder: str) -> str | None:
    """Return the last program of this host that runs before any code of the bot; None if only the bot's own runs."""
    found = [program for program in _needed(command, Path(folder)) if "/" not in program or program.startswith("/")]
    return found[-1] if found and not _is_loader(found[-1]) else None


def _needed(command: Sequence[str], folder: Path) -> list[str]:
    """Return the programs that the kernel executes for this command, in order. Only files are read; nothing is run."""
    found: list[str] = []
    arguments = tuple(command)
    while arguments and len(found) <= _MOST_SCRIPTS:
        found.append(arguments[0])
        if PurePosixPath(arguments[0]).name == "env" and (named := _named_by_env(arguments[1:])):
            arguments = named
        else:
            arguments = () if _is_of_host(arguments[0]) else _interpreter(folder / arguments[0])
    return found


def _is_of_host(program: str) -> bool:
    return "/" not in program or program.startswith("/")


def _is_loader(program: str) -> bool:
    return PurePosixPath(program).name.startswith(("ld-", "ld."))


def _is_executable(file: Path) -> bool:
    try:
        return stat.S_ISREG(file.stat().st_mode) and os.access(file, os.X_OK)
    except OSError:
        return False


def _named_by_env(arguments: Sequence[str]) -> tuple[str, ...]:
    rest = list(arguments)
    while rest and (rest[0].startswith("-") or "=" in rest[0]):
        rest.pop(0)
    return tuple(rest)


def _interpreter(file: Path) -> tuple[str, ...]:
    """Return the interpreter of a script with its arguments, or the loader of an ELF program, or nothing."""
    try:
        with file.open("rb") as opened:
            head = opened.read(4096)
    except OSError:
        return ()
    if head.startswith(b"#!"):
        line = head[2:_LONGEST_LINE].split(b"\n", 1)[0]
        return tuple(line.decode(errors="surrogateescape").split())
    return _loader(head)


def _loader(head: bytes) -> tuple[str, ...]:
    if not head.startswith(_ELF_64):
        return ()
    begin, size, number = (
        int.from_bytes(head[at : at + length], "little") for at, length in ((32, 8), (54, 2), (56, 2))
    )
    for at in range(begin, begin + size * number, size or 1):
        part = head[at : at + 56]
        if len(part) == 56 and int.from_bytes(part[:4], "little") == _INTERPRETER:
            place, length = int.from_bytes(part[8:16], "little"), int.from_bytes(part[32:40], "little")
            name = head[place : place + length].rstrip(b"\0")
            return (os.fsdecode(name),) if name else ()
    return ()
