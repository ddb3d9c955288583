"""Leaderboards of a league from its store: which matches count, which skills are fixed, why one is empty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from arena.errors import UsageError
from arena.reports.leaderboard import Row, rows

if TYPE_CHECKING:
    from arena.ratings.settled.settle import Settled
    from arena.ratings.standings import BoardEntry
    from arena.reports.publish import Page
    from arena.store.store import Store
    from arena.store.values import League, View


def check_part(store: Store, league: str, view: View) -> None:
    """Raise `UsageError` if the view is of a night that the league has not had."""
    if view.night is not None and store.has_league(league):
        store.night(league, view.night)


def why_empty(store: Store, league: str, view: View, *, has_entries: bool) -> str:
    """Return why a leaderboard of that part of a league is empty; with `has_entries` all its bots are withdrawn."""
    from arena.store.values import MatchFilter, MatchState

    if has_entries:
        return "every bot that has played there is withdrawn: --all-versions shows them"
    finished = MatchFilter(league=league, state=MatchState.FINISHED)
    played = store.count_matches(finished) if store.has_league(league) else 0
    if not played:
        return "no match has been played yet"
    matches = "the one finished match" if played == 1 else f"the {played} finished matches"
    return f"none of {matches} of {league} is in that part (--night, --seats, --since)"


def page_of(store: Store, league: League, commands: tuple[str, ...]) -> Page:
    """Return the page of a league from its stored matches; the page shows `commands`."""
    from arena.reports.publish import Page
    from arena.store.values import MatchFilter, MatchState
    from engine.catalog import BrokenGame, get_game

    try:
        title = get_game(league.game).title
    except (BrokenGame, ImportError, LookupError):
        title = league.game  # its results can be published after it was uninstalled
    return Page(
        league=league.name, game=league.game, title=title, options=league.options,
        seats=tuple(sorted({count for night in store.nights(league.name) for count in night.rules.seats})),
        nights=league.nights,
        matches=store.count_matches(MatchFilter(league=league.name, state=MatchState.FINISHED)),
        rows=tuple(rows(store.board(league.name))), commands=commands,
    )  # fmt: skip


def read_anchors(store: Store, given: Sequence[str]) -> dict[int, float]:
    """Return the skill of each version id, from strings `BOT[:VERSION]=MU`. Raises `UsageError`."""
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
    """Return the entries of a leaderboard and the settled ratings of their versions."""
    from arena.reports.settled_leaderboard import settle_board

    entries = store.board(league, view)
    return entries, settle_board(store.results(league, view), entries, store.rating_settings(league), anchors)


def live_picture(title: str, lines: Sequence[Row]) -> str:
    """Return the live leaderboard as an SVG picture: mu with the 95 % interval of TrueSkill's own sigma."""
    from arena.ratings.intervals import Z_95
    from arena.text.svg import Interval, interval_plot

    intervals = [
        Interval(f"{row.bot}:{row.version}", row.mu, row.mu - Z_95 * row.sigma, row.mu + Z_95 * row.sigma)
        for row in lines
    ]
    return interval_plot(title, intervals, "mu with 1.96 sigma to both sides; the board sorts by mu - 3 sigma")
