"""Leaderboards as files for the web or a repository: one page for each league in three formats, and an index.

The same matches give the same files: they contain no turn times and no dates.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.errors import StoreError, UsageError
from arena.linux.regular_files import read_regular
from arena.model.rules import NAME_PATTERN
from arena.reports.leaderboard import LEGEND, Row, Style, render
from arena.text.sanitize import markdown

INDEX = "README.md"
_STYLE = Style(times=False)
SUFFIXES = ("md", "csv", "json")
"""File name extensions of one page."""


@dataclass(frozen=True, slots=True)
class Page:
    """The published page of one league."""

    league: str
    game: str
    title: str
    """The title of the game, for human readers."""
    options: Mapping[str, Any]
    seats: tuple[int, ...]
    nights: int
    matches: int
    """Number of finished matches in the leaderboard."""
    rows: tuple[Row, ...]
    commands: tuple[str, ...] = ()
    """The commands that made the leaderboard."""

    def as_json(self) -> dict[str, Any]:
        """Return the page as JSON data."""
        return {
            "league": self.league,
            "game": self.game,
            "title": self.title,
            "options": dict(sorted(self.options.items())),
            "seats": list(self.seats),
            "nights": self.nights,
            "matches": self.matches,
            "commands": list(self.commands),
            "rows": [row.as_json(times=False) for row in self.rows],
        }


def publish(folder: Path, pages: Sequence[Page]) -> list[Path]:
    """Write the pages, and an index of all pages in the folder. Return the written files.

    Each file is written atomically, and pages of other leagues stay. Raises `StoreError` if the folder cannot be
    written.
    """
    written: list[Path] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        texts = {f"{page.league}.{suffix}": page_text(page, suffix) for page in pages for suffix in SUFFIXES}
        written += [_write(folder / name, text) for name, text in texts.items()]
        written.append(_write(folder / INDEX, _index(_published(folder))))
    except OSError as error:
        raise StoreError(f"the leaderboards cannot be written to {folder}: {error.strerror}") from error
    return written


def page_text(page: Page, suffix: str) -> str:
    """Return the content of the file of a page with that extension."""
    if suffix == "json":
        return json.dumps(page.as_json(), indent=1) + "\n"
    if suffix == "csv":
        return render(page.rows, "csv", _STYLE)
    options = ", ".join(f"{name} {json.dumps(value)}" for name, value in sorted(page.options.items()))
    facts = [
        f"Game: {markdown(page.title)} (`{page.game}`), {_counts(page.seats)} seats"
        + (f", options: {markdown(options)}" if options else ""),
        f"{_many(page.matches, 'match', 'matches')} in {_many(page.nights, 'night', 'nights')}",
    ]
    text = [f"# {markdown(page.league)}", "", *(f"- {fact}" for fact in facts)]
    if page.commands:
        text += ["", "Made by:", "", "```", *page.commands, "```"]
    text += ["", render(page.rows, "markdown", _STYLE)]
    text.append(f"{LEGEND[0].upper()}{LEGEND[1:]}.")
    return "\n".join(text) + "\n"


def _published(folder: Path) -> list[dict[str, Any]]:
    """Return the JSON pages in a folder, by league; other files are skipped."""
    found = []
    for file in sorted(folder.glob("*.json")):
        try:
            data = json.loads(read_regular(file))
        except (ValueError, RecursionError, UsageError):
            continue
        if isinstance(data, dict) and data.get("league") == file.stem and NAME_PATTERN.fullmatch(file.stem):
            found.append(data)
    return found


def _index(found: Sequence[Mapping[str, Any]]) -> str:
    text = ["# Leaderboards", ""]
    text += ["| league | game | bots | matches | first |", "|---|---|---:|---:|---|"]
    for data in found:
        lines = data.get("rows") or []
        first = ", ".join(markdown(f"{row['bot']} v{row['version']}") for row in lines if row["rank"] == 1)
        league = data["league"]
        text.append(
            f"| [{markdown(league)}]({league}.md) | {markdown(str(data.get('title')))} | {len(lines)}"
            f" | {data.get('matches')} | {first or '-'} |"
        )
    text += ["", "Each league is also there as CSV and JSON. `arena publish` generates these files; do not edit them."]
    return "\n".join(text) + "\n"


def _counts(seats: Sequence[int]) -> str:
    """Return `2`, or `2, 3 and 4`."""
    shown = [str(count) for count in seats]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _many(count: int, one: str, more: str) -> str:
    return f"{count:,} {one if count == 1 else more}"


def _write(file: Path, text: str) -> Path:
    handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(file)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return file
