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
    """Compute all ratings and counts again from the stored matches, and compare every digit."""
    with app.open_store() as store:
        league = app.league_with_nights(name, store)
        found = store.verify(league.name)
        different = [difference.version for difference in found.different_ratings]
        versions = store.versions_by_id({*different, *found.different_counts})
    labels = {key: version.label for key, version in versions.items()}
    miscounted = [labels[key] for key in found.different_counts]
    if as_json:
        app.json(
            {
                "league": league.name,
                "ratings": found.ratings,
                "matches": found.matches,
                "different": [labels[key] for key in different],
                "miscounted": miscounted,
            }
        )
    elif found.holds:
        app.say(f"all {found.ratings} ratings of {league.name} come out exactly as stored")
    elif different:
        rows = [(labels[d.version], *_numbers(d.stored), *_numbers(d.computed)) for d in found.different_ratings]
        app.say(columns(("bot", "stored mu", "sigma", "computed mu", "sigma"), rows))
    if different:
        raise VerificationError(f"{len(different)} ratings of {league.name} do not come out as stored")
    if miscounted:
        raise VerificationError(f"the counts of {', '.join(miscounted)} in {league.name} are not those of the matches")


def _numbers(found: object) -> tuple[float | None, float | None]:
    return getattr(found, "mu", None), getattr(found, "sigma", None)
