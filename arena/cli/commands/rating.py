"""`arena rating …`: verify the ratings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.app import App, ArenaCommand, ArenaGroup, pass_app
from arena.cli.params import COUNT, LEAGUE, MOMENT, json_option
from arena.errors import UsageError, VerificationError
from arena.reports.verify import board_differences
from arena.text.sanitize import terminal
from arena.text.tables import columns
from arena.text.words import counted

if TYPE_CHECKING:
    from arena.store.values import Verification


@click.group(cls=ArenaGroup, examples=("arena rating verify burn_my_village",))
def rating() -> None:
    """The ratings of a league."""


@rating.command(
    "verify", cls=ArenaCommand,
    examples=("arena rating verify", "arena rating verify lanterns --board leaderboards/lanterns.json"),
)  # fmt: skip
@click.argument("name", type=LEAGUE, metavar="[LEAGUE]", required=False)
@click.option("--board", type=click.Path(path_type=Path, dir_okay=False),
              help="Also verify every value of this leaderboard, from `leaderboard --json` or `publish`.")  # fmt: skip
@click.option("--night", type=COUNT, help="The leaderboard shows only the matches of this night.")
@click.option("--seats", type=COUNT, help="The leaderboard shows only matches of this many seats.")
@click.option("--since", type=MOMENT, help="The leaderboard shows only nights that started at or after this time.")
@click.option(
    "--anchor", "anchored", multiple=True, metavar="BOT=MU", help="The skill of this bot was fixed; repeatable."
)
@json_option
@pass_app
def verify(app: App, /, name: str | None, board: Path | None, anchored: tuple[str, ...], as_json: bool,
           **part: Any) -> None:  # fmt: skip
    """Compute all ratings and counts again from the stored matches, and compare them exactly.

    Live ratings, ratings after each night, and all counts are compared with the stored values; settled ratings are
    computed twice, from the matches in two different orders. With --board, every value of that file is compared too.
    """
    from arena.reports.verify import read_board, settles_in_any_order
    from arena.store.values import View

    if board is None and (anchored or any(value is not None for value in part.values())):
        raise UsageError(
            "--night, --seats, --since and --anchor describe a leaderboard file: expected --board with them"
        )
    printed = None if board is None else read_board(board)
    with app.read_store() as store:
        league = app.league_with_nights(name, store)
        found = store.verify(league) if store.has_league(league) else None
        if found is None or not found.matches:
            raise UsageError(f"league {league!r} has no finished match: there is nothing to verify")
        different = [difference.version for difference in found.different_ratings]
        versions = store.versions_by_id({*different, *found.different_counts})
        kept, computed = store.recomputed_history(league)
        past = sum(kept.get(key) != computed.get(key) for key in kept.keys() | computed.keys())
        settled = settles_in_any_order(list(store.results(league)), store.board(league), store.rating_settings(league))
        wrong = [] if printed is None else board_differences(store, league, printed, board, View(**part), anchored)
    labels = {key: version.label for key, version in versions.items()}
    miscounted = [labels[key] for key in found.different_counts]
    if as_json:
        app.json(
            {
                "league": league, "ratings": found.ratings, "matches": found.matches,
                "different": [labels[key] for key in different], "miscounted": miscounted,
                "ratings_after_nights": len(computed), "different_after_nights": past, "settled_in_any_order": settled,
                "board_lines": None if printed is None else len(printed.rows), "different_on_board": wrong,
            }
        )  # fmt: skip
    else:
        _tell(app, league, found, labels, wrong)
    if different:
        raise VerificationError(_differ(len(different), "rating", f"of {league}", "stored values"))
    if miscounted:
        raise VerificationError(f"the counts of {', '.join(miscounted)} in {league} differ from the matches")
    if past:
        raise VerificationError(_differ(past, "rating", f"after nights of {league}", "stored values"))
    if not settled:
        raise VerificationError(f"the settled ratings of {league} depend on the order of matches")
    if wrong:
        raise VerificationError(_differ(len(wrong), "value", f"of {board}", "stored matches"))
    if printed is not None and not as_json:
        app.say(f"all {len(printed.rows)} lines of {board} match the stored matches exactly")


def _tell(app: App, league: str, found: Verification, labels: dict[int, str], wrong: list[str]) -> None:
    if found.holds:
        app.say(f"all {found.ratings} ratings of {league} match the stored values exactly")
    elif found.different_ratings:
        lines = [(labels[d.version], *_numbers(d.stored), *_numbers(d.computed)) for d in found.different_ratings]
        app.say(columns(("bot", "stored mu", "sigma", "computed mu", "sigma"), lines))
    for line in wrong:
        app.say(terminal(line))


def _differ(count: int, what: str, of_what: str, expected: str) -> str:
    """Return the sentence that a number of values differ from the expected ones."""
    return f"{counted(count, what)} {of_what} {'differs' if count == 1 else 'differ'} from the {expected}"


def _numbers(found: object) -> tuple[float | None, float | None]:
    return getattr(found, "mu", None), getattr(found, "sigma", None)
