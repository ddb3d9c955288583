"""Ratings, and what leaderboards show: read from counts that are kept with each result, never from all matches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, func, select, update

from arena.errors import Cause
from arena.ratings import RatedMatch, Rating, RatingSettings, fold
from arena.standings import BoardEntry, Contender, Tally
from arena.store import tables
from arena.store.base import Queries, league_id, pages
from arena.store.matches import COUNTS, next_page
from arena.store.nights import league_rating
from arena.store.values import View


class BoardQueries(Queries):
    """Queries about ratings and leaderboards."""

    def update_ratings(self, league: str) -> int:
        """Fold all matches that have become ready into the ratings; gives how many.

        Goes on from the checkpoint, in schedule order, up to the first match that is not played yet. Each page is one
        transaction, so that a kill in between loses nothing and counts nothing twice.
        """
        total = 0
        while True:
            with self._database.writing() as connection:
                key = league_id(connection, league)
                after = _checkpoint(connection, key)
                page, reached, more = next_page(connection, key, after)
                if reached > after:
                    versions = sorted({version for match in page for version in match.versions})
                    before = _ratings(connection, key, versions)
                    rated = fold(before, page, league_rating(connection, key))
                    self._save(connection, key, rated, page)
                    _set_checkpoint(connection, key, reached)
                total += len(page)
            if not more:
                return total

    def checkpoint(self, league: str) -> int:
        """The place of the fold that the stored ratings have reached; -1 before the first match."""
        with self._database.reading() as connection:
            return _checkpoint(connection, league_id(connection, league))

    def ratings(self, league: str) -> dict[int, Rating]:
        """The stored rating of every version that has one."""
        with self._database.reading() as connection:
            return _ratings(connection, league_id(connection, league), None)

    def save_ratings(self, league: str, ratings: Mapping[int, Rating], *, through: int) -> None:
        """Store ratings that were folded elsewhere, with the place of the last match in them as the new checkpoint."""
        with self._database.writing() as connection:
            key = league_id(connection, league)
            self._save(connection, key, ratings, [RatedMatch(through, tuple(ratings), ())])
            _set_checkpoint(connection, key, through)

    def board(self, league: str, view: View | None = None) -> list[BoardEntry]:
        """Every version that has played in a league, or in that part of it, with its counts and rating.

        The whole league is read from kept counts and ratings, whatever the number of matches; a view's ratings are
        folded from its matches. The order is that of version ids.
        """
        view = view or View()
        with self._database.reading() as connection:
            key = league_id(connection, league)
            settings = league_rating(connection, key)
            nights = _nights(connection, key, view)
            tallies = _tallies(connection, nights, view.seats)
            contenders = _contenders(connection, key, list(tallies))
            ratings = (
                _ratings(connection, key, None) if view.is_whole else _refold(connection, key, nights, view, settings)
            )
        return [
            BoardEntry(contenders[version_id], tally, ratings.get(version_id, settings.prior))
            for version_id, tally in sorted(tallies.items())
        ]

    def _save(self, connection: Connection, key: int, ratings: Mapping[int, Rating], matches: list[RatedMatch]) -> None:
        last = {version_id: match.place for match in matches for version_id in match.versions}
        match = tables.match
        where: dict[int, tuple[int, int]] = {}
        for page in pages(sorted(set(last.values()))):
            query = (
                select(match.c.place, tables.night.c.number, match.c.position)
                .join(tables.night, tables.night.c.id == match.c.night_id)
                .where(match.c.league_id == key, match.c.place.in_(page))
            )
            where.update((place, (night, position)) for place, night, position in connection.execute(query))
        rows = [
            {
                "league_id": key,
                "version_id": version_id,
                "mu": ratings[version_id].mu,
                "sigma": ratings[version_id].sigma,
                "through_night": where[place][0],
                "through_position": where[place][1],
            }
            for version_id, place in sorted(last.items())
            if place in where
        ]
        if rows:
            insert = self._upsert(tables.rating)
            columns = ("mu", "sigma", "through_night", "through_position")
            connection.execute(
                insert.on_conflict_do_update(
                    index_elements=["league_id", "version_id"],
                    set_={name: insert.excluded[name] for name in columns},
                ),
                rows,
            )


def _checkpoint(connection: Connection, key: int) -> int:
    place: int | None = connection.scalar(
        select(tables.league.c.rated_place).where(tables.league.c.id == key).with_for_update()
    )
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


def _nights(connection: Connection, key: int, view: View) -> list[int]:
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
