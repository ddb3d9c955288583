"""`arena league …`: the leagues and their rules."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from arena.cli.app import App, ArenaCommand, ArenaGroup, pass_app
from arena.cli.params import LEAGUE, json_option
from arena.text.tables import columns

if TYPE_CHECKING:
    from arena.model.rules import LeagueRules


@click.group(cls=ArenaGroup, examples=("arena league list", "arena league show burn_my_village"))
def league() -> None:
    """The leagues of this arena: one for each game, and those that arena.toml defines."""


@league.command("list", cls=ArenaCommand, examples=("arena league list", "arena league list --playable"))
@click.option("--playable", is_flag=True, help="Only the names of the leagues that have enough bots for a night.")
@json_option
@pass_app
def list_leagues(app: App, playable: bool, as_json: bool) -> None:
    """List the leagues with their bots and nights."""
    with app.read_store() as store:
        stored = {found.name: found for found in store.leagues()}
        enough = app.playable(store)
        leagues = {} if playable else {**app.settings.leagues(), **app.played_only(store)}
    if playable:
        app.write("".join(f"{name}\n" for name in enough) if not as_json else json.dumps(enough) + "\n")
        return
    rows = []
    for name, rules in leagues.items():
        found = stored.get(name)
        bots, nights = (found.bots, found.nights) if found else (0, 0)
        rows.append({"name": name, "game": rules.game, "seats": list(rules.seats),
                     "time_control": rules.time_control, "bots": bots, "nights": nights})  # fmt: skip
    if as_json:
        app.json(rows)
        return
    table = [(row["name"], row["game"], ",".join(map(str, rules.seats)), row["time_control"], row["bots"],
              row["nights"]) for row, rules in zip(rows, leagues.values(), strict=True)]  # fmt: skip
    app.say(columns(("league", "game", "seats", "time control", "bots", "nights"), table))


@league.command("show", cls=ArenaCommand, examples=("arena league show burn_my_village",))
@click.argument("name", type=LEAGUE, metavar="LEAGUE")
@json_option
@pass_app
def show(app: App, name: str, as_json: bool) -> None:
    """Show the rules of a league and the bots that are entered in it."""
    with app.read_store() as store:
        rules = app.settings.get_league(name) or app.played_only(store).get(name) or app.settings.find_league(name)
        stored = store.has_league(name)
        entries = store.entries(name) if stored else []
    if as_json:
        app.json({**rules.model_dump(mode="json"), "bots": [entry.label for entry in entries]})
        return
    app.say(columns(("setting", "value"), _settings(rules)))
    bots = columns(("bot", "author"), [(entry.label, entry.author) for entry in entries])
    app.say("\n" + (bots if entries else "no bot is entered yet: submit one with `arena submit`"))


def _settings(rules: LeagueRules) -> Iterator[tuple[str, str]]:
    """Yield each setting as arena.toml would write it; the keys of a nested table have a dot."""
    for key, value in rules.model_dump(mode="json").items():
        if isinstance(value, dict):
            given = {name: entry for name, entry in value.items() if entry is not None}
            yield from ((f"{key}.{name}", json.dumps(entry)) for name, entry in given.items())
            if not given:
                yield key, "default"
        elif key != "name":
            yield key, json.dumps(value)
