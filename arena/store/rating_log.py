"""The match log of a league in the order of its rating fold, read page by page."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Connection, select

from arena.ratings.live import RatedMatch
from arena.store import tables
from arena.store.base import PAGE
from arena.store.values import MatchState


def next_page(
    connection: Connection, league: int, after: int, *, at_most: int = PAGE, nights: Collection[int] | None = None
) -> tuple[list[RatedMatch], int, bool]:
    """Return the next matches of the fold after a place, the last place of the page, and whether there may be more.

    The page has at most `at_most` matches. A match in which nobody finished is skipped, and an unplayed match ends the
    fold. With `nights` (ids), the matches of other nights are skipped.
    """
    match, seat = tables.match, tables.seat
    query = (
        select(match.c.place, match.c.night_id, match.c.position, match.c.state)
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
    finished = {(row.night_id, row.position): row.place for row in ready if row.state == MatchState.FINISHED}
    seats: dict[int, tuple[list[int], list[int]]] = {place: ([], []) for place in finished.values()}
    for night_id in sorted({night_id for night_id, _ in finished}):
        positions = [position for night, position in finished if night == night_id]
        rows = connection.execute(
            select(seat.c.position, seat.c.version_id, seat.c.rank)
            .where(seat.c.night_id == night_id, seat.c.position.in_(positions))
            .order_by(seat.c.position, seat.c.seat)
        )
        for position, version_id, rank in rows:
            versions, ranks = seats[finished[night_id, position]]
            versions.append(version_id)
            ranks.append(rank)
    page = [RatedMatch(place, tuple(versions), tuple(ranks)) for place, (versions, ranks) in seats.items()]
    return page, ready[-1].place, len(ready) == at_most or len(ready) < len(places)
