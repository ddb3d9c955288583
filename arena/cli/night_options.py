"""The options of `arena night run`. They determine a plan, and this module also forecasts its duration."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from arena.cli.app import App
from arena.cli.params import BOT
from arena.errors import UsageError
from arena.text.words import counted

if TYPE_CHECKING:
    from arena.model.rules import LeagueRules
    from arena.schedules.plan import NightPlan
    from arena.store.store import Store
    from arena.store.values import Version

SCHEDULE_NAMES = ("round_robin", "gauntlet", "swiss", "ladder", "knockout")
ENCOUNTERS_HELP = (
    "For each seat count, in a round robin: encounters of each bot (default: ten, or every set of bots once if that is"
    " fewer); gauntlet: encounters of each bot with the challenger (default: ten; at three or more seats every set once"
    " if that is fewer); swiss: rounds (default: log2 of the number of entrants, rounded up, plus two); ladder: rounds"
    " (default: ten); knockout: seeds of each pairing (default: ten)."
)
"""The meaning of a number of encounters depends on the schedule; docs/schedules.md has the same as a table."""


def schedule_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options `--schedule`, `--challenger` and `--seatings`."""
    for option in (
        click.option("--seatings", type=click.Choice(["rotations", "all"]), default="rotations", show_default=True,
                     help="Play each encounter in every rotation of its seats, or in every order (up to five seats)."),
        click.option("--challenger", type=BOT, metavar="BOT", help="The bot that plays all others in a gauntlet."),
        click.option("--schedule", type=click.Choice(SCHEDULE_NAMES), default="round_robin", show_default=True,
                     help="Who plays whom."),
    ):  # fmt: skip
        function = option(function)
    return function


@dataclass(frozen=True, slots=True)
class Wanted:
    """The options of a night from which its plan is built."""

    seats: tuple[int, ...] | None
    play_all: bool
    schedule: str
    challenger: str | None
    seatings: str


def make_plan(app: App, entrants: Sequence[Version], rules: LeagueRules, wanted: Wanted) -> NightPlan:
    """Return the plan of a night, not yet fitted to the number of bots. Raises `UsageError`."""
    from arena.schedules.base import DEFAULT_ENCOUNTERS
    from arena.schedules.plan import NightPlan

    if wanted.play_all and "encounters" in app.options:
        raise click.UsageError("expected either --encounters or --all")
    if wanted.play_all and wanted.schedule not in ("round_robin", "gauntlet"):
        raise click.UsageError(f"--all is for round_robin and gauntlet; a {wanted.schedule} takes --encounters")
    if wanted.seats is not None and not set(wanted.seats) <= set(rules.seats):
        raise UsageError(
            f"--seats selects from the seat counts of league {rules.name}: expected some of"
            f" {','.join(map(str, rules.seats))}"
        )
    # By default the number of rounds of a swiss night depends on the number of entrants.
    usual = None if wanted.schedule == "swiss" else DEFAULT_ENCOUNTERS
    return NightPlan(
        tuple(wanted.seats or rules.seats),
        None if wanted.play_all else app.settings.encounters or usual,
        repeat="encounters" in app.options,
        schedule=wanted.schedule,  # type: ignore[arg-type]  # click has checked it
        seatings=wanted.seatings,  # type: ignore[arg-type]
        challenger=_challenger(entrants, rules, wanted),
    )


def would_play(app: App, store: Store, rules: LeagueRules) -> list[Version]:
    """Return the entrants of a night that would start now, even in a league without bots. Changes nothing."""
    from arena.submission.register import known_elsewhere

    entered = store.entries(rules.name) if store.has_league(rules.name) else []
    return entered or known_elsewhere(store, rules, app.settings.leagues([rules.game]).values())


def forecast(
    store: Store,
    rules: LeagueRules,
    entrants: Sequence[Version],
    plan: NightPlan,
    workers: int,
    left_s: float | None = None,
) -> dict[str, Any]:
    """Return matches, rounds and expected time (None if unknown) of a night in which no bot is dropped or suspended.

    `measured` describes the nights that the time is estimated from. If it is None, the time covers only the turns of
    the bots, or is unknown. `left_s` is the time limit of the night; None if there is none.
    """
    from dataclasses import replace

    from arena.night.progress import Pace

    bots = len(entrants)
    fitting = plan.fit(bots)
    fitting.check([version.id for version in entrants])
    schedule = fitting.make_schedule()
    by_seats = {seats: replace(fitting, seats=(seats,)).make_schedule().matches_ahead(bots) for seats in fitting.seats}
    pace = Pace({})
    if store.has_league(rules.name):
        pace = Pace(store.match_times(rules.name), store.playing_times(rules.name), workers)
    return {
        "league": rules.name,
        "bots": bots,
        "schedule": fitting.schedule,
        "matches": schedule.matches_ahead(bots),
        "matches_by_seats": by_seats,
        "rounds": schedule.rounds_ahead(bots),
        "workers": workers,
        "expected_s": pace.expected_s(by_seats, workers),
        "limit_s": left_s,
        "measured": None if pace.basis is None else {
            "nights": list(pace.basis.nights),
            "matches": sum(pace.basis.matches.values()),
            "wall_s": pace.basis.wall_s,
        },
    }  # fmt: skip


def tell_forecast(app: App, found: dict[str, Any]) -> None:
    """Print the forecast for human readers."""
    from arena.cli.night_display import duration

    seats = ", ".join(f"{count:,} at {seats} seats" for seats, count in found["matches_by_seats"].items())
    app.say(f"league {found['league']}: {counted(found['bots'], 'bot')}, {found['schedule']}")
    app.say(f"matches  {found['matches']:,} ({seats})")
    app.say(f"rounds   {found['rounds']:,}")
    app.say(f"time     {_expectation(found)}")
    if (limit_s := found["limit_s"]) is not None:
        expected_s = found["expected_s"]
        fits = "unknown whether all rounds fit" if expected_s is None else (
            "all rounds fit" if expected_s <= limit_s else "not all rounds fit: the night stops after a whole round"
        )  # fmt: skip
        app.say(f"limit    {duration(max(limit_s, 0.0))}: {fits}")


def _expectation(found: dict[str, Any]) -> str:
    """Return the expected time, and what it is estimated from."""
    from arena.cli.night_display import duration

    expected_s, measured = found["expected_s"], found["measured"]
    if expected_s is None:
        return "unknown: no match with these seat counts has been played yet"
    expected = duration(expected_s) if expected_s >= 1 else "a second"
    with_workers = f"{expected} with {counted(found['workers'], 'worker')}"
    if measured is None:
        return f"at least {with_workers}, for the bots' turns alone: other costs are not measured yet"
    nights = measured["nights"]
    where = f"night {nights[0]}" if len(nights) == 1 else f"nights {nights[-1]} to {nights[0]}"
    played = f"{counted(measured['matches'], 'match', 'matches')} in {duration(measured['wall_s'])}"
    return f"about {with_workers}, if matches take as long as in {where} ({played})"


def _challenger(entrants: Sequence[Version], rules: LeagueRules, wanted: Wanted) -> int | None:
    if (wanted.challenger is None) is (wanted.schedule == "gauntlet"):
        raise click.UsageError("--schedule gauntlet and --challenger BOT belong together")
    if wanted.challenger is None:
        return None
    for version in entrants:
        if wanted.challenger.lower() in (version.bot, version.label):
            return version.id
    names = ", ".join(version.bot for version in entrants) or "none"
    raise UsageError(f"the challenger {wanted.challenger!r} is not entered in {rules.name}: expected one of {names}")
