"""The settled leaderboard: rows with 95 % intervals, and bands of statistical ties."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from string import ascii_uppercase
from typing import Any

from arena.model.records import FinishedMatch
from arena.ratings.live import SETTLED_MATCHES, RatingSettings
from arena.ratings.settled.fit import Model
from arena.ratings.settled.settle import Settled, settle
from arena.ratings.standings import BoardEntry
from arena.reports.leaderboard import AUTHOR_LIMIT, Format
from arena.text.sanitize import markdown, terminal
from arena.text.svg import Interval, interval_plot
from arena.text.tables import aligned, csv_table, full_width, markdown_table

TIE = 0.975
"""A band ends at a bot if its first bot is better than that bot with this probability (95 %, two-sided)."""


@dataclass(frozen=True, slots=True)
class SettledRow:
    """One line of a settled leaderboard."""

    rank: int
    """From 1, by mu."""
    band: int
    """From 0; the first bot of a band is not shown to be better than the others in it."""
    bot: str
    version: int
    author: str
    mu: float
    low: float
    """Lower end of the 95 % interval; `high` is the upper end."""
    high: float
    sigma: float
    better_than_next: float | None
    """The probability that this bot is better than the bot of the next line; None in the last line."""
    matches: int
    mean_rank: float | None
    wins: int | None
    """Wins, draws and losses count matches with two seats; None if there was none."""
    draws: int | None
    losses: int | None
    anchored: bool
    new: bool
    """Whether the bot has too few matches for a reliable rating."""

    @property
    def band_name(self) -> str:
        """The band as a letter, or two."""
        return band_name(self.band)


def band_name(band: int) -> str:
    """Return A for the first band, then B, and AA after Z.

    >>> [band_name(band) for band in (0, 25, 26, 27)]
    ['A', 'Z', 'AA', 'AB']
    """
    name = ascii_uppercase[band % 26]
    return name if band < 26 else band_name(band // 26 - 1) + name


def settle_board(
    results: Iterable[FinishedMatch],
    entries: Sequence[BoardEntry],
    settings: RatingSettings,
    anchors: Mapping[int, float] | None = None,
) -> Settled:
    """Return the settled ratings of all entries, with the rating constants of the league except tau."""
    model = Model(settings.mu, settings.sigma, settings.beta, settings.draw_probability)
    return settle(results, model, anchors=anchors, also=(entry.contender.version_id for entry in entries))


def settled_rows(entries: Iterable[BoardEntry], settled: Settled, *, every_version: bool = False) -> list[SettledRow]:
    """Return the lines of a settled leaderboard, highest mu first.

    Without `every_version` each bot has one line, its newest version that has played, and withdrawn bots have none.
    """
    chosen = [entry for entry in entries if every_version or (entry.contender.newest and not entry.contender.withdrawn)]
    chosen.sort(
        key=lambda entry: (-settled.rating(entry.contender.version_id).mu, entry.contender.bot, entry.contender.version)
    )
    ids = [entry.contender.version_id for entry in chosen]
    bands = tie_bands(ids, settled)
    return [
        _row(index + 1, bands[index], entry, settled, ids[index + 1] if index + 1 < len(ids) else None)
        for index, entry in enumerate(chosen)
    ]


def tie_bands(ids: Sequence[int], settled: Settled) -> list[int]:
    """Return the band of each version, best first. A band ends before a version that its first one surely beats."""
    bands: list[int] = []
    first, band = 0, 0
    for index, version in enumerate(ids):
        if index > first and settled.better(ids[first], version) >= TIE:
            first, band = index, band + 1
        bands.append(band)
    return bands


def render_settled(lines: Sequence[SettledRow], form: Format, width: int | None = None) -> str:
    """Return the rows as text that ends with a newline, with untrusted text escaped for the format.

    A table that is wider than the terminal omits its less important columns.
    """
    if form == "json":
        return json.dumps([settled_as_json(row) for row in lines], indent=1) + "\n"
    if form == "csv":
        return csv_table(SettledRow.__slots__, (list(settled_as_json(row).values()) for row in lines))
    if not lines:
        return "no match has been played yet\n"
    right = [title not in _LEFT for title in _TITLES]
    if form == "markdown":
        return "\n".join([markdown_table(_TITLES, (_cells(row, markdown) for row in lines), right), "", _LEGEND]) + "\n"
    texts = [_TITLES, *(_cells(row, _for_terminal) for row in lines)]
    table = dict(zip(_TITLES, zip(*texts, strict=True), strict=True))
    for title in _LEFT_OUT_FIRST:
        if width is None or full_width(list(zip(*table.values(), strict=True))) <= width:
            break
        del table[title]
    text = aligned(list(zip(*table.values(), strict=True)), [title not in _LEFT for title in table])
    return "\n".join([*text, "", _LEGEND]) + "\n"


def settled_as_json(row: SettledRow) -> dict[str, Any]:
    """Return the row as JSON data, with full precision."""
    return {**asdict(row), "band": row.band_name}


def draw_note(settled: Settled) -> str | None:
    """Return a sentence if the matches clearly contradict the draw probability of the league, else None."""
    if not settled.draws_differ:
        return None
    return (
        f"the league expects that two equal bots draw in {100 * settled.draw_guess:.3g} % of their matches"
        f" (draw_probability); the matches show {100 * settled.draw_probability:.2g} %, and settled ratings use that"
    )


def board_picture(title: str, lines: Sequence[SettledRow]) -> str:
    """Return the ratings with their intervals as an SVG document; the shade changes with the band."""
    intervals = [Interval(f"{row.bot}:{row.version}", row.mu, row.low, row.high, row.band) for row in lines]
    return interval_plot(title, intervals, "skill (mu) with its 95 % interval; bands of ties are shaded in turn")


_TITLES = ("#", "band", "bot", "version", "author", "mu", "95 % interval", "better than next", "matches", "mean rank",
           "W/D/L")  # fmt: skip
_LEFT = ("band", "bot", "author")
_LEFT_OUT_FIRST = ("author", "mean rank", "W/D/L", "version", "matches")
"""The columns that a narrow terminal omits, in this order."""
_LEGEND = "A band is a statistical tie: its first bot is not shown to be better than the others in it (95 %)."


def _row(rank: int, band: int, entry: BoardEntry, settled: Settled, following: int | None) -> SettledRow:
    contender, tally = entry.contender, entry.tally
    rating = settled.rating(contender.version_id)
    pairs = tally.wins + tally.draws + tally.losses > 0
    return SettledRow(
        rank=rank,
        band=band,
        bot=contender.bot,
        version=contender.version,
        author=contender.author,
        mu=rating.mu,
        low=rating.low,
        high=rating.high,
        sigma=rating.sigma,
        better_than_next=None if following is None else settled.better(contender.version_id, following),
        matches=rating.matches,
        mean_rank=tally.mean_rank,
        wins=tally.wins if pairs else None,
        draws=tally.draws if pairs else None,
        losses=tally.losses if pairs else None,
        anchored=rating.anchored,
        new=rating.matches < SETTLED_MATCHES,
    )


def percent(probability: float | None) -> str:
    """Return a probability for human readers; never 100 %, which no number of matches proves.

    >>> percent(0.123), percent(0.99999), percent(None)
    ('12 %', '>99.9 %', '-')
    """
    if probability is None:
        return "-"
    if probability > 0.999:
        return ">99.9 %"
    return f"{100 * probability:.0f} %" if probability < 0.99 else f"{100 * probability:.1f} %"


def _cells(row: SettledRow, escape: Callable[[str], str]) -> tuple[str, ...]:
    return (
        str(row.rank),
        row.band_name,
        escape(row.bot),
        str(row.version),
        escape(row.author),
        f"{row.mu:.2f}" + (" fixed" if row.anchored else ""),
        f"{row.low:.2f} to {row.high:.2f}",
        percent(row.better_than_next),
        f"{row.matches} new" if row.new else str(row.matches),
        "-" if row.mean_rank is None else f"{row.mean_rank:.2f}",
        "-" if row.wins is None else f"{row.wins}/{row.draws}/{row.losses}",
    )


def _for_terminal(text: str) -> str:
    return terminal(text, AUTHOR_LIMIT)
