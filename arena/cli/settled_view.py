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
from arena.cli.picture_files import svg_file, write_picture
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


plot_option = click.option(
    "--plot", type=click.Path(path_type=Path, dir_okay=False), callback=svg_file, metavar="FILE.svg",
    help="Also draw it as an SVG picture.",
)  # fmt: skip
"""The option for a picture file. A name with another ending than .svg is refused before any work starts."""
