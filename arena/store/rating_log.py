"""The match log of a league in the order of its rating fold, read page by page."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import groupby

from sqlalchemy import Connection, select

from arena.model.records import FinishedMatch
from arena.store import tables
from arena.store.base import PAGE
from arena.store.values import MatchState


def next_page(
    connection: Connection, league: int, after: int, *, at_most: int = PAGE, nights: Collection[int] | None = None
) -> tuple[list[FinishedMatch], int, bool]:
    """Return the next matches of the fold after a place, the last place of the page, and whether there may be more.

    The page has at most `at_most` matches. A match in which nobody finished is skipped, and an unplayed match ends the
    fold. With `nights` (ids), the matches of other nights are skipped.
    """
    match, seat = tables.match, tables.seat
    query = (
        select(match.c.place, match.c.night_id, match.c.position, match.c.encounter, match.c.state)
        .where(match.c.league_id == league, match.c.place > after)
        .order_by(match.c.place)
        .limit(at_most)
    )
    if nights is not None:
        query = query.where(match.c.night_id.in_(nights))
    places = connection.execute(query).all()
    ready = []
    for row in places:
        # A page never continues into another night, so the ratings after the last page of a night are its final ones.
        if row.state == MatchState.PLANNED or row.night_id != places[0].night_id:
            break
        ready.append(row)
    if not ready:
        return [], after, False
    finished = {row.position: row for row in ready if row.state == MatchState.FINISHED}
    rows = connection.execute(
        select(seat.c.position, seat.c.version_id, seat.c.rank)
        .where(seat.c.night_id == ready[0].night_id, seat.c.position.in_(list(finished)))
        .order_by(seat.c.position, seat.c.seat)
    )
    seats = [
        (position, finished[position].encounter, finished[position].place, version_id, rank)
        for position, version_id, rank in rows
    ]
    # An unparked match has a later place than matches with higher positions.
    page = sorted(finished_matches(ready[0].night_id, seats), key=lambda match: match.place)
    return page, ready[-1].place, len(ready) == at_most or len(ready) < len(places)


def finished_matches(night_id: int, seats: Iterable[tuple[int, int, int, int, int]]) -> Iterator[FinishedMatch]:
    """Yield the matches of a night to which these rows belong: position, encounter, place, version id and rank.

    The rows must be in the order of positions and seats.
    """
    for (_, encounter, place), rows in groupby(seats, key=lambda row: row[:3]):
        match = list(rows)
        versions, ranks = tuple(row[3] for row in match), tuple(row[4] for row in match)
        yield FinishedMatch(versions, ranks, (night_id, encounter), place)
