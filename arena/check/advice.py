"""Give advice about a bot that forfeited. The advice depends on its files and on its behaviour in the match."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from arena.model.causes import Cause
from arena.model.records import Program
from arena.text.hints import Sight, hint

_HEAD: Final = 4096


def advise(program: Program, cause: Cause, detail: str, stderr: str, answers: int) -> str | None:
    """Return one sentence of advice about a forfeit, or None if no common mistake is recognised.

    `answers` is the number of turns that the bot had answered before.
    """
    return hint(Sight(cause.value, detail, stderr, program.command, _head(program), answers))


def _head(program: Program) -> bytes:
    """Return the start of the first file of the bot that its command names; nothing if there is none."""
    for argument in program.command:
        file = Path(program.folder, argument)
        if not argument.startswith(("/", "-")) and program.folder and file.is_file():
            with file.open("rb") as opened:
                return opened.read(_HEAD)
    return b""
