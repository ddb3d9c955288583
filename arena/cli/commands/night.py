"""`arena night …`: league nights."""

from __future__ import annotations

import errno
import json
import os
import signal
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

import click

from arena.cli.app import App, ArenaCommand, ArenaGroup, pass_app, setting_option
from arena.cli.bot_programs import confine, sandbox_option, tell_surroundings, unchanged_program
from arena.cli.commands.night_control import add, drop, timer, workers
from arena.cli.commands.night_views import is_stored, list_nights, show, standing_row, standings_table
from arena.cli.night_options import (
    ENCOUNTERS_HELP,
    Wanted,
    forecast,
    make_plan,
    schedule_options,
    tell_forecast,
    would_play,
)
from arena.cli.params import LEAGUE, SEATS
from arena.cli.time_limits import tell_tomorrow, time_left, time_options
from arena.config.settings import MOST_ENCOUNTERS, MOST_WORKERS
from arena.errors import NightError, UsageError
from arena.ratings.standings import Standing, standings
from arena.text.words import counted

if TYPE_CHECKING:
    from arena.cli.night_display import Reporter
    from arena.night.runner import NightSummary, Venue
    from arena.sandbox.launcher import Sandbox
    from arena.store.store import Store

workers_option = setting_option(
    "--workers", key="workers", type=click.IntRange(1, MOST_WORKERS), metavar="N",
    help="Matches played at the same time (default: one for each processor).",
)  # fmt: skip
quiet_option = click.option("--quiet", is_flag=True, help="Print nothing until the end.")

_STOPS = {
    "after_round": "when its round is complete",
    "after_running": "when the running matches are finished",
    "now": "now, and plays the running matches again later",
}
"""When the night stops, by its answer: an earlier request may have asked for an earlier stop."""


@click.group(cls=ArenaGroup, examples=("arena night run", "arena night resume"))
def night() -> None:
    """League nights: every entered bot plays the others."""


@night.command(
    "run", cls=ArenaCommand,
    examples=("arena night run", "arena night run burn_my_village --seats 2,4 --workers 4",
              "arena night run friday --all --quiet", "arena night run friday --schedule swiss --until 22:00",
              "arena night run friday --schedule gauntlet --challenger mybot",
              "arena night run friday --dry-run"),
)  # fmt: skip
@click.argument("name", type=LEAGUE, metavar="[LEAGUE]", required=False)
@click.option("--seats", type=SEATS, help="Only these of the league's seat counts, such as 2,4.")
@setting_option("--encounters", key="encounters", type=click.IntRange(1, MOST_ENCOUNTERS), metavar="N",
                help=ENCOUNTERS_HELP)  # fmt: skip
@click.option("--all", "play_all", is_flag=True, help="Play every set of bots once (round robin, gauntlet).")
@schedule_options
@workers_option
@sandbox_option
@time_options
@click.option(
    "--dry-run", is_flag=True, help="Only print the matches and rounds of the night, and how long it would take."
)
@click.option("--or-resume", is_flag=True, help="If the league has an open night, resume that night instead.")
@click.option("--yes", is_flag=True, help="Do not ask before a night of more than 100,000 matches.")
@quiet_option
@click.option("--json", "as_json", is_flag=True, help="Print events as JSON lines for a script.")
@pass_app
def run(app: App, /, name: str | None, seats: tuple[int, ...] | None, play_all: bool, schedule: str,
        challenger: str | None, seatings: str, until: datetime | None, budget_s: float | None, dry_run: bool,
        or_resume: bool, yes: bool, quiet: bool, as_json: bool) -> None:  # fmt: skip
    """Play a night: plan, play, store, rate, and print the standings.

    It plays the newest version of every entered bot. Ctrl-C once finishes the running matches, twice stops now; in both
    cases `arena night resume` continues exactly where it stopped. The nights of a league in sequence share one
    leaderboard: a season.
    """
    from arena.cli.night_display import make_reporter
    from arena.night.runner import run_night
    from arena.schedules.base import ASK_ABOVE_MATCHES
    from arena.submission.register import rating_settings, register_known

    tell_tomorrow(app, until)
    left_s = time_left(until, budget_s)
    with app.open_store() as store:
        rules = app.league(name, lambda: app.playable(store))
        if or_resume and store.open_night(rules.name) is not None:
            _resume(app, store, rules.name, make_reporter(app, quiet=quiet, as_json=as_json), left_s)
            return
        if not dry_run:
            for version in register_known(store, rules, app.settings.leagues([rules.game]).values()):
                app.note(f"entered {version.label} in {rules.name}")
        entrants = would_play(app, store, rules)
        plan = make_plan(app, entrants, rules, Wanted(seats, play_all, schedule, challenger, seatings))
        if dry_run:
            found = forecast(store, rules, entrants, plan, _workers(app), left_s and left_s())
            app.json(found) if as_json else tell_forecast(app, found)
            return
        sandbox = confine(app, [rules])
        tell_surroundings(app, sandbox)
        matches = plan.fit(len(entrants)).make_schedule().matches_ahead(len(entrants))
        if matches > ASK_ABOVE_MATCHES and not yes:
            app.agree(f"this night has {matches:,} matches; play them?", "nothing is played")
        rating = rating_settings(rules)
        reporter = make_reporter(app, quiet=quiet, as_json=as_json)
        _play(
            app, store, sandbox, reporter, lambda venue: run_night(replace(venue, left_s=left_s), rules, rating, plan)
        )


@night.command(
    "resume", cls=ArenaCommand,
    examples=("arena night resume", "arena night resume lanterns --parked", "arena night resume --budget 90m"),
)  # fmt: skip
@click.argument("name", type=LEAGUE, metavar="[LEAGUE]", required=False)
@click.option("--parked", is_flag=True, help="Also play the parked matches, which were void twice.")
@workers_option
@sandbox_option
@time_options
@quiet_option
@click.option("--json", "as_json", is_flag=True, help="Print events as JSON lines for a script.")
@pass_app
def resume(app: App, /, name: str | None, parked: bool, until: datetime | None, budget_s: float | None, quiet: bool,
           as_json: bool) -> None:  # fmt: skip
    """Resume a night that was stopped, exactly where it stopped."""
    from arena.cli.night_display import make_reporter

    tell_tomorrow(app, until)
    left_s = time_left(until, budget_s)
    with app.open_store() as store:
        league = _open_league(app, store, name, parked=parked)
        _resume(app, store, league, make_reporter(app, quiet=quiet, as_json=as_json), left_s, parked=parked)


@night.command("stop", cls=ArenaCommand, examples=("arena night stop", "arena night stop --now"))
@click.option("--after-round", "haste", flag_value="after_round", help="Finish the round first.")
@click.option("--now", "haste", flag_value="now", help="Stop the running matches; they are played again later.")
@pass_app
def stop(app: App, haste: str | None) -> None:
    """Stop the night that runs here; by default when the running matches are finished."""
    from arena.night.control import call

    answer = call(app.home.run, {"command": "stop", "haste": haste or "after_running"})
    when = _STOPS.get(str(answer.get("haste")), "soon")
    app.say(f"the night stops {when}; resume it with `arena night resume`")


@night.command("abandon", cls=ArenaCommand, examples=("arena night abandon lanterns",))
@click.argument("name", type=LEAGUE, metavar="[LEAGUE]", required=False)
@pass_app
def abandon(app: App, name: str | None) -> None:
    """Abandon the open night of a league: played matches stay and are rated, the others are never played."""
    from arena.night.runner import abandon_night

    with app.open_store() as store:
        given_up = abandon_night(store, app.home, _open_league(app, store, name))
    app.say(f"night {given_up.number} of {given_up.league} is abandoned")


def _open_league(app: App, store: Store, name: str | None, *, parked: bool = False) -> str:
    if name is not None:
        if not is_stored(app, store, name):
            raise NightError(f"league {name!r} has no open night: `arena night run {name}` starts one")
        return name
    nights = store.nights()
    found = sorted({n.league for n in nights if n.state.value == "open" or (parked and store.night_counts(n).parked)})
    if len(found) == 1:
        return found[0]
    raise UsageError(f"expected LEAGUE, one of {', '.join(found)}" if found else "no night is open: "
                     "`arena night run` starts one")  # fmt: skip


def _resume(app: App, store: Store, league: str, reporter: Reporter, left_s: Callable[[], float] | None, *,
            parked: bool = False) -> None:  # fmt: skip
    from arena.night.runner import resume_night

    sandbox = confine(app, [store.night(league).rules])
    tell_surroundings(app, sandbox)
    _play(
        app, store, sandbox, reporter, lambda venue: resume_night(replace(venue, left_s=left_s), league, parked=parked)
    )


def _workers(app: App) -> int:
    return app.settings.workers or len(os.sched_getaffinity(0))


def _play(app: App, store: Store, sandbox: Sandbox, reporter: Reporter, go: Callable[[Venue], NightSummary]) -> None:
    """Play a night that Ctrl-C stops, and print its result."""
    from arena.cli.night_display import JsonLines
    from arena.night.control import Haste, Stop
    from arena.night.runner import Venue
    from arena.store.values import View
    from arena.workers.player import MatchPlayer

    stop = Stop()
    interrupted: list[int] = []

    def brake(number: int, _frame: object) -> None:
        interrupted.append(number)
        haste = stop.ask(None if number == signal.SIGINT else Haste.NOW)
        if haste is not Haste.NOW:
            os.write(2, b"\nfinishing the running matches; Ctrl-C again stops now\n")  # safe in a signal handler

    before = {number: signal.signal(number, brake) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        with reporter:
            summary = go(
                Venue(
                    store, app.home, MatchPlayer(sandbox), workers=_workers(app), sandbox=tuple(sandbox.layers),
                    report=reporter, stop=stop, program=unchanged_program,
                )
            )  # fmt: skip
    except OSError as error:
        if error.errno == errno.EPIPE:
            app.note("the reader of the output closed it: resume the night with `arena night resume`")
        raise
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        stop.close()
    order = standings(store.board(summary.night.league, View(night=summary.night.number)))
    _tell_end(app, summary, order, as_json=isinstance(reporter, JsonLines))
    if interrupted and not summary.finished:
        raise click.exceptions.Exit(130)
    if summary.counts.parked:
        one = summary.counts.parked == 1
        raise NightError(
            f"{counted(summary.counts.parked, 'match was', 'matches were')} void twice, due to the arena or its host,"
            f" and {'is' if one else 'are'} parked: play {'it' if one else 'them'} with"
            f" `arena night resume {summary.night.league} --parked`"
        )


def _tell_end(app: App, summary: NightSummary, order: Iterable[Standing], *, as_json: bool) -> None:
    night, counts = summary.night, summary.counts
    odd = [
        f", {counted(number, what)}"
        for number, what in ((counts.no_contests, "no contest"), (counts.attempts, "void attempt"))
        if number
    ]
    app.note(
        f"night {night.number} of {night.league}: {counted(counts.finished, 'match', 'matches')} finished{''.join(odd)}"
    )
    for place, label in zip(("first", "second", "third", "fourth"), summary.podium, strict=False):
        app.note(f"{place}: {label}")
    for label in summary.suspended:
        app.note(f"{label} was suspended")
    if not summary.finished:
        app.note(f"the night is not finished: resume it with `arena night resume {night.league}`")
    if as_json:
        app.say(json.dumps({"event": "standings", "rows": [standing_row(line) for line in order]}))
        return
    app.say(standings_table(order))
    if summary.finished:
        app.note(f"`arena leaderboard {night.league}` shows the ratings")


for command in (list_nights, show, workers, add, drop, timer):
    night.add_command(command)
