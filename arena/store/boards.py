"""Ratings and leaderboards: read from counts that are stored with each result, not from all matches."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from datetime import datetime
from itertools import groupby, pairwise
from typing import Any

from sqlalchemy import Connection, Row, Table, func, select, update

from arena.model.causes import Cause
from arena.model.records import FinishedMatch, Outcome, SeatResult
from arena.ratings.live import Rating, RatingSettings, compare, fold
from arena.ratings.standings import MICROSECONDS, BoardEntry, Contender, Tally, tally_match
from arena.store import tables
from arena.store.base import PAGE, Queries, bot_id, league_id, pages
from arena.store.nights import league_rating
from arena.store.rating_log import next_page
from arena.store.recording import COUNTS
from arena.store.values import TELLING_S, MatchState, PlayingTime, RatingPoint, Verification, View

STANDSTILL_S = 60
"""A night in which no match ended for this number of seconds was not running during that time."""
_NIGHTS = 20
"""Maximum number of nights from which playing times are read."""


class BoardQueries(Queries):
    """Queries about ratings and leaderboards."""

    def update_ratings(self, league: str, *, at_most: int | None = None) -> int:
        """Update the ratings with all matches that are ready, or with at most `at_most`. Return their number.

        The fold continues from the checkpoint, in schedule order, up to the first unplayed match; 0 means that it was
        reached. Each page is one transaction, so a kill in between loses nothing, and each match counts at most once.
        """
        total = 0
        while True:
            with self._database.writing() as connection:
                key = league_id(connection, league)
                after = _checkpoint(connection, key, lock=True)
                page, reached, more = next_page(connection, key, after, at_most=at_most or PAGE)
                if reached > after:
                    versions = sorted({version for match in page for version in match.versions})
                    before = _ratings(connection, key, versions)
                    rated = fold(before, page, league_rating(connection, key))
                    self._save(connection, key, rated, page)
                    _set_checkpoint(connection, key, reached)
                total += len(page)
            if not more or (at_most and page):
                return total

    def match_times(self, league: str) -> dict[int, float]:
        """Return, for each played number of seats, the mean charged time of a match over all seats, in seconds."""
        tally, night = tables.tally, tables.night
        with self._database.reading() as connection:
            query = (
                select(tally.c.seats, func.sum(tally.c.matches), func.sum(tally.c.time_us))
                .join(night, night.c.id == tally.c.night_id)
                .where(night.c.league_id == league_id(connection, league))
                .group_by(tally.c.seats)
                .order_by(tally.c.seats)
            )
            rows = connection.execute(query).all()
        return {seats: int(time_us) / 1e6 * seats / int(matches) for seats, matches, time_us in rows if matches}

    def playing_times(self, league: str) -> list[PlayingTime]:
        """Return the playing times of the newest nights that have results, newest first.

        The list ends with the first night that took long enough to be useful, or after 20 nights. The times include
        starting bots, turns and storing. A gap of more than a minute without a finished match is omitted, because the
        night was not running. The resolution is one second.
        """
        tally, night = tables.tally, tables.night
        found: list[PlayingTime] = []
        with self._database.reading() as connection:
            played = select(tally.c.night_id).where(tally.c.night_id == night.c.id).exists()
            query = select(night.c.id, night.c.number, night.c.started_at).where(played)
            query = query.where(night.c.league_id == league_id(connection, league)).order_by(night.c.number.desc())
            for row in connection.execute(query.limit(_NIGHTS)).all():
                matches, wall_s = _playing_time(connection, row.id, row.started_at)
                found.append(PlayingTime(row.number, matches, wall_s))
                if wall_s >= TELLING_S:
                    break
        return found

    def ratings(self, league: str) -> dict[int, Rating]:
        """Return the stored rating of every version that has one."""
        with self._database.reading() as connection:
            return _ratings(connection, league_id(connection, league), None)

    def board(self, league: str, view: View | None = None) -> list[BoardEntry]:
        """Return every version that has played in a league, or in a view of it, with its counts and rating.

        For the whole league, stored counts and ratings are read, so the time does not depend on the number of matches.
        The ratings of a view are folded from its matches. The list is in the order of version ids.
        """
        view = view or View()
        with self._database.reading() as connection:
            key = league_id(connection, league)
            settings = league_rating(connection, key)
            nights = chosen_nights(connection, key, view)
            tallies = _tallies(connection, nights, view.seats)
            contenders = _contenders(connection, key, list(tallies))
            ratings = (
                _ratings(connection, key, None) if view.is_whole else _refold(connection, key, nights, view, settings)
            )
        return [
            BoardEntry(contenders[version_id], tally, ratings.get(version_id, settings.prior))
            for version_id, tally in sorted(tallies.items())
        ]

    def rating_history(self, bot: str, league: str | None = None) -> list[RatingPoint]:
        """Return the ratings of every version of a bot after each night that it played, oldest night first.

        Raises `UsageError` for an unknown bot or league.
        """
        history, version, night = tables.rating_history, tables.version, tables.night
        with self._database.reading() as connection:
            query = (
                select(
                    history.c.night_id,
                    history.c.version_id,
                    history.c.mu,
                    history.c.sigma,
                    version.c.number.label("version"),
                    night.c.number.label("night"),
                    night.c.started_at,
                    tables.league.c.name.label("league"),
                )
                .join(version, version.c.id == history.c.version_id)
                .join(night, night.c.id == history.c.night_id)
                .join(tables.league, tables.league.c.id == night.c.league_id)
                .where(version.c.bot_id == bot_id(connection, bot))
                .order_by(night.c.id, version.c.number)
            )
            if league is not None:
                query = query.where(night.c.league_id == league_id(connection, league))
            points = connection.execute(query).all()
            nights = {point.night_id for point in points}
            tallies = {night_id: _tallies(connection, [night_id], None) for night_id in nights}
        return [
            RatingPoint(
                league=point.league,
                night=point.night,
                version=point.version,
                rating=Rating(point.mu, point.sigma),
                tally=tallies[point.night_id][point.version_id],
                started_at=point.started_at,
            )
            for point in points
        ]

    def verify(self, league: str) -> Verification:
        """Compute all ratings and counts of a league again from its stored matches, and compare them exactly.

        All queries read one snapshot of the store, so this can run during a night.
        """
        with self._database.reading() as connection:
            key = league_id(connection, league)
            reached = _checkpoint(connection, key)
            settings = league_rating(connection, key)
            computed: dict[int, Rating] = {}
            matches = 0
            after, more = -1, True
            while more:
                page, after, more = next_page(connection, key, after)
                page = [match for match in page if match.place <= reached]
                computed = fold(computed, page, settings)
                matches += len(page)
                more = more and after < reached
            differences = compare(_ratings(connection, key, None), computed)
            nights = chosen_nights(connection, key, View())
            stored = _tallies(connection, nights, None)
            counted: dict[int, Tally] = {}
            for night_id in nights:
                position: int | None = -1
                while position is not None:
                    position = _count_page(connection, night_id, position, counted)
        miscounted = [key for key in sorted(stored.keys() | counted) if stored.get(key) != counted.get(key)]
        return Verification(len(computed), matches, tuple(differences), tuple(miscounted))

    def _save(self, connection: Connection, key: int, ratings: Mapping[int, Rating], log: list[FinishedMatch]) -> None:
        last = {version_id: match.place for match in log for version_id in match.versions}
        match = tables.match
        where: dict[int, tuple[int, int, int]] = {}
        for page in pages(sorted(set(last.values()))):
            query = (
                select(match.c.place, match.c.night_id, tables.night.c.number, match.c.position)
                .join(tables.night, tables.night.c.id == match.c.night_id)
                .where(match.c.league_id == key, match.c.place.in_(page))
            )
            where.update((place, (night_id, number, at)) for place, night_id, number, at in connection.execute(query))
        rated = [(version_id, *where[place]) for version_id, place in sorted(last.items()) if place in where]
        if not rated:
            return
        beliefs = {version_id: {"mu": belief.mu, "sigma": belief.sigma} for version_id, belief in ratings.items()}
        self._replace(
            connection,
            tables.rating,
            [
                {
                    "league_id": key,
                    "version_id": version_id,
                    "through_night": number,
                    "through_position": position,
                    **beliefs[version_id],
                }
                for version_id, _, number, position in rated
            ],
        )
        self._replace(
            connection,
            tables.rating_history,
            [
                {"night_id": night_id, "version_id": version_id, **beliefs[version_id]}
                for version_id, night_id, _, _ in rated
            ],
        )

    def _replace(self, connection: Connection, table: Table, rows: list[dict[str, Any]]) -> None:
        """Insert the rows. A row replaces an existing row with the same key."""
        insert = self._upsert(table)
        keys = list(table.primary_key.columns.keys())
        rest = {name: insert.excluded[name] for name in rows[0] if name not in keys}
        connection.execute(insert.on_conflict_do_update(index_elements=keys, set_=rest), rows)


def _playing_time(connection: Connection, night_id: int, began_at: str) -> tuple[dict[int, int], float]:
    """Return the number of matches of a night by number of seats, and the time in which they were played."""
    match = tables.match
    query = (
        select(match.c.finished_at, match.c.seats, func.count())
        .where(match.c.night_id == night_id, match.c.finished_at.is_not(None))
        .group_by(match.c.finished_at, match.c.seats)
        .order_by(match.c.finished_at)
    )
    rows = connection.execute(query).all()
    matches: Counter[int] = Counter()
    for _, seats, count in rows:
        matches[seats] += count
    moments = [datetime.fromisoformat(moment) for moment in [began_at, *(row[0] for row in rows)] if moment]
    gaps = [(after - before).total_seconds() for before, after in pairwise(moments)]
    return dict(matches), sum(gap for gap in gaps if 0 < gap <= STANDSTILL_S)


def _checkpoint(connection: Connection, key: int, *, lock: bool = False) -> int:
    query = select(tables.league.c.rated_place).where(tables.league.c.id == key)
    place: int | None = connection.scalar(query.with_for_update() if lock else query)
    assert place is not None
    return place


def _set_checkpoint(connection: Connection, key: int, place: int) -> None:
    connection.execute(update(tables.league).where(tables.league.c.id == key).values(rated_place=place))


def _ratings(connection: Connection, key: int, versions: list[int] | None) -> dict[int, Rating]:
    rating = tables.rating
    query = select(rating.c.version_id, rating.c.mu, rating.c.sigma).where(rating.c.league_id == key)
    if versions is None:
        return {version: Rating(mu, sigma) for version, mu, sigma in connection.execute(query)}
    found: dict[int, Rating] = {}
    for page in pages(versions):
        rows = connection.execute(query.where(rating.c.version_id.in_(page)))
        found.update((version, Rating(mu, sigma)) for version, mu, sigma in rows)
    return found


def chosen_nights(connection: Connection, key: int, view: View) -> list[int]:
    """Return the ids of the nights of a league that belong to a view, oldest first."""
    night = tables.night
    query = select(night.c.id).where(night.c.league_id == key).order_by(night.c.id)
    if view.night is not None:
        query = query.where(night.c.number == view.night)
    if view.since is not None:
        query = query.where(night.c.started_at >= view.since)
    return list(connection.scalars(query))


def _tallies(connection: Connection, nights: list[int], seats: int | None) -> dict[int, Tally]:
    forfeits: dict[int, dict[Cause, int]] = defaultdict(dict)
    table = tables.forfeit_tally
    for page in pages(nights):
        query: Any = (
            select(table.c.version_id, table.c.cause, func.sum(table.c.forfeits))
            .where(table.c.night_id.in_(page))
            .group_by(table.c.version_id, table.c.cause)
            .order_by(table.c.version_id, table.c.cause)
        )
        if seats is not None:
            query = query.where(table.c.seats == seats)
        for version_id, cause, count in connection.execute(query):
            counts = forfeits[version_id]
            counts[Cause(cause)] = counts.get(Cause(cause), 0) + int(count)
    tallies: dict[int, Tally] = {}
    table = tables.tally
    for page in pages(nights):
        sums = [func.sum(table.c[name]).label(name) for name in COUNTS]
        query = (
            select(table.c.version_id, func.max(table.c.time_max_us).label("time_max_us"), *sums)
            .where(table.c.night_id.in_(page))
            .group_by(table.c.version_id)
        )
        if seats is not None:
            query = query.where(table.c.seats == seats)
        for row in connection.execute(query).mappings():
            values: dict[str, Any] = {name: int(row[name]) for name in ("time_max_us", *COUNTS)}
            version_id = row["version_id"]
            tallies[version_id] = tallies.get(version_id, Tally()) + Tally(**values)
    return {
        version_id: tally + Tally(forfeits=forfeits[version_id]) if version_id in forfeits else tally
        for version_id, tally in tallies.items()
    }


def _contenders(connection: Connection, key: int, ids: list[int]) -> dict[int, Contender]:
    version, bot, entry = tables.version, tables.bot, tables.entry
    withdrawn = set(
        connection.scalars(select(entry.c.bot_id).where(entry.c.league_id == key, entry.c.withdrawn_at.is_not(None)))
    )
    rows: list[Any] = []
    for page in pages(sorted(ids)):
        rows += connection.execute(
            select(version.c.id, version.c.bot_id, bot.c.name, version.c.number, bot.c.author)
            .join(bot, bot.c.id == version.c.bot_id)
            .where(version.c.id.in_(page))
        ).all()
    newest: dict[int, int] = {}
    for row in rows:
        newest[row.bot_id] = max(row.number, newest.get(row.bot_id, 0))
    return {
        row.id: Contender(
            version_id=row.id,
            bot=row.name,
            version=row.number,
            author=row.author,
            newest=row.number == newest[row.bot_id],
            withdrawn=row.bot_id in withdrawn,
        )
        for row in rows
    }


def _refold(
    connection: Connection, key: int, nights: list[int], view: View, settings: RatingSettings
) -> dict[int, Rating]:
    chosen = set(nights)
    ratings: dict[int, Rating] = {}
    after, more = -1, True
    while more:
        page, after, more = next_page(connection, key, after, nights=chosen)
        ratings = fold(ratings, (m for m in page if view.seats in (None, len(m.versions))), settings)
    return ratings


def _count_page(connection: Connection, night_id: int, after: int, totals: dict[int, Tally]) -> int | None:
    """Add a page of a night's matches after a position to the totals. Return its last position, or None at the end."""
    match, seat = tables.match, tables.seat
    page = (
        select(match.c.position, match.c.state)
        .where(match.c.night_id == night_id, match.c.position > after)
        .order_by(match.c.position)
        .limit(PAGE)
    )
    states: dict[int, str] = dict(connection.execute(page).all())
    if not states:
        return None
    reached = max(states)
    rows = connection.execute(
        select(seat)
        .where(seat.c.night_id == night_id, seat.c.position > after, seat.c.position <= reached)
        .order_by(seat.c.position, seat.c.seat)
    )
    for position, seats in groupby(rows, key=lambda row: row.position):
        if states[position] not in _OUTCOMES:
            continue
        table = list(seats)
        tallies = tally_match(_OUTCOMES[states[position]], [_seat_result(row) for row in table])
        for row, tally in zip(table, tallies, strict=True):
            totals[row.version_id] = totals.get(row.version_id, Tally()) + tally
    return reached


_OUTCOMES = {MatchState.FINISHED.value: Outcome.FINISHED, MatchState.NO_CONTEST.value: Outcome.NO_CONTEST}


def _seat_result(row: Row[*tuple[Any, ...]]) -> SeatResult:
    return SeatResult(
        rank=row.rank,
        score=row.score,
        cause=None if row.cause is None else Cause(row.cause),
        turns=row.turns,
        time_total_s=row.time_us / MICROSECONDS,
        time_max_s=row.time_max_us / MICROSECONDS,
        strikes=row.strikes,
    )
