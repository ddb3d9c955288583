"""Interactive queries read only what they show, not the whole store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sqlalchemy import event

from arena.store.store import Store
from arena.store.values import MatchFilter, Night, View
from tests.support.store_cases import RULES, begin, entrants, plan, result

LEAGUE = RULES.name

QUERIES: dict[str, Callable[[Store, Night], object]] = {
    "board": lambda store, night: store.board(LEAGUE),
    "board of a view without matches": lambda store, night: store.board(LEAGUE, View(seats=9)),
    "unplayed": lambda store, night: store.unplayed(night),
    "unpark": lambda store, night: store.unpark(night),
    "rounds": lambda store, night: store.rounds(night),
    "forfeit streaks": lambda store, night: store.forfeit_streaks(night, 1),
    "ratings": lambda store, night: store.update_ratings(LEAGUE),
    "one match": lambda store, night: store.match(night.match_id(3)),
    "replay": lambda store, night: store.replay(night.match_id(3)),
    "matches of a league": lambda store, night: store.matches(MatchFilter(league=LEAGUE)),
    "matches of a night": lambda store, night: store.matches(MatchFilter(league=LEAGUE, night=1)),
    "matches of a bot": lambda store, night: store.matches(MatchFilter(bot="bot1")),
    "forfeits": lambda store, night: store.matches(MatchFilter(forfeits=True)),
    "history": lambda store, night: store.rating_history("bot1"),
    "attempts": lambda store, night: store.attempts(LEAGUE, match_id=night.match_id(3)),
    "entries": lambda store, night: store.entries(LEAGUE),
}

FULL_READS = ("SCAN match", "SCAN seat", "SCAN replay", "SCAN rating_history")
SORTED_NIGHT = "USE TEMP B-TREE FOR ORDER BY"


def plans(store: Store, query: Callable[[], object]) -> list[str]:
    """How SQLite would answer each SELECT of a query, step by step."""
    engine = store._database._engine
    steps: list[str] = []

    def explain(_connection: Any, cursor: Any, statement: str, parameters: Any, _context: Any, many: bool) -> None:
        if statement.startswith("SELECT") and not many:
            found = cursor.connection.execute("EXPLAIN QUERY PLAN " + statement, parameters)
            steps.extend(row[3] for row in found.fetchall())

    event.listen(engine, "before_cursor_execute", explain)
    try:
        query()
    finally:
        event.remove(engine, "before_cursor_execute", explain)
    return steps


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, Night]]:
    with Store.open(tmp_path_factory.mktemp("home")) as store:
        night = begin(store, 4)
        store.plan_round(night, plan(entrants(store, night), 40))
        store.record(night, [result(night, position) for position in range(38)])
        yield store, night


@pytest.mark.parametrize("name", QUERIES)
def test_no_query_reads_every_match(stored: tuple[Store, Night], name: str) -> None:
    """Each finds its rows by a key or an index."""
    store, night = stored
    steps = plans(store, lambda: QUERIES[name](store, night))
    assert steps
    # The index of forfeits holds those alone: to read all of it is to read what was asked for.
    assert [step for step in steps if step.startswith(FULL_READS) and "INDEX seat_forfeit" not in step] == []


@pytest.mark.parametrize("name", ["matches of a league", "matches of a night"])
def test_lists_stop_reading_when_the_page_is_full(stored: tuple[Store, Night], name: str) -> None:
    """Matches come in the order of their key: nothing is sorted that is not shown."""
    store, night = stored
    assert SORTED_NIGHT not in plans(store, lambda: QUERIES[name](store, night))


@pytest.mark.parametrize("name", ["unplayed", "unpark"])
def test_waiting_matches_are_found_among_those_that_wait(stored: tuple[Store, Night], name: str) -> None:
    """A night of a million played matches resumes at once."""
    store, night = stored
    assert any("match_waiting" in step for step in plans(store, lambda: QUERIES[name](store, night)))
