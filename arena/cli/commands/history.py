"""`arena bot history`: the ratings of a bot's versions, night by night."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.app import App, ArenaCommand, pass_app
from arena.cli.params import BOT, LEAGUE, json_option
from arena.cli.picture_files import write_picture
from arena.cli.settled_view import plot_option
from arena.text.tables import columns

if TYPE_CHECKING:
    from arena.store.values import RatingPoint


@click.command(
    "history", cls=ArenaCommand,
    examples=("arena bot history mybot", "arena bot history mybot --league friday --plot mybot.svg"),
)  # fmt: skip
@click.argument("name", type=BOT, metavar="BOT")
@click.option("--league", type=LEAGUE, help="Only in this league.")
@plot_option
@json_option
@pass_app
def history(app: App, name: str, league: str | None, plot: Path | None, as_json: bool) -> None:
    """Show the rating of every version of a bot after each night that it played, oldest first."""
    with app.read_store() as store:
        points = store.rating_history(name, league)
    if plot is not None:
        write_picture(app, plot, _picture(name, points))
    if as_json:
        app.json(
            [
                {
                    "league": point.league, "night": point.night, "started_at": point.started_at,
                    "version": point.version, "rating": point.rating.shown, "mu": point.rating.mu,
                    "sigma": point.rating.sigma, "matches": point.tally.matches, "mean_rank": point.tally.mean_rank,
                    "forfeits": sum(point.tally.forfeits.values()),
                }
                for point in points
            ]
        )  # fmt: skip
        return
    if not points:
        app.say(f"{name} has not played a night yet")
        return
    lines = [
        (
            point.league, point.night, point.started_at, f"{name}:{point.version}", point.rating.shown,
            point.rating.mu, point.rating.sigma, point.tally.matches, point.tally.mean_rank,
            sum(point.tally.forfeits.values()),
        )
        for point in points
    ]  # fmt: skip
    titles = ("league", "night", "began", "bot", "rating", "mu", "sigma", "matches", "mean rank", "forfeits")
    app.say(columns(titles, lines))


def _picture(name: str, points: Sequence[RatingPoint]) -> str:
    """Draw mu of each version in each league over the nights that the bot played, with 1.96 sigma on both sides."""
    from arena.ratings.intervals import Z_95
    from arena.text.svg import Axes, Line, line_plot

    leagues = sorted({point.league for point in points})
    nights = {key: at for at, key in enumerate(dict.fromkeys((point.league, point.night) for point in points))}
    lines = []
    for league, version in dict.fromkeys((point.league, point.version) for point in points):
        own = [point for point in points if (point.league, point.version) == (league, version)]
        lines.append(
            Line(
                f"{name}:{version}" + (f" in {league}" if len(leagues) > 1 else ""),
                [(float(nights[league, point.night]), point.rating.mu) for point in own],
                [
                    (point.rating.mu - Z_95 * point.rating.sigma, point.rating.mu + Z_95 * point.rating.sigma)
                    for point in own
                ],
            )
        )
    step = max(1, len(nights) // 10)
    ticks = [
        (float(at), f"{league}-{night}" if len(leagues) > 1 else str(night))
        for (league, night), at in nights.items()
        if at % step == 0
    ]
    return line_plot(Axes(f"{name}, night after night", "night", "mu, and 1.96 sigma to both sides", ticks), lines)
