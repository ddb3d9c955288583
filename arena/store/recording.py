"""Store the outcome of matches: results, counts and replays, at most once for each match, and void attempts."""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, func, select, update

from arena.errors import StoreError
from arena.model.records import MatchRecord, Outcome, Program, Unkillable, VoidRecord
from arena.ratings.standings import Tally, microseconds, tally_match
from arena.store import tables
from arena.store.base import Queries, pages, storable
from arena.store.values import MatchState, Night

COUNTS = (
    "matches",
    "no_contests",
    "rank_sum",
    "opponents",
    "points",
    "wins",
    "draws",
    "losses",
    "turns",
    "time_us",
    "strikes",
)
"""Columns of a tally that are summed. Of `time_max_us`, the maximum is stored instead."""


class RecordQueries(Queries):
    """Queries that store the outcome of matches."""

    def record(self, night: Night, results: Sequence[MatchRecord]) -> tuple[int, ...]:
        """Store results in one transaction, each at most once, and return the positions of the matches that were new.

        A result is skipped if its match already has one. Raises `StoreError` for a match that is not planned.
        """
        if not results:
            return ()
        by_position: dict[int, MatchRecord] = {}
        for result in results:
            by_position.setdefault(result.position, result)
        with self._database.writing() as connection:
            seating = _await(connection, night, by_position)
            fresh = {position: result for position, result in by_position.items() if position in seating}
            for position, result in fresh.items():
                if len(result.seats) != len(seating[position]):
                    raise StoreError(
                        f"the result of {night.match_id(position)} has {len(result.seats)} seats: expected"
                        f" {len(seating[position])}"
                    )
            if fresh:
                self._write_results(connection, night, fresh)
                self._write_tallies(connection, night, fresh, seating)
                self._write_unkillable(connection, night, (bot for r in fresh.values() for bot in r.unkillable))
        return tuple(fresh)

    def record_void(self, night: Night, void: VoidRecord) -> int:
        """Store a void attempt, and return the number of void attempts at that match so far."""
        attempt = tables.attempt
        with self._database.writing() as connection:
            match_state(connection, night, void.position)
            here = (attempt.c.night_id == night.id) & (attempt.c.position == void.position)
            number = (connection.scalar(select(func.max(attempt.c.number)).where(here)) or 0) + 1
            connection.execute(
                attempt.insert().values(
                    night_id=night.id,
                    position=void.position,
                    number=number,
                    cause=void.cause,
                    traceback=storable(void.traceback),
                    at=self._moment(),
                )
            )
        return number

    def _write_results(self, connection: Connection, night: Night, fresh: Mapping[int, MatchRecord]) -> None:
        match, seat, moment = tables.match, tables.seat, self._moment()
        connection.execute(
            update(match)
            .where(match.c.night_id == night.id, match.c.position == bindparam("at"))
            .values(state=bindparam("to"), reason=bindparam("why"), turns=bindparam("length"), finished_at=moment),
            [
                {"at": position, "to": _STATES[result.outcome].value, "why": result.reason, "length": result.turns}
                for position, result in fresh.items()
            ],
        )
        connection.execute(
            update(seat)
            .where(seat.c.night_id == night.id, seat.c.position == bindparam("at"), seat.c.seat == bindparam("chair"))
            .values({name: bindparam(f"new_{name}") for name in _SEAT_COLUMNS}),
            [
                {
                    "at": position,
                    "chair": number,
                    "new_rank": result.rank,
                    "new_score": result.score,
                    "new_cause": None if result.cause is None else result.cause.value,
                    "new_detail": storable(result.detail),
                    "new_fault_turn": result.fault_turn,
                    "new_turns": result.turns,
                    "new_time_us": microseconds(result.time_total_s),
                    "new_time_max_us": microseconds(result.time_max_s),
                    "new_strikes": result.strikes,
                }
                for position, record in fresh.items()
                for number, result in enumerate(record.seats)
            ],
        )
        connection.execute(
            tables.replay.insert(),
            [
                {"night_id": night.id, "position": position, "data": zlib.compress(result.replay)}
                for position, result in fresh.items()
            ],
        )
        outputs = [
            {"night_id": night.id, "position": position, "seat": number, "stderr": result.stderr}
            for position, record in fresh.items()
            for number, result in enumerate(record.seats)
            if result.stderr
        ]
        if outputs:
            connection.execute(tables.seat_output.insert(), outputs)

    def _write_unkillable(self, connection: Connection, night: Night, found: Iterable[Unkillable]) -> None:
        """Store each bot once for each match. Raises `StoreError` for a bot that is not stored."""
        rows = [
            {
                "night_id": night.id,
                "position": bot.position,
                "version_id": version_id_of(connection, bot.program),
                "works": bot.works,
            }
            for bot in found
        ]
        if rows:
            connection.execute(self._upsert(tables.unkillable).on_conflict_do_nothing(), rows)

    def _write_tallies(
        self,
        connection: Connection,
        night: Night,
        fresh: Mapping[int, MatchRecord],
        seating: Mapping[int, Sequence[int]],
    ) -> None:
        sums: dict[tuple[int, int], Tally] = defaultdict(Tally)
        for position, result in fresh.items():
            versions = seating[position]
            for version_id, tally in zip(versions, tally_match(result.outcome, result.seats), strict=True):
                sums[len(versions), version_id] += tally
        # All processes use the same order, so two that update the same rows wait for each other and never deadlock.
        ordered = sorted(sums.items())
        insert = self._upsert(tables.tally)
        added: dict[str, Any] = {name: tables.tally.c[name] + insert.excluded[name] for name in COUNTS}
        greatest = func.max if self._database.is_sqlite else func.greatest
        added["time_max_us"] = greatest(tables.tally.c.time_max_us, insert.excluded.time_max_us)
        connection.execute(
            insert.on_conflict_do_update(index_elements=["night_id", "seats", "version_id"], set_=added),
            [
                {
                    "night_id": night.id,
                    "seats": seats,
                    "version_id": version_id,
                    "time_max_us": tally.time_max_us,
                    **{name: getattr(tally, name) for name in COUNTS},
                }
                for (seats, version_id), tally in ordered
            ],
        )
        forfeits = [
            {"night_id": night.id, "seats": seats, "version_id": version_id, "cause": cause.value, "forfeits": count}
            for (seats, version_id), tally in ordered
            for cause, count in sorted(tally.forfeits.items())
        ]
        if forfeits:
            insert = self._upsert(tables.forfeit_tally)
            more = {"forfeits": tables.forfeit_tally.c.forfeits + insert.excluded.forfeits}
            keys = ["night_id", "seats", "version_id", "cause"]
            connection.execute(insert.on_conflict_do_update(index_elements=keys, set_=more), forfeits)


_STATES = {Outcome.FINISHED: MatchState.FINISHED, Outcome.NO_CONTEST: MatchState.NO_CONTEST}
_SEAT_COLUMNS = (
    "rank",
    "score",
    "cause",
    "detail",
    "fault_turn",
    "turns",
    "time_us",
    "time_max_us",
    "strikes",
)


def _await(connection: Connection, night: Night, results: Mapping[int, MatchRecord]) -> dict[int, list[int]]:
    """Return the seating of the matches that have no result yet, by position. Lock their rows."""
    match, seat = tables.match, tables.seat
    states: dict[int, str] = {}
    seating: dict[int, list[int]] = {}
    for page in pages(results):
        query = select(match.c.position, match.c.state).where(match.c.night_id == night.id, match.c.position.in_(page))
        states.update(connection.execute(query.with_for_update()).all())
        query = (
            select(seat.c.position, seat.c.version_id)
            .where(seat.c.night_id == night.id, seat.c.position.in_(page))
            .order_by(seat.c.position, seat.c.seat)
        )
        for position, version_id in connection.execute(query):
            seating.setdefault(position, []).append(version_id)
    for position in results:
        state = states.get(position)
        if state in (MatchState.FINISHED, MatchState.NO_CONTEST):
            del seating[position]
        elif state != MatchState.PLANNED:
            raise StoreError(
                f"match {night.match_id(position)} is {state or 'not planned'}: its result cannot be stored"
            )
    return seating


def match_state(connection: Connection, night: Night, position: int) -> MatchState:
    """Return the state of a match. Raises `StoreError` if no match was planned at this position."""
    match = tables.match
    state = connection.scalar(select(match.c.state).where(match.c.night_id == night.id, match.c.position == position))
    if state is None:
        raise StoreError(f"match {night.match_id(position)} is not planned")
    return MatchState(state)


def version_id_of(connection: Connection, program: Program) -> int:
    """Return the id of the version that this program was started from. Raises `StoreError` if it is not stored."""
    version, bot = tables.version, tables.bot
    query = select(version.c.id).join(bot, bot.c.id == version.c.bot_id)
    found = connection.scalar(query.where(bot.c.name == program.name, version.c.number == program.version))
    if found is None:
        raise StoreError(f"{program.label} is not stored: nothing can be recorded about it")
    return int(found)
