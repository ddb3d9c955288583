"""Leagues, their nights, and the entrants of nights."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, Row, func, select, update

from arena.errors import NightError, SettingsError, UsageError
from arena.model.rules import LeagueRules
from arena.ratings.live import RatingSettings
from arena.store import tables
from arena.store.base import Queries, insert_row, league_id, to_json
from arena.store.bots import find_versions_by_id
from arena.store.league_identity import changed_sentence, fixed_part
from arena.store.values import (
    Entrant,
    EntrantState,
    ForfeitStreak,
    League,
    MatchState,
    NewNight,
    Night,
    NightCounts,
    NightState,
)

_NIGHT = select(tables.night, tables.league.c.name.label("league")).join(
    tables.league, tables.league.c.id == tables.night.c.league_id
)
_PLAYED = (MatchState.FINISHED.value, MatchState.NO_CONTEST.value)


class NightQueries(Queries):
    """Queries about leagues, nights and entrants."""

    def keep_league(self, rules: LeagueRules, rating: RatingSettings) -> League:
        """Store a league, so that bots can enter it. Its fixed settings may change until its first night.

        Raises `SettingsError`, which names the difference, if game, options or rating settings differ from those of
        its nights.
        """
        with self._database.writing() as connection:
            self._keep_league(connection, rules, rating)
            return _leagues(connection, rules.name)[0]

    def league_change(self, rules: LeagueRules, rating: RatingSettings) -> str | None:
        """Return the message that `keep_league` would raise; None if the settings are allowed. Stores nothing."""
        wanted = fixed_part(rules, rating)
        for league in self.leagues():
            stored = {
                "game": league.game,
                "options": to_json(league.options),
                "rating": to_json(league.rating.as_json()),
            }
            if league.name == rules.name and league.nights and stored != wanted:
                return changed_sentence(rules.name, stored, wanted)
        return None

    def leagues(self) -> list[League]:
        """Return every stored league, in order of their names."""
        with self._database.reading() as connection:
            return _leagues(connection, None)

    def league(self, name: str) -> League:
        """Return the stored league with this name. Raises `UsageError` if there is none."""
        with self._database.reading() as connection:
            league_id(connection, name)
            return _leagues(connection, name)[0]

    def has_league(self, name: str) -> bool:
        """Return whether a league with this name is stored. A league of the settings is stored when a bot enters it."""
        with self._database.reading() as connection:
            found = select(tables.league.c.id).where(tables.league.c.name == name)
            return connection.scalar(found) is not None

    def create_night(self, new: NewNight) -> Night:
        """Create a night with its entrants, in one transaction.

        Raises `NightError` if the league has an open night, and `SettingsError` as `keep_league` does.
        """
        with self._database.writing() as connection:
            league = self._keep_league(connection, new.rules, new.rating)
            nights = tables.night
            open_number = connection.scalar(
                select(nights.c.number).where(nights.c.league_id == league, nights.c.state == NightState.OPEN.value)
            )
            if open_number is not None:
                raise NightError(
                    f"night {open_number} of {new.rules.name} is not finished: resume it with `arena night resume"
                    f" {new.rules.name}`, or abandon it with `arena night abandon {new.rules.name}`"
                )
            last = connection.scalar(select(func.max(nights.c.number)).where(nights.c.league_id == league)) or 0
            values = {
                "league_id": league,
                "number": last + 1,
                "state": NightState.OPEN.value,
                "seed": new.seed.hex(),
                "rules": to_json(new.rules.model_dump(mode="json")),
                "plan": to_json(dict(new.plan)),
                "sandbox": to_json(list(new.sandbox)),
                "started_at": self._moment(),
            }
            key = insert_row(connection, nights, values)
            if new.entrants:
                rows = [_entrant_row(key, version, place, 0) for place, version in enumerate(new.entrants)]
                connection.execute(tables.entrant.insert(), rows)
            return _one_night(connection, key)

    def open_night(self, league: str) -> Night | None:
        """Return the league's open night; None if there is none, or if the league is not stored."""
        with self._database.reading() as connection:
            query = _NIGHT.where(tables.league.c.name == league, tables.night.c.state == NightState.OPEN.value)
            row = connection.execute(query).first()
            return None if row is None else _night(row)

    def nights(self, league: str | None = None) -> list[Night]:
        """Return all nights, or those of one league, newest first. Raises `UsageError` for an unknown league."""
        with self._database.reading() as connection:
            query = _NIGHT.order_by(tables.night.c.id.desc())
            if league is not None:
                query = query.where(tables.night.c.league_id == league_id(connection, league))
            return [_night(row) for row in connection.execute(query)]

    def night(self, league: str, number: int | None = None) -> Night:
        """Return one night of a league, by default the newest. Raises `UsageError` if there is none."""
        found = self.nights(league)
        if not found:
            raise UsageError(f"league {league!r} has had no night yet: `arena night run {league}` plays one")
        if number is None:
            return found[0]
        for night in found:
            if night.number == number:
                return night
        raise UsageError(f"league {league!r} has no night {number}: expected one of 1 to {found[0].number}")

    def night_counts(self, night: Night) -> NightCounts:
        """Return the progress of a night: its numbers of matches by state, of void attempts, and of rounds."""
        match = tables.match
        with self._database.reading() as connection:
            by_state = select(match.c.state, func.count()).where(match.c.night_id == night.id).group_by(match.c.state)
            states: dict[str, int] = dict(connection.execute(by_state).all())
            rounds = rounds_planned(connection, night)
            attempts = connection.scalar(
                select(func.count()).select_from(tables.attempt).where(tables.attempt.c.night_id == night.id)
            )
        return NightCounts(
            planned=states.get(MatchState.PLANNED, 0),
            finished=states.get(MatchState.FINISHED, 0),
            no_contests=states.get(MatchState.NO_CONTEST, 0),
            parked=states.get(MatchState.PARKED, 0),
            abandoned=states.get(MatchState.ABANDONED, 0),
            attempts=attempts or 0,
            rounds=rounds,
        )

    def close_night(self, night: Night) -> Night:
        """Close a night. Parked matches stay parked. Raises `NightError` while there are unplayed matches."""
        with self._database.writing() as connection:
            _require_open(connection, night)
            match = tables.match
            waiting = connection.scalar(
                select(func.count()).where(match.c.night_id == night.id, match.c.state == MatchState.PLANNED.value)
            )
            if waiting:
                raise NightError(
                    f"night {night.number} of {night.league} cannot close: {waiting} matches are still unplayed"
                )
            return self._end(connection, night, NightState.CLOSED)

    def abandon_night(self, night: Night) -> Night:
        """Abandon a night: its results remain, and its planned and parked matches will never be played."""
        with self._database.writing() as connection:
            _require_open(connection, night)
            match = tables.match
            connection.execute(
                update(match)
                .where(
                    match.c.night_id == night.id,
                    match.c.state.in_([MatchState.PLANNED.value, MatchState.PARKED.value]),
                )
                .values(state=MatchState.ABANDONED.value, place=None)
            )
            return self._end(connection, night, NightState.ABANDONED)

    def entrants(self, night: Night) -> list[Entrant]:
        """Return all entrants that play or played in a night, in the order that the plan depends on."""
        entrant = tables.entrant
        with self._database.reading() as connection:
            rows = connection.execute(
                select(entrant).where(entrant.c.night_id == night.id).order_by(entrant.c.place)
            ).all()
            versions = find_versions_by_id(connection, [row.version_id for row in rows])
        return [
            Entrant(versions[row.version_id], EntrantState(row.state), row.since_round, row.until_round, row.reason)
            for row in rows
        ]

    def add_entrant(self, night: Night, version_id: int, *, since_round: int) -> None:
        """Let a version play from a round on. A version that was dropped or suspended plays again."""
        entrant = tables.entrant
        with self._database.writing() as connection:
            _require_open(connection, night)
            here = (entrant.c.night_id == night.id) & (entrant.c.version_id == version_id)
            again = connection.execute(
                update(entrant)
                .where(here)
                .values(state=EntrantState.ACTIVE.value, since_round=since_round, until_round=None, reason="")
            )
            if again.rowcount == 0:
                last = connection.scalar(select(func.max(entrant.c.place)).where(entrant.c.night_id == night.id))
                place = 0 if last is None else last + 1
                connection.execute(entrant.insert().values(_entrant_row(night.id, version_id, place, since_round)))

    def end_entrant(
        self, night: Night, version_id: int, state: EntrantState, *, until_round: int, reason: str = ""
    ) -> None:
        """Suspend or drop an entrant from a round on. Raises `NightError` for a version that is not an entrant."""
        entrant = tables.entrant
        with self._database.writing() as connection:
            _require_open(connection, night)
            ended = connection.execute(
                update(entrant)
                .where(entrant.c.night_id == night.id, entrant.c.version_id == version_id)
                .values(state=state.value, until_round=until_round, reason=reason)
            )
            if ended.rowcount == 0:
                raise NightError(f"version id {version_id} is not an entrant of night {night.number} of {night.league}")

    def forfeit_streaks(self, night: Night, at_least: int) -> list[ForfeitStreak]:
        """Return the active entrants that forfeited at least their last `at_least` matches, in schedule order."""
        streaks: list[ForfeitStreak] = []
        entrant, forfeit = tables.entrant, tables.forfeit_tally
        # Check only versions with at least this number of forfeits in the whole night.
        often = (
            select(forfeit.c.version_id)
            .where(forfeit.c.night_id == night.id)
            .group_by(forfeit.c.version_id)
            .having(func.sum(forfeit.c.forfeits) >= at_least)
        )
        with self._database.reading() as connection:
            candidates = connection.scalars(
                select(entrant.c.version_id)
                .where(
                    entrant.c.night_id == night.id,
                    entrant.c.state == EntrantState.ACTIVE.value,
                    entrant.c.version_id.in_(often),
                )
                .order_by(entrant.c.place)
            ).all()
            for version_id in candidates:
                length = _leading(_last_causes(connection, night, version_id, at_least))
                if length >= at_least:
                    streaks.append(ForfeitStreak(version_id, length))
        return streaks

    def _keep_league(self, connection: Connection, rules: LeagueRules, rating: RatingSettings) -> int:
        league = tables.league
        fixed = fixed_part(rules, rating)
        row = connection.execute(select(league).where(league.c.name == rules.name)).first()
        if row is None:
            values = {"name": rules.name, "rated_place": -1, "created_at": self._moment(), **fixed}
            return insert_row(connection, league, values)
        stored = {name: getattr(row, name) for name in fixed}
        if stored != fixed:
            if connection.scalar(select(func.count()).where(tables.night.c.league_id == row.id)):
                raise SettingsError(changed_sentence(rules.name, stored, fixed))
            connection.execute(update(league).where(league.c.id == row.id).values(fixed))
        return int(row.id)

    def _end(self, connection: Connection, night: Night, state: NightState) -> Night:
        connection.execute(
            update(tables.night).where(tables.night.c.id == night.id).values(state=state.value, ended_at=self._moment())
        )
        return _one_night(connection, night.id)


def _require_open(connection: Connection, night: Night) -> None:
    state = connection.scalar(select(tables.night.c.state).where(tables.night.c.id == night.id))
    if state != NightState.OPEN:
        raise NightError(f"night {night.number} of {night.league} is {state or 'not stored'}, not open")


def rounds_planned(connection: Connection, night: Night) -> int:
    """Return how many rounds of a night are planned. The last position is in the last round; the key finds it."""
    match = tables.match
    query = select(match.c.round).where(match.c.night_id == night.id).order_by(match.c.position.desc()).limit(1)
    last = connection.scalar(query)
    return 0 if last is None else last + 1


def league_rating(connection: Connection, key: int) -> RatingSettings:
    """Return the rating settings of a league."""
    stored = connection.scalar(select(tables.league.c.rating).where(tables.league.c.id == key))
    return RatingSettings(**json.loads(stored or "{}"))


def _one_night(connection: Connection, key: int) -> Night:
    return _night(connection.execute(_NIGHT.where(tables.night.c.id == key)).one())


def _night(row: Row[*tuple[Any, ...]]) -> Night:
    return Night(
        id=row.id,
        league=row.league,
        number=row.number,
        state=NightState(row.state),
        seed=bytes.fromhex(row.seed),
        rules=LeagueRules.model_validate_json(row.rules),
        plan=json.loads(row.plan),
        sandbox=tuple(json.loads(row.sandbox)),
        started_at=row.started_at,
        ended_at=row.ended_at,
    )


def _leagues(connection: Connection, name: str | None) -> list[League]:
    league, entry, night = tables.league, tables.entry, tables.night
    bots = (
        select(func.count())
        .where(entry.c.league_id == league.c.id, entry.c.withdrawn_at.is_(None))
        .correlate(league)
        .scalar_subquery()
    )
    nights = select(func.count()).where(night.c.league_id == league.c.id).correlate(league).scalar_subquery()
    query = select(league, bots.label("bots"), nights.label("nights")).order_by(league.c.name)
    if name is not None:
        query = query.where(league.c.name == name)
    return [
        League(
            id=row.id,
            name=row.name,
            game=row.game,
            options=json.loads(row.options),
            rating=RatingSettings(**json.loads(row.rating)),
            bots=row.bots,
            nights=row.nights,
            created_at=row.created_at,
        )
        for row in connection.execute(query)
    ]


def _entrant_row(night_id: int, version_id: int, place: int, since_round: int) -> dict[str, Any]:
    return {
        "night_id": night_id,
        "version_id": version_id,
        "place": place,
        "state": EntrantState.ACTIVE.value,
        "since_round": since_round,
        "reason": "",
    }


def _last_causes(connection: Connection, night: Night, version_id: int, count: int) -> list[str | None]:
    """Return the forfeit causes of a version's last matches with a result, last match first; None for no forfeit."""
    seat, match = tables.seat, tables.match
    # The positions come from the index of a version's matches, which contains all columns that this query needs of
    # `seat`.
    last = (
        select(seat.c.position)
        .join(match, (match.c.night_id == seat.c.night_id) & (match.c.position == seat.c.position))
        .where(seat.c.version_id == version_id, seat.c.night_id == night.id, match.c.state.in_(_PLAYED))
        .order_by(seat.c.position.desc())
        .limit(count)
    )
    positions = connection.scalars(last).all()
    causes = (
        select(seat.c.cause)
        .where(seat.c.night_id == night.id, seat.c.position.in_(positions), seat.c.version_id == version_id)
        .order_by(seat.c.position.desc())
    )
    return list(connection.scalars(causes))


def _leading(causes: Iterable[str | None]) -> int:
    length = 0
    for cause in causes:
        if cause is None:
            break
        length += 1
    return length
