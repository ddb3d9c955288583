"""Views of stored matches: lists, a single match, its replay, the output of its bots, its void attempts."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Integer, Row, Select, and_, column, func, or_, select, text

from arena.errors import StoreError, UsageError
from arena.model.causes import Cause
from arena.ratings.standings import MICROSECONDS
from arena.store import tables
from arena.store.base import Queries, bot_id, league_id, pages, read_label
from arena.store.values import (
    AttemptView,
    MatchFilter,
    MatchState,
    MatchView,
    SeatView,
    read_match_id,
    write_match_id,
)


class MatchListing(Queries):
    """Queries about stored matches."""

    def matches(self, chosen: MatchFilter | None = None, *, limit: int = 50, offset: int = 0) -> list[MatchView]:
        """Return matches, newest nights and last positions first. Raises `UsageError` for an unknown name."""
        with self._database.reading() as connection:
            query = _filtered(connection, select(tables.match), chosen or MatchFilter())
            query = query.order_by(tables.match.c.night_id.desc(), tables.match.c.position.desc())
            return _views(connection, connection.execute(query.limit(limit).offset(offset)).all())

    def count_matches(self, chosen: MatchFilter | None = None) -> int:
        """Return how many matches the filter selects."""
        with self._database.reading() as connection:
            query = select(func.count()).select_from(tables.match)
            return connection.scalar(_filtered(connection, query, chosen or MatchFilter())) or 0

    def match(self, match_id: str) -> MatchView:
        """Return one match. Raises `UsageError` if no match has this id."""
        with self._database.reading() as connection:
            return _views(connection, [_find(connection, match_id)])[0]

    def replay(self, match_id: str) -> bytes:
        """Return the replay of a played match, as the referee wrote it. Raises `UsageError` if there is none."""
        with self._database.reading() as connection:
            row = _find(connection, match_id)
            replay = tables.replay
            data = connection.scalar(
                select(replay.c.data).where(replay.c.night_id == row.night_id, replay.c.position == row.position)
            )
        if data is None:
            raise UsageError(f"match {match_id} has no replay: it is {row.state}")
        try:
            return zlib.decompress(data)
        except zlib.error as error:
            raise StoreError(f"the replay of match {match_id} is damaged: {error}") from error

    def bot_output(self, match_id: str, seat: int) -> bytes:
        """Return head and tail of the stderr of a bot in one match; empty if it wrote nothing."""
        output = tables.seat_output
        with self._database.reading() as connection:
            row = _find(connection, match_id)
            data: bytes | None = connection.scalar(
                select(output.c.stderr).where(
                    output.c.night_id == row.night_id, output.c.position == row.position, output.c.seat == seat
                )
            )
        return data or b""

    def attempts(self, league: str, night: int | None = None, match_id: str | None = None) -> list[AttemptView]:
        """Return the void attempts in a league, in one of its nights, or at one match."""
        attempt, nights = tables.attempt, tables.night
        with self._database.reading() as connection:
            query = (
                select(attempt, nights.c.number.label("night"))
                .join(nights, nights.c.id == attempt.c.night_id)
                .where(nights.c.league_id == league_id(connection, league))
                .order_by(attempt.c.night_id, attempt.c.position, attempt.c.number)
            )
            if night is not None:
                query = query.where(nights.c.number == night)
            if match_id is not None:
                row = _find(connection, match_id)
                query = query.where(attempt.c.night_id == row.night_id, attempt.c.position == row.position)
            return [
                AttemptView(
                    write_match_id(league, row.night, row.position), row.number, row.cause, row.traceback, row.at
                )
                for row in connection.execute(query)
            ]


def _find(connection: Connection, match_id: str) -> Row[*tuple[Any, ...]]:
    league, number, position = read_match_id(match_id)
    match, night = tables.match, tables.night
    night_id = (
        select(night.c.id)
        .join(tables.league, tables.league.c.id == night.c.league_id)
        .where(tables.league.c.name == league, night.c.number == number)
        .scalar_subquery()
    )
    row = connection.execute(select(match).where(match.c.night_id == night_id, match.c.position == position)).first()
    if row is None:
        raise UsageError(f"there is no match {match_id!r}: `arena match list` lists all matches")
    return row


def _filtered(connection: Connection, query: Select[Any], chosen: MatchFilter) -> Select[Any]:
    match, night, seat = tables.match, tables.night, tables.seat
    if chosen.league is not None:
        nights = select(night.c.id).where(night.c.league_id == league_id(connection, chosen.league))
        if chosen.night is not None:
            nights = nights.where(night.c.number == chosen.night)
        # Pass ids, not a subquery: then matches are read in the order of their key, and only up to the limit.
        query = query.where(match.c.night_id.in_(connection.scalars(nights).all()))
    elif chosen.night is not None:
        raise UsageError(f"night {chosen.night} of which league? expected the name of a league too")
    if chosen.state is not None:
        query = query.where(match.c.state == chosen.state.value)
    if chosen.bot is not None or chosen.forfeits:
        # Start from the selected seats, not from all matches: a bot has thousands of them, the store has a million.
        if chosen.bot is None:
            found = _forfeits(connection).distinct().subquery()
        else:
            seats = select(seat.c.night_id, seat.c.position).where(
                seat.c.version_id.in_(_versions_of(connection, chosen.bot))
            )
            found = (seats.where(seat.c.cause.is_not(None)) if chosen.forfeits else seats).distinct().subquery()
        query = query.join(found, and_(found.c.night_id == match.c.night_id, found.c.position == match.c.position))
    return query


def _forfeits(connection: Connection) -> Select[int, int]:
    """Return a query for the match keys of all seats that forfeited."""
    hint = "INDEXED BY seat_forfeit" if connection.dialect.name == "sqlite" else ""
    sql = text(f"SELECT night_id, position FROM seat {hint} WHERE cause IS NOT NULL")  # noqa: S608 - nothing from outside
    keys = sql.columns(column("night_id", Integer), column("position", Integer)).subquery()
    return select(keys.c.night_id, keys.c.position)


def _versions_of(connection: Connection, label: str) -> list[int]:
    name, number = read_label(label)
    version = tables.version
    query = select(version.c.id).where(version.c.bot_id == bot_id(connection, name))
    if number is not None:
        query = query.where(version.c.number == number)
    found = list(connection.scalars(query))
    if not found:
        raise UsageError(f"bot {name!r} has no version {number}")
    return found


def _views(connection: Connection, rows: Sequence[Row[*tuple[Any, ...]]]) -> list[MatchView]:
    seats = _seats(connection, [(row.night_id, row.position) for row in rows])
    nights = {
        row.id: (row.name, row.number)
        for row in connection.execute(
            select(tables.night.c.id, tables.night.c.number, tables.league.c.name)
            .join(tables.league, tables.league.c.id == tables.night.c.league_id)
            .where(tables.night.c.id.in_({row.night_id for row in rows}))
        )
    }
    return [
        MatchView(
            match_id=write_match_id(*nights[row.night_id], row.position),
            league=nights[row.night_id][0],
            night=nights[row.night_id][1],
            position=row.position,
            round=row.round,
            encounter=row.encounter,
            rotation=row.rotation,
            state=MatchState(row.state),
            reason=row.reason,
            turns=row.turns,
            finished_at=row.finished_at,
            seats=tuple(seats[row.night_id, row.position]),
        )
        for row in rows
    ]


def _seats(connection: Connection, keys: Sequence[tuple[int, int]]) -> dict[tuple[int, int], list[SeatView]]:
    seat, version, bot = tables.seat, tables.version, tables.bot
    found: dict[tuple[int, int], list[SeatView]] = {key: [] for key in keys}
    for page in pages(keys, 200):
        nights: dict[int, list[int]] = {}
        for night_id, position in page:
            nights.setdefault(night_id, []).append(position)
        wanted = or_(*(and_(seat.c.night_id == key, seat.c.position.in_(at)) for key, at in nights.items()))
        query = (
            select(seat, bot.c.name, version.c.number)
            .join(version, version.c.id == seat.c.version_id)
            .join(bot, bot.c.id == version.c.bot_id)
            .where(wanted)
            .order_by(seat.c.night_id, seat.c.position, seat.c.seat)
        )
        for row in connection.execute(query):
            found[row.night_id, row.position].append(_seat(row))
    return found


def _seat(row: Row[*tuple[Any, ...]]) -> SeatView:
    return SeatView(
        seat=row.seat,
        version_id=row.version_id,
        bot=row.name,
        version=row.number,
        rank=row.rank,
        score=row.score,
        cause=None if row.cause is None else Cause(row.cause),
        detail=row.detail,
        fault_turn=row.fault_turn,
        turns=row.turns,
        time_total_s=row.time_us / MICROSECONDS,
        time_max_s=row.time_max_us / MICROSECONDS,
        strikes=row.strikes,
    )
