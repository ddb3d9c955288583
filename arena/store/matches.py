"""Planned matches: store a round, find its unplayed matches, read its results, park and unpark matches."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, Integer, TextualSelect, bindparam, column, func, select, text, update

from arena.errors import NightError
from arena.model.records import FinishedMatch, PlannedMatch
from arena.store import tables
from arena.store.base import Queries
from arena.store.nights import rounds_planned
from arena.store.rating_log import finished_matches
from arena.store.recording import match_state
from arena.store.values import ATTEMPTS, MatchState, Night, NightState

_WAITING = text(
    'SELECT position FROM "match"'
    " WHERE night_id = :night_id AND state IN ('planned', 'parked') AND state = :state ORDER BY position"
)
_WAITING_SQLITE = text(_WAITING.text.replace("WHERE", "INDEXED BY match_waiting WHERE"))
"""By default, SQLite reads the whole night. It can use the index because the `IN` condition is the index's own."""


class MatchQueries(Queries):
    """Queries for planning a night."""

    def plan_round(self, night: Night, matches: Sequence[PlannedMatch]) -> None:
        """Store the plan of one round atomically. Raises `NightError` for a position that is already planned."""
        if not matches:
            return
        match = tables.match
        with self._database.writing() as connection:
            first, last = (edge(planned.position for planned in matches) for edge in (min, max))
            clash = connection.scalar(
                select(func.min(match.c.position)).where(
                    match.c.night_id == night.id, match.c.position.between(first, last)
                )
            )
            if clash is not None:
                raise NightError(f"match {night.match_id(clash)} is already planned")
            key, place = _fold_end(connection, night)
            planned_rows = [
                {
                    "night_id": night.id,
                    "position": planned.position,
                    "league_id": key,
                    "place": place + index,
                    "round": planned.round,
                    "encounter": planned.encounter,
                    "rotation": planned.rotation,
                    "seats": len(planned.seating),
                    "state": MatchState.PLANNED.value,
                }
                for index, planned in enumerate(sorted(matches, key=lambda planned: planned.position))
            ]
            seat_rows = [
                {
                    "night_id": night.id,
                    "position": planned.position,
                    "seat": seat,
                    "version_id": version_id,
                    "detail": "",
                    "turns": 0,
                    "time_us": 0,
                    "time_max_us": 0,
                    "strikes": 0,
                }
                for planned in matches
                for seat, version_id in enumerate(planned.seating)
            ]
            connection.execute(match.insert(), planned_rows)
            connection.execute(tables.seat.insert(), seat_rows)

    def rounds(self, night: Night) -> int:
        """Return how many rounds are planned."""
        with self._database.reading() as connection:
            return rounds_planned(connection, night)

    def unplayed(self, night: Night) -> list[PlannedMatch]:
        """Return the planned matches without a result, in schedule order. Parked matches are not included."""
        match, seat = tables.match, tables.seat
        positions = self._waiting(night, MatchState.PLANNED).subquery()
        query = (
            select(match.c.position, match.c.round, match.c.encounter, match.c.rotation, seat.c.version_id)
            .select_from(positions)
            .join(match, (match.c.night_id == night.id) & (match.c.position == positions.c.position))
            .join(seat, (seat.c.night_id == match.c.night_id) & (seat.c.position == match.c.position))
            .order_by(match.c.position, seat.c.seat)
        )
        plans: dict[int, tuple[int, int, int, list[int]]] = {}
        with self._database.reading() as connection:
            for position, number, encounter, rotation, version_id in connection.execute(query):
                plans.setdefault(position, (number, encounter, rotation, []))[3].append(version_id)
        return [
            PlannedMatch(position, number, encounter, rotation, tuple(seating))
            for position, (number, encounter, rotation, seating) in plans.items()
        ]

    def round_results(self, night: Night, number: int) -> list[FinishedMatch]:
        """Return the finished matches of one round, counted from 0, in schedule order.

        A match that was ever parked is omitted, even if it has been played since. The later rounds were planned without
        its result, and the plan must not change.
        """
        match, seat, attempt = tables.match, tables.seat, tables.attempt
        here = (match.c.night_id == night.id) & (match.c.round == number)
        query = (
            select(match.c.position, match.c.encounter, match.c.place, seat.c.version_id, seat.c.rank)
            .join(seat, (seat.c.night_id == match.c.night_id) & (seat.c.position == match.c.position))
            .where(here, match.c.state == MatchState.FINISHED.value)
            .order_by(match.c.position, seat.c.seat)
        )
        tries = (
            select(attempt.c.position)
            .join(match, (attempt.c.night_id == match.c.night_id) & (attempt.c.position == match.c.position))
            .where(here)
            .group_by(attempt.c.position)
            .having(func.count() >= ATTEMPTS)
        )
        with self._database.reading() as connection:
            once_parked = set(connection.scalars(tries))
            rows = [tuple(row) for row in connection.execute(query) if row.position not in once_parked]
        return list(finished_matches(night.id, rows))

    def park(self, night: Night, position: int) -> None:
        """Park a match: it is not played now, and the rating fold continues without it."""
        match = tables.match
        with self._database.writing() as connection:
            state = match_state(connection, night, position)
            if state is not MatchState.PLANNED:
                raise NightError(
                    f"match {night.match_id(position)} is {state.value}: only a planned match can be parked"
                )
            connection.execute(
                update(match)
                .where(match.c.night_id == night.id, match.c.position == position)
                .values(state=MatchState.PARKED.value, place=None)
            )

    def unpark(self, night: Night) -> int:
        """Plan a night's parked matches again, at the end of the rating fold, and return their number.

        A closed night with parked matches is reopened. Raises `NightError` if another night of the league is open.
        """
        match, nights = tables.match, tables.night
        with self._database.writing() as connection:
            key, place = _fold_end(connection, night)
            other = connection.scalar(
                select(nights.c.number).where(
                    nights.c.league_id == key, nights.c.state == NightState.OPEN.value, nights.c.id != night.id
                )
            )
            if other is not None:
                raise NightError(f"night {other} of {night.league} is open: its matches come first")
            positions = connection.scalars(self._waiting(night, MatchState.PARKED)).all()
            if positions:
                connection.execute(
                    update(match)
                    .where(match.c.night_id == night.id, match.c.position == bindparam("at"))
                    .values(state=MatchState.PLANNED.value, place=bindparam("to")),
                    [{"at": position, "to": place + index} for index, position in enumerate(positions)],
                )
                connection.execute(
                    update(nights)
                    .where(nights.c.id == night.id, nights.c.state == NightState.CLOSED.value)
                    .values(state=NightState.OPEN.value, ended_at=None)
                )
        return len(positions)

    def _waiting(self, night: Night, state: MatchState) -> TextualSelect:
        """Return a query for the positions, ascending, of a night's planned or parked matches."""
        sql = _WAITING_SQLITE if self._database.is_sqlite else _WAITING
        return sql.bindparams(night_id=night.id, state=state.value).columns(column("position", Integer))


def _fold_end(connection: Connection, night: Night) -> tuple[int, int]:
    """Return the league's id, and the first free place of its rating fold."""
    found = select(tables.night.c.league_id, tables.night.c.state).where(tables.night.c.id == night.id)
    row = connection.execute(found.with_for_update()).first()
    if row is None:
        raise NightError(f"night {night.number} of {night.league} is not stored")
    last = connection.scalar(select(func.max(tables.match.c.place)).where(tables.match.c.league_id == row.league_id))
    rated = connection.scalar(select(tables.league.c.rated_place).where(tables.league.c.id == row.league_id))
    # A place before the checkpoint of the ratings is never used again, even if its match was parked.
    return row.league_id, max(-1 if last is None else last, -1 if rated is None else rated) + 1
