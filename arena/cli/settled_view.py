"""What the commands that show ratings share: the settled leaderboard, and pictures in files."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.app import App
from arena.errors import StoreError
from arena.reports.boards import read_anchors, settle_league, why_empty
from arena.reports.leaderboard import Format

if TYPE_CHECKING:
    from arena.store.store import Store
    from arena.store.values import View


@dataclass(frozen=True, slots=True)
class Shown:
    """The form in which a settled leaderboard is shown."""

    form: Format
    every_version: bool = False
    plot: Path | None = None


def show_settled(app: App, store: Store, league: str, view: View, anchors: Sequence[str], shown: Shown) -> None:
    """Fit the settled ratings of that part of a league, print the leaderboard, and draw it if requested."""
    from arena.reports.settled_leaderboard import board_picture, draw_note, render_settled, settled_rows

    entries, settled = settle_league(store, league, view, read_anchors(store, anchors))
    lines = settled_rows(entries, settled, every_version=shown.every_version)
    if not lines and shown.form in ("table", "markdown"):
        app.say(why_empty(store, league, view, has_entries=bool(entries)))
        return
    note = draw_note(settled)
    if note is not None:
        app.note(note)
    if shown.plot is not None:
        write_picture(app, shown.plot, board_picture(f"{league}: settled ratings", lines))
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    app.write(render_settled(lines, shown.form, width))
    if shown.form == "table":
        app.explain("mean rank 1 is a win in every match; W/D/L counts matches with two seats")


def write_picture(app: App, file: Path, picture: str) -> None:
    """Write an SVG document to a file. Raises `StoreError` if that fails."""
    try:
        file.write_text(picture, encoding="utf-8")
    except OSError as error:
        raise StoreError(f"the picture cannot be written to {file}: {error.strerror}") from error
    app.note(f"picture in {file}")


def _svg_file(_context: click.Context, _option: click.Parameter, file: Path | None) -> Path | None:
    if file is not None and file.suffix.lower() != ".svg":
        raise click.BadParameter(f"pictures are SVG: expected a name that ends in .svg, got {str(file)!r}")
    return file


plot_option = click.option(
    "--plot", type=click.Path(path_type=Path, dir_okay=False), callback=_svg_file, metavar="FILE.svg",
    help="Also draw it as an SVG picture.",
)  # fmt: skip
"""The option for a picture file. A name with another ending than .svg is refused before any work starts."""
