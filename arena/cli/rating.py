"""`arena rating …`: prove the published ratings."""

from __future__ import annotations

import click

from arena.cli.app import App, ArenaCommand, ArenaGroup, pass_app
from arena.cli.console import columns
from arena.cli.kinds import LEAGUE, json_option
from arena.errors import VerificationError


@click.group(cls=ArenaGroup, examples=("arena rating verify burn_my_village",))
def rating() -> None:
    """The ratings of a league."""


@rating.command("verify", cls=ArenaCommand, examples=("arena rating verify", "arena rating verify lanterns"))
@click.argument("name", type=LEAGUE, metavar="[LEAGUE]", required=False)
@json_option
@pass_app
def verify(app: App, name: str | None, as_json: bool) -> None:
    """Compute all ratings again from the stored matches, and compare every digit."""
    from itertools import takewhile

    from arena.ratings import compare, fold

    with app.open_store() as store:
        league = app.league(name, lambda: [found.name for found in store.leagues() if found.nights])
        settings = store.league(league.name).rating
        reached = store.checkpoint(league.name)
        matches = takewhile(lambda match: match.place <= reached, store.matches_in_schedule_order(league.name))
        computed = fold({}, matches, settings)
        differences = compare(store.ratings(league.name), computed)
        labels = {key: found.label for key, found in store.versions_by_id(d.version for d in differences).items()}
    if as_json:
        app.json({"league": league.name, "ratings": len(computed), "different": list(labels.values())})
    elif differences:
        rows = [(labels.get(d.version, d.version), *_numbers(d.stored), *_numbers(d.computed)) for d in differences]
        app.say(columns(("bot", "stored mu", "sigma", "computed mu", "sigma"), rows))
    else:
        app.say(f"all {len(computed)} ratings of {league.name} come out exactly as stored")
    if differences:
        raise VerificationError(f"{len(differences)} ratings of {league.name} do not come out as stored")


def _numbers(found: object) -> tuple[float | None, float | None]:
    return getattr(found, "mu", None), getattr(found, "sigma", None)
