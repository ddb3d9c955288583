"""`arena night list|show`: the nights and their results."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from arena.cli.app import App, ArenaCommand, pass_app
from arena.cli.params import COUNT, LEAGUE, json_option
from arena.errors import NightError
from arena.ratings.standings import Standing, standings
from arena.text.tables import columns
from arena.text.words import counted

if TYPE_CHECKING:
    from arena.store.store import Store
    from arena.store.values import Night


@click.command("list", cls=ArenaCommand, examples=("arena night list", "arena night list lanterns --json"))
@click.argument("name", type=LEAGUE, metavar="[LEAGUE]", required=False)
@json_option
@pass_app
def list_nights(app: App, name: str | None, as_json: bool) -> None:
    """List the nights, newest first."""
    from arena.night.rounds import expected_matches
    from arena.store.values import NightState

    with app.read_store() as store:
        stored = name is None or is_stored(app, store, name)
        nights = [(found, counts, expected_matches(store, found, counts)) for found, counts in
                  ((found, store.night_counts(found)) for found in (store.nights(name) if stored else []))]  # fmt: skip
    if as_json:
        app.json(
            [
                {
                    "league": found.league, "night": found.number, "state": found.state.value,
                    "started_at": found.started_at, "ended_at": found.ended_at, "schedule": _schedule(found),
                    "expected": expected, **dataclasses.asdict(counts),
                }
                for found, counts, expected in nights
            ]
        )  # fmt: skip
        return
    rows = [
        (found.league, found.number, _schedule(found), found.state.value, found.started_at, counts.played, expected,
         counts.parked)
        for found, counts, expected in nights
    ]  # fmt: skip
    app.say(columns(("league", "night", "schedule", "state", "started", "played", "expected", "parked"), rows))
    for found, _, _ in nights:
        if found.state is NightState.OPEN:
            app.note(_goes_on(found))


@click.command("show", cls=ArenaCommand, examples=("arena night show", "arena night show lanterns --night 2"))
@click.argument("name", type=LEAGUE, metavar="[LEAGUE]", required=False)
@click.option("--night", "number", type=COUNT, help="Which night (default: the newest).")
@json_option
@pass_app
def show(app: App, name: str | None, number: int | None, as_json: bool) -> None:
    """Show one night: entrants, progress, standings and failures."""
    from arena.night.rounds import expected_matches
    from arena.store.values import NightState, View

    with app.read_store() as store:
        if name is not None and not is_stored(app, store, name):
            raise NightError(f"league {name!r} has had no night yet: `arena night run {name}` starts one")
        league = name or app.league_with_nights(name, store)
        found = store.night(league, number)
        counts, entrants = store.night_counts(found), store.entrants(found)
        expected = expected_matches(store, found, counts)
        order = standings(store.board(league, View(night=found.number)))
        attempts = store.attempts(league, night=found.number)
        unkillable = store.unkillable(found)
    seed = found.seed.hex() if found.state is NightState.CLOSED else None
    if as_json:
        app.json(
            {
                "league": league, "night": found.number, "state": found.state.value, "started_at": found.started_at,
                "ended_at": found.ended_at, "seed": seed, "sandbox": list(found.sandbox),
                "rules": found.rules.model_dump(mode="json"), "plan": dict(found.plan),
                "expected": expected, **dataclasses.asdict(counts),
                "entrants": [
                    {"bot": entrant.version.label, "state": entrant.state.value, "reason": entrant.reason}
                    for entrant in entrants
                ],
                "standings": [standing_row(line) for line in order],
                "void_attempts": [dataclasses.asdict(attempt) for attempt in attempts],
                "unkillable": [
                    {"match": found.match_id(bot.position), "bot": bot.bot, "works": bot.works} for bot in unkillable
                ],
            }
        )  # fmt: skip
        return
    app.say(app.title(f"night {found.number} of {league}: {found.state.value}"))
    app.say(f"started {found.started_at}, ended {found.ended_at or '-'}")
    of_all = f"{counts.played:,} of {counted(expected, 'match', 'matches')}"
    app.say(f"{_schedule(found)}: {of_all} played, {counted(counts.rounds, 'round')} started")
    app.say(f"{counts.finished:,} finished, {counted(counts.no_contests, 'no contest')}, {counts.parked:,} parked, "
            f"{counted(counts.attempts, 'void attempt')}")  # fmt: skip
    if found.state is NightState.OPEN:
        app.say(_goes_on(found))
    app.say(f"sandbox: {', '.join(found.sandbox) or 'none'}")
    app.say(f"seed: {seed or 'secret until the night is closed'}")
    for entrant in entrants:
        if entrant.reason:
            app.say(f"{entrant.version.label}: {entrant.state.value}, {entrant.reason}")
    for bot in unkillable:
        app.say(f"{found.match_id(bot.position)}: {bot.bot}: {bot.meaning}")
    app.say("\n" + standings_table(order))


def is_stored(app: App, store: Store, name: str) -> bool:
    """Return whether the store knows that league; one that only the settings define is not stored yet.

    Raises `UsageError` that names the nearest league if neither knows it.
    """
    return store.has_league(name) or not app.settings.find_league(name)


def _schedule(night: Night) -> str:
    return str(night.plan.get("schedule", "-"))


def _goes_on(night: Night) -> str:
    return (
        f"night {night.number} of {night.league} is open: if it is not running now, resume it with"
        f" `arena night resume {night.league}`"
    )


def standings_table(order: Iterable[Standing]) -> str:
    """Return the standings of a night as a table."""
    rows = [tuple(standing_row(line).values()) for line in order]
    return columns(("#", "bot", "matches", "beaten", "forfeits"), rows)


def standing_row(line: Standing) -> dict[str, object]:
    entry = line.entry
    share = entry.tally.share
    return {
        "rank": line.rank,
        "bot": entry.contender.label,
        "matches": entry.tally.matches,
        "beaten": None if share is None else float(share),
        "forfeits": sum(entry.tally.forfeits.values()),
    }
