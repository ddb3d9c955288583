"""Starter bots that `arena new` writes, one for each language."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Final

from arena.errors import UsageError


@dataclass(frozen=True, slots=True)
class Starter:
    """The starter of one language: a single file, or a folder if the bot must be built."""

    language: str
    files: tuple[str, ...]
    """File names in the folder of that language; the first is the program."""

    @property
    def is_folder(self) -> bool:
        """Whether the starter is written as a folder."""
        return len(self.files) > 1


STARTERS: Final = {
    "python": Starter("python", ("bot.py",)),
    "javascript": Starter("javascript", ("bot.js",)),
    "c": Starter("c", ("bot.c", "bot.toml")),
    "perl": Starter("perl", ("bot.pl",)),
}
"""The starter of every language that has one."""

_PLACEHOLDER = "BOT_NAME"


def write_starter(name: str, language: str, folder: Path) -> Path:
    """Write a starter bot into a folder and return its path: `NAME.py`, or a folder `NAME` if it must be built.

    Raises `UsageError` if that path exists or the folder cannot be written.
    """
    starter = STARTERS[language]
    suffix = Path(starter.files[0]).suffix
    target = folder / (name if starter.is_folder else name + suffix)
    if target.exists():
        raise UsageError(f"{target} exists already: expected a new name")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if starter.is_folder:
            target.mkdir()
        for file in starter.files:
            content = (files(__package__) / language / file).read_text(encoding="utf-8")
            place = target / file if starter.is_folder else target
            place.write_text(content.replace(_PLACEHOLDER, name), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{target} cannot be written: {error.strerror}") from error
    return target
