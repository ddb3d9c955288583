"""What the commands about settled ratings share: matches from the store, anchors, pictures to files."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.app import App
from arena.cli.parts import why_empty
from arena.errors import StoreError, UsageError
from arena.leaderboard import Format, Row

if TYPE_CHECKING:
    from arena.ratings.head_to_head import SeatedMatch
    from arena.ratings.settled.content import Result
    from arena.ratings.settled.settle import Settled
    from arena.ratings.standings import BoardEntry
    from arena.store.store import Store
    from arena.store.values import PlayedResult, View


def settled_results(store: Store, league: str, view: View) -> Iterator[Result]:
    """The finished matches of that part of a league, with their encounters as blocks."""
    from arena.ratings.settled.content import Result

    for block, found in _with_blocks(store, league, view):
        yield Result(found.versions, found.ranks, block)


def seated_matches(store: Store, league: str, view: View) -> Iterator[SeatedMatch]:
    """The same matches for counting who beat whom and which seat won."""
    from arena.ratings.head_to_head import SeatedMatch

    for block, found in _with_blocks(store, league, view):
        yield SeatedMatch(block, found.versions, found.ranks)


def _with_blocks(store: Store, league: str, view: View) -> Iterator[tuple[int, PlayedResult]]:
    """The finished matches, each with a number that the matches of one encounter share and no others have."""
    blocks: dict[tuple[int, int], int] = {}
    for found in store.results(league, view):
        yield blocks.setdefault((found.night_id, found.encounter), len(blocks)), found


def read_anchors(store: Store, given: Sequence[str]) -> dict[int, float]:
    """Version ids and skills of texts `BOT[:VERSION]=MU`. Raises `UsageError`."""
    anchors: dict[int, float] = {}
    for text in given:
        label, equals, number = text.rpartition("=")
        try:
            skill = float(number)
        except ValueError:
            skill = float("nan")
        if not equals or not -1e6 < skill < 1e6:
            raise UsageError(f"--anchor {text}: expected BOT=MU or BOT:VERSION=MU, for example village_random=15")
        anchors[store.version(label).id] = skill
    return anchors


def settle_league(
    store: Store, league: str, view: View, anchors: Mapping[int, float]
) -> tuple[list[BoardEntry], Settled]:
    """The entries of a board and the settled ratings of their versions."""
    from arena.settled_board import settle_board

    entries = store.board(league, view)
    results = settled_results(store, league, view)
    return entries, settle_board(results, entries, store.rating_settings(league), anchors)


@dataclass(frozen=True, slots=True)
class Shown:
    """How a settled leaderboard is shown."""

    form: Format
    every_version: bool = False
    plot: Path | None = None


def show_settled(app: App, store: Store, league: str, view: View, anchors: Sequence[str], shown: Shown) -> None:
    """Settle that part of a league, print its leaderboard, and draw it."""
    from arena.settled_board import board_picture, render_settled, settled_rows

    entries, settled = settle_league(store, league, view, read_anchors(store, anchors))
    lines = settled_rows(entries, settled, every_version=shown.every_version)
    if not lines and shown.form in ("table", "markdown"):
        app.say(why_empty(store, league, view, has_entries=bool(entries)))
        return
    if shown.plot is not None:
        write_picture(app, shown.plot, board_picture(f"{league}: settled ratings", lines))
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    app.write(render_settled(lines, shown.form, width))
    if shown.form == "table":
        app.explain("mean rank 1 is a win in every match; W/D/L counts matches with two seats")


def live_picture(title: str, lines: Sequence[Row]) -> str:
    """The live board as a picture: mu and the 95 % that TrueSkill itself believes in."""
    from arena.ratings.intervals import Z_95
    from arena.text.svg import Interval, interval_plot

    intervals = [
        Interval(f"{row.bot}:{row.version}", row.mu, row.mu - Z_95 * row.sigma, row.mu + Z_95 * row.sigma)
        for row in lines
    ]
    return interval_plot(title, intervals, "mu with 1.96 sigma to both sides; the board sorts by mu - 3 sigma")


def write_picture(app: App, file: Path, picture: str) -> None:
    """Write an SVG document. Raises `StoreError` when it cannot be written."""
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
    help="Also draw it, as SVG.",
)  # fmt: skip
"""A file for a picture; a name that promises another form is refused before anything is looked up."""
