"""`arena leaderboard` and `arena publish`: the ratings of a league, on the terminal or as files."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.app import App, ArenaCommand, pass_app
from arena.cli.params import COUNT, LEAGUE, MOMENT, PATH, json_option, one_format
from arena.cli.picture_files import write_picture
from arena.cli.settled_view import Shown, plot_option, show_settled
from arena.errors import UsageError
from arena.reports.boards import check_part, live_picture, page_of, why_empty
from arena.reports.leaderboard import FORMATS, LEGEND, Format, Style, render, rows

if TYPE_CHECKING:
    pass


@click.command(
    cls=ArenaCommand,
    examples=("arena leaderboard", "arena leaderboard lanterns --format json", "arena leaderboard friday --night 3",
              "arena leaderboard friday --json --no-times | cmp - expected.json"),
)  # fmt: skip
@click.argument("name", type=LEAGUE, metavar="[LEAGUE]", required=False)
@click.option(
    "--format", "form", type=click.Choice(FORMATS), default="table", show_default=True, help="How to show it."
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option("--by", type=click.Choice(["trueskill", "settled"]), default="trueskill", show_default=True,
              help="Live ratings, updated match by match, or settled ones, fitted to all matches at once.")  # fmt: skip
@click.option("--anchor", "anchored", multiple=True, metavar="BOT=MU",
              help="With --by settled: fix the skill of this bot; repeatable.")  # fmt: skip
@plot_option
@click.option("--all-versions", is_flag=True, help="Show every version, and withdrawn bots, not only the newest.")
@click.option("--night", type=COUNT, help="Only the matches of this night.")
@click.option("--seats", type=COUNT, help="Only matches of this many seats.")
@click.option(
    "--since", type=MOMENT, help="Only nights that started at or after this day (2026-11-30) or time, in UTC."
)
@click.option("--no-times", is_flag=True, help="Omit turn times: the rest is byte-identical in every run.")
@pass_app
def leaderboard(app: App, /, name: str | None, form: Format, as_json: bool, all_versions: bool, no_times: bool,
                **part: Any) -> None:  # fmt: skip
    """Show the ratings of a league: rating is mu - 3 sigma, and a bot is new until it has played ten matches.

    Mean rank counts from 1 (1 is a win in every match); W/D/L (won, drawn, lost) counts only matches with two seats.
    Live ratings depend slightly on the order of the matches; settled ratings do not.
    """
    from arena.store.values import View

    by, anchored, plot = part.pop("by"), part.pop("anchored"), part.pop("plot")
    form = one_format(form, as_json=as_json)
    if anchored and by != "settled":
        raise UsageError("--anchor is for settled ratings: expected --by settled with it")
    with app.read_store() as store:
        league = app.league_with_nights(name, store)
        stored = store.has_league(league)
        view = View(**part)
        check_part(store, league, view)
        if by == "settled" and stored:
            shown = Shown(form, every_version=all_versions, plot=plot)
            show_settled(app, store, league, view, anchored, shown)
            return
        entries = store.board(league, view) if stored else []
        lines = rows(entries, every_version=all_versions)
        if not lines and form in ("table", "markdown"):
            app.say(why_empty(store, league, view, has_entries=bool(entries)))
            return
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    style = Style(width=width, color=app.colored(), times=not no_times)
    if plot is not None:
        write_picture(app, plot, live_picture(f"{league}: ratings", lines))
    app.write(render(lines, form, style))
    if form == "table":
        app.explain(f"{LEGEND}; ratings depend on the order of matches, those of --by settled do not")


@click.command(cls=ArenaCommand, examples=("arena publish", "arena publish lanterns friday --into public/boards"))
@click.argument("names", type=LEAGUE, metavar="[LEAGUE]...", nargs=-1)
@click.option(
    "--into", "folder", type=PATH, default=Path("leaderboards"), show_default=True, help="Folder to write to."
)
@click.option(
    "--made-by", "commands", multiple=True, metavar="COMMAND", help="A command to show on the page; repeatable."
)
@json_option
@pass_app
def publish(app: App, names: tuple[str, ...], folder: Path, commands: tuple[str, ...], as_json: bool) -> None:
    """Write leaderboards as Markdown, CSV and JSON files with an index (by default of every league with a night)."""
    from arena.reports.publish import publish as write_pages

    pages = []
    with app.read_store() as store:
        played = {found.name: found for found in store.leagues() if found.nights}
        for name in names or played:
            if name not in played:
                app.settings.find_league(name)  # raises and names the nearest league if the name is mistyped
                raise UsageError(f"league {name!r} has had no night yet: there is nothing to publish")
            pages.append(page_of(store, played[name], commands))
    if not pages:
        raise UsageError("no league has had a night yet: there is nothing to publish")
    files = write_pages(folder, pages)
    if as_json:
        app.json({"files": [str(file) for file in files]})
    else:
        app.say("\n".join(f"wrote {file}" for file in files))
