"""The leaderboard: its rows, rendered as a table for a terminal, as Markdown, as CSV or as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from arena.model.causes import Cause
from arena.ratings.live import SETTLED_MATCHES
from arena.ratings.standings import BoardEntry
from arena.text.sanitize import markdown, terminal
from arena.text.tables import aligned, csv_table, full_width, markdown_table

Format = Literal["table", "markdown", "csv", "json"]
FORMATS: tuple[Format, ...] = ("table", "markdown", "csv", "json")

AUTHOR_LIMIT = 20
"""Maximum width of an author in a table for a terminal."""

_BOLD, _DIM, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"


LEGEND = "rating is mu - 3 sigma; mean rank 1 is a win in every match; W/D/L counts matches with two seats"
"""The meaning of the columns."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a leaderboard."""

    rank: int
    """From 1; equal ratings have equal ranks."""
    bot: str
    version: int
    author: str
    rating: float
    """mu - 3 sigma."""
    mu: float
    sigma: float
    matches: int
    """Number of finished matches; these are rated."""
    mean_rank: float | None
    """0 is the best, as in all data for programs; tables count from 1. None before the first finished match."""
    wins: int | None
    """Wins, draws and losses count matches with two seats; None if there was none."""
    draws: int | None
    losses: int | None
    no_contests: int
    forfeits: Mapping[Cause, int]
    strikes: int
    turns: int
    time_mean_s: float | None
    time_max_s: float | None
    new: bool
    """Whether the bot has too few matches for a reliable rating."""
    withdrawn: bool
    newest: bool

    def as_json(self, *, times: bool = True) -> dict[str, Any]:
        """Return the row as JSON data, with full precision; only the key `times` differs between runs."""
        data: dict[str, Any] = {
            name: getattr(self, name) for name in self.__slots__ if name not in ("time_mean_s", "time_max_s")
        }
        data["forfeits"] = {cause.value: count for cause, count in sorted(self.forfeits.items())}
        if times:
            data["times"] = {"mean_s": self.time_mean_s, "max_s": self.time_max_s}
        return data


@dataclass(frozen=True, slots=True)
class Style:
    """The style in which rows are rendered."""

    width: int | None = None
    """Width of the terminal, for the format `table`; None if there is no limit."""
    color: bool = False
    times: bool = True
    """Whether to show turn times, which differ between runs."""
    forfeit_causes: bool = True


@dataclass(frozen=True, slots=True)
class _Column:
    """One column of a table: its title, the text of its cells, and their alignment."""

    title: str
    text: Callable[[Row], str]
    right: bool = True
    from_outside: bool = False


def rows(entries: Iterable[BoardEntry], *, every_version: bool = False) -> list[Row]:
    """Return the lines of a leaderboard, best rating first.

    Without `every_version` each bot has one line, its newest version that has played, and withdrawn bots have none.
    """
    chosen = [entry for entry in entries if every_version or (entry.contender.newest and not entry.contender.withdrawn)]
    chosen.sort(key=lambda entry: (-entry.rating.shown, entry.contender.bot, entry.contender.version))
    lines: list[Row] = []
    for index, entry in enumerate(chosen):
        tied = index > 0 and chosen[index - 1].rating.shown == entry.rating.shown
        lines.append(_row(lines[-1].rank if tied else index + 1, entry))
    return lines


def render(lines: Sequence[Row], form: Format = "table", style: Style | None = None) -> str:
    """Return the rows as text that ends with a newline, with untrusted text escaped for the format.

    Tables have two decimals, and one for turn times in milliseconds; CSV and JSON have full precision.
    """
    style = style or Style()
    if form == "json":
        return json.dumps([row.as_json(times=style.times) for row in lines], indent=1) + "\n"
    if form == "csv":
        return _csv(lines, style)
    if form == "markdown":
        return _markdown(lines, style)
    return _table(lines, style)


def _row(rank: int, entry: BoardEntry) -> Row:
    contender, tally, rating = entry.contender, entry.tally, entry.rating
    pairs = tally.wins + tally.draws + tally.losses > 0
    return Row(
        rank=rank,
        bot=contender.bot,
        version=contender.version,
        author=contender.author,
        rating=rating.shown,
        mu=rating.mu,
        sigma=rating.sigma,
        matches=tally.matches,
        mean_rank=tally.mean_rank,
        wins=tally.wins if pairs else None,
        draws=tally.draws if pairs else None,
        losses=tally.losses if pairs else None,
        no_contests=tally.no_contests,
        forfeits=dict(tally.forfeits),
        strikes=tally.strikes,
        turns=tally.turns,
        time_mean_s=tally.time_mean_s,
        time_max_s=tally.time_max_s,
        new=tally.matches < SETTLED_MATCHES,
        withdrawn=contender.withdrawn,
        newest=contender.newest,
    )


def _decimals(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _milliseconds(value: float | None) -> str:
    return "-" if value is None else f"{value * 1000:.1f}"


def _score(row: Row) -> str:
    return "-" if row.wins is None else f"{row.wins}/{row.draws}/{row.losses}"


def _forfeits(row: Row) -> str:
    return ", ".join(f"{cause.value} {count}" for cause, count in sorted(row.forfeits.items())) or "0"


_RANK = _Column("#", lambda row: str(row.rank))
_BOT = _Column("bot", lambda row: row.bot, right=False, from_outside=True)
_VERSION = _Column("version", lambda row: str(row.version))
_AUTHOR = _Column("author", lambda row: row.author, right=False, from_outside=True)
_RATING = _Column("rating", lambda row: _decimals(row.rating))
_MU = _Column("mu", lambda row: _decimals(row.mu))
_SIGMA = _Column("sigma", lambda row: _decimals(row.sigma))
_MATCHES = _Column("matches", lambda row: f"{row.matches} new" if row.new else str(row.matches))
_MEAN_RANK = _Column("mean rank", lambda row: _decimals(row.mean_rank))
_SCORE = _Column("W/D/L", _score)
_CAUSES = _Column("forfeits", _forfeits, right=False)
_FORFEITS = _Column("forfeits", lambda row: str(sum(row.forfeits.values())))
_MEAN_TIME = _Column("mean ms", lambda row: _milliseconds(row.time_mean_s))
_MAX_TIME = _Column("max ms", lambda row: _milliseconds(row.time_max_s))

_LEFT_OUT_FIRST = (_AUTHOR, _MU, _SIGMA, _MEAN_TIME, _MAX_TIME, _MEAN_RANK, _FORFEITS, _SCORE, _VERSION, _MATCHES)
"""The columns that a narrow terminal omits, in this order."""


def _columns(style: Style) -> list[_Column]:
    """Return the columns in their order; times are last."""
    columns = [_RANK, _BOT, _VERSION, _AUTHOR, _RATING, _MU, _SIGMA, _MATCHES, _MEAN_RANK, _SCORE]
    columns.append(_CAUSES if style.forfeit_causes else _FORFEITS)
    return [*columns, _MEAN_TIME, _MAX_TIME] if style.times else columns


def _markdown(lines: Sequence[Row], style: Style) -> str:
    columns = _columns(style)
    cells = (
        [markdown(column.text(row)) if column.from_outside else column.text(row) for column in columns] for row in lines
    )
    return markdown_table([column.title for column in columns], cells, [column.right for column in columns]) + "\n"


def _csv(lines: Sequence[Row], style: Style) -> str:
    names = [
        *("rank", "bot", "version", "author", "rating", "mu", "sigma", "matches", "mean_rank"),
        *("wins", "draws", "losses", "no_contests", "strikes", "turns"),
    ]
    times = ["time_mean_s", "time_max_s"] if style.times else []
    titles = [*names, "forfeits", *(f"forfeits_{cause.value}" for cause in Cause), *times]
    cells = (
        [
            *(getattr(row, name) for name in names),
            sum(row.forfeits.values()),
            *(row.forfeits.get(cause, 0) for cause in Cause),
            *(getattr(row, name) for name in times),
        ]
        for row in lines
    )
    return csv_table(titles, cells)


def _table(lines: Sequence[Row], style: Style) -> str:
    if not lines:
        return "no match has been played yet\n"
    columns = _columns(style)
    cells = {column: _cells(column, lines) for column in (*columns, _FORFEITS)}
    left_out: list[str] = []
    if style.width is not None:
        columns, left_out = _fit(columns, cells, style.width)
    text = aligned(list(zip(*(cells[column] for column in columns), strict=True)), [column.right for column in columns])
    if style.color:
        text = [f"{_BOLD}{text[0]}{_PLAIN}", *(_tinted(line, row) for line, row in zip(text[1:], lines, strict=True))]
    if left_out:
        text.append(f"(too narrow for {', '.join(left_out)})")
    return "\n".join(text) + "\n"


def _cells(column: _Column, lines: Sequence[Row]) -> list[str]:
    limit = AUTHOR_LIMIT if column is _AUTHOR else None
    return [column.title, *(terminal(column.text(row), limit) for row in lines)]


def _fit(
    columns: Sequence[_Column], cells: Mapping[_Column, Sequence[str]], width: int
) -> tuple[list[_Column], list[str]]:
    """Return the columns that fit, and the titles of the omitted ones; first the causes are replaced by their sum."""

    def needed(chosen: Sequence[_Column]) -> int:
        return full_width(list(zip(*(cells[column] for column in chosen), strict=True)))

    chosen = list(columns)
    left_out: list[str] = []
    if needed(chosen) > width and _CAUSES in chosen:
        chosen[chosen.index(_CAUSES)] = _FORFEITS
    for column in _LEFT_OUT_FIRST:
        if needed(chosen) <= width:
            break
        if column in chosen:
            chosen.remove(column)
            left_out.append(column.title)
    return chosen, left_out


def _tinted(line: str, row: Row) -> str:
    return f"{_DIM}{line}{_PLAIN}" if row.new or row.withdrawn else line
