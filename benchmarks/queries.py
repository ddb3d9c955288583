"""Measure the queries of the pages that people read, in a store of 1,000 bots and 1,000,000 matches, and its size.

The store is generated once, which takes some time, and cached under `build/`. `python -m benchmarks.queries MATCHES`
uses a smaller one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from arena.reports import leaderboard
from arena.store.store import Store
from arena.store.values import MatchFilter
from benchmarks.filled_store import fill
from benchmarks.measure import describe_machine, interleaved, show
from benchmarks.memory import resident_mb
from benchmarks.peers import BUILD

BOTS = 1000
MATCHES = 1_000_000
LEAGUE = "filled"


def run(matches: int = MATCHES) -> None:
    """Print the table."""
    folder = BUILD / f"filled-{matches}"
    _generate(folder, matches)
    size = sum(path.stat().st_size for path in folder.glob("arena.db*"))
    print(f"\non disk: {size / 1e6:,.0f} MB, {size / matches:.0f} bytes a match, with its replay of 40 turns")
    with Store.open(folder) as store:
        before = resident_mb()
        cases: dict[str, Callable[[], float]] = {
            "leaderboard": _timed(lambda: leaderboard.render(leaderboard.rows(store.board(LEAGUE)), "table")),
            "first page of the match list": _timed(lambda: store.matches(MatchFilter(league=LEAGUE), limit=50)),
            "number of matches": _timed(lambda: store.count_matches(MatchFilter(league=LEAGUE))),
            "match list of one bot": _timed(lambda: store.matches(MatchFilter(league=LEAGUE, bot="bot0500"))),
            "bot page: versions, rating history": _timed(
                lambda: (store.versions("bot0500"), store.rating_history("bot0500", LEAGUE))
            ),
            "one match with its replay": _timed(lambda: store.replay(f"{LEAGUE}-1-{matches // 2}")),
        }
        show(f"Queries at {BOTS:,} bots and {matches:,} matches", "milliseconds", interleaved(cases))
        print(f"\nmemory of the querying process: {before:.0f} MB before, {resident_mb():.0f} MB after")


def _timed(query: Callable[[], object]) -> Callable[[], float]:
    def measure() -> float:
        began = perf_counter()
        query()
        return (perf_counter() - began) * 1e3

    return measure


def _generate(folder: Path, matches: int) -> None:
    done = folder / "done"
    if done.exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("arena.db*"):
        path.unlink()
    with Store.open(folder) as store:
        began = perf_counter()
        fill(store, LEAGUE, bots=BOTS, matches=matches)
        stored = perf_counter()
        store.update_ratings(LEAGUE)
        rated = perf_counter()
    done.write_text(
        f"stored {matches / (stored - began):.0f} matches a second, rated {matches / (rated - stored):.0f} a second\n"
    )


if __name__ == "__main__":
    print(describe_machine())
    run(int(sys.argv[1]) if len(sys.argv) > 1 else MATCHES)
