"""`arena versus`: head-to-head results, and whether a seat is an advantage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from arena.cli.app import App, ArenaCommand, pass_app
from arena.cli.params import COUNT, LEAGUE, MOMENT, one_format
from arena.reports.boards import check_part, why_empty
from arena.reports.leaderboard import FORMATS, Format, rows
from arena.text.sanitize import markdown
from arena.text.tables import columns, csv_table, markdown_table

if TYPE_CHECKING:
    from arena.ratings.head_to_head import Meeting, SeatReport
    from arena.store.values import View


@click.command(
    cls=ArenaCommand,
    examples=("arena versus", "arena versus lanterns --seats 2 --format markdown", "arena versus friday --by seat"),
)
@click.argument("name", type=LEAGUE, metavar="[LEAGUE]", required=False)
@click.option("--by", type=click.Choice(["bot", "seat"]), default="bot", show_default=True,
              help="Bots against each other, or results by seat with a test for an advantage.")  # fmt: skip
@click.option(
    "--format", "form", type=click.Choice(FORMATS), default="table", show_default=True, help="How to show it."
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option("--all-versions", is_flag=True, help="Show every version, and withdrawn bots, not only the newest.")
@click.option("--night", type=COUNT, help="Only the matches of this night.")
@click.option("--seats", type=COUNT, help="Only matches of this many seats.")
@click.option("--since", type=MOMENT, help="Only nights that started at or after this day (2026-11-30) or time.")
@pass_app
def versus(app: App, /, name: str | None, by: str, form: Format, as_json: bool, all_versions: bool,
           **part: Any) -> None:  # fmt: skip
    """Show the share of the points that each bot (line) has won against each other bot (column), and their meetings.

    In a match with several seats every pair of bots meets: the bot that ranks better gets the point, a tie gives half a
    point to each. A cell `67 (6)` means 67 % of the points in 6 meetings.
    """
    from arena.store.values import View

    view = View(**part)
    form = one_format(form, as_json=as_json)
    if by == "seat":
        _show_seats(app, name, view, form)
    else:
        _show_bots(app, name, view, form, every_version=all_versions)


def _show_bots(app: App, name: str | None, view: View, form: Format, *, every_version: bool) -> None:
    from arena.ratings.head_to_head import head_to_head

    with app.read_store() as store:
        league = app.league_with_nights(name, store)
        stored = store.has_league(league)
        check_part(store, league, view)
        entries = store.board(league, view) if stored else []
        found = head_to_head(store.results(league, view)) if stored else {}
        lines = rows(entries, every_version=every_version)
        empty = "" if lines else why_empty(store, league, view, has_entries=bool(entries))
    ids = {(entry.contender.bot, entry.contender.version): entry.contender.version_id for entry in entries}
    order = [ids[row.bot, row.version] for row in lines]
    labels = {ids[row.bot, row.version]: f"{row.bot}:{row.version}" for row in lines}
    if form == "json":
        app.json([_pair(labels[one], labels[other], found[one, other])
                  for one in order for other in order if (one, other) in found])  # fmt: skip
        return
    if form == "csv":
        pairs = [(one, other, found[one, other]) for one in order for other in order if (one, other) in found]
        app.write(
            csv_table(
                ("bot", "against", "meetings", "wins", "draws", "losses", "share"),
                [
                    (labels[one], labels[other], m.meetings, m.wins, m.draws, m.losses, m.share)
                    for one, other, m in pairs
                ],
            )
        )
        return
    if not order:
        app.say(empty)
        return
    numbers = [str(number + 1) for number in range(len(order))]
    table = [
        (numbers[at], labels[one], *("." if one == other else _cell(found.get((one, other))) for other in order))
        for at, one in enumerate(order)
    ]
    app.say(_table(("#", "bot", *numbers), table, form))
    if form == "table":
        app.explain("67 (6): this bot has won 67 % of the points in 6 meetings with the bot of that column's number")


def _show_seats(app: App, name: str | None, view: View, form: Format) -> None:
    from arena.ratings.head_to_head import by_seat

    with app.read_store() as store:
        league = app.league_with_nights(name, store)
        stored = store.has_league(league)
        check_part(store, league, view)
        reports = by_seat(store.results(league, view)) if stored else []
        empty = "" if reports else why_empty(store, league, view, has_entries=False)
    if form == "json":
        app.json([_report(report) for report in reports])
        return
    lines = [
        (
            report.seats, line.seat, report.matches, f"{100 * line.share:.1f} %",
            f"{100 * line.low:.1f} to {100 * line.high:.1f}", f"{100 * line.firsts:.1f} %",
        )
        for report in reports for line in report.lines
    ]  # fmt: skip
    if form == "csv":
        values = [
            (report.seats, line.seat, report.matches, line.share, line.low, line.high, line.firsts, report.probability)
            for report in reports for line in report.lines
        ]  # fmt: skip
        app.write(csv_table(("seats", "seat", "matches", "share", "low", "high", "firsts", "probability"), values))
        return
    if not lines:
        app.say(empty or "no complete encounter has been played there yet")
        return
    app.say(_table(("seats", "seat", "matches", "points", "95 % interval", "first"), lines, form))
    if form == "table":
        app.explain("points: the share that this seat won of all points against the others; first: alone or tied")
    app.say("")
    for report in reports:
        app.say(verdict(report))


def verdict(report: SeatReport) -> str:
    """Return one sentence on whether a seat is an advantage."""
    left = f" ({report.left_out} matches of unfinished encounters skipped)" if report.left_out else ""
    if report.probability is None:
        return f"{report.seats} seats: too few encounters to say whether a seat is an advantage{left}"
    chance = f"{100 * report.probability:.2g} %" if report.probability >= 1e-4 else "less than 0.01 %"
    said = "a seat is an advantage" if report.probability < 0.05 else "no advantage of a seat is shown"
    return f"{report.seats} seats: {said}; equal seats would differ as much or more in {chance} of such nights{left}"


def _cell(meeting: Meeting | None) -> str:
    return "-" if meeting is None else f"{100 * meeting.share:.0f} ({meeting.meetings})"


def _pair(one: str, other: str, meeting: Meeting) -> dict[str, object]:
    return {
        "bot": one, "against": other, "meetings": meeting.meetings, "wins": meeting.wins, "draws": meeting.draws,
        "losses": meeting.losses, "share": meeting.share,
    }  # fmt: skip


def _report(report: SeatReport) -> dict[str, object]:
    return {
        "seats": report.seats, "matches": report.matches, "left_out": report.left_out, "encounters": report.blocks,
        "probability": report.probability,
        "by_seat": [
            {"seat": line.seat, "share": line.share, "low": line.low, "high": line.high, "firsts": line.firsts}
            for line in report.lines
        ],
    }  # fmt: skip


def _table(titles: Sequence[str], lines: Sequence[Sequence[object]], form: Format) -> str:
    if form == "markdown":
        return markdown_table(titles, [[markdown(str(cell)) for cell in line] for line in lines])
    return columns(titles, lines)
