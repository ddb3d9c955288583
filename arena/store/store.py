"""The store: all queries of the arena, which touches SQL nowhere else. `Store.open(url)` opens it.

Nearly every method is one short, atomic transaction; long reads use several. Methods return the frozen values of
`arena.store.values`. They raise `StoreError` with one sentence if the database fails, `UsageError` for an unknown name,
and `NightError` if the state of a night does not permit the call.

Bots      `submit(submission, leagues) -> Receipt`, `enter(version, league)`, `withdraw(bot, league=None)`,
          `restore(bot, league=None)`, `bots(league=None)`, `versions(bot)`, `version(label)`, `versions_by_id(ids)`,
          `entries(league)` (the bots of its next night)
          `use(version, leagues)`, `rename(bot, name)`, `delete(label)`, `prunable()`, `actions(bot=None)`,
          `leagues_of(bot)`
Leagues   `keep_league(rules, rating) -> League`, `leagues()`, `league(name)`, `has_league(name)`
Nights    `create_night(NewNight) -> Night`, `open_night(league) -> Night | None`, `nights(league=None)`,
          `night(league, number=None)`, `night_counts(night)`, `close_night(night)`, `abandon_night(night)`,
          `lock_nights()` (hold it to play nights)
Entrants  `entrants(night)`, `add_entrant(night, version_id, since_round=)`,
          `end_entrant(night, version_id, state, until_round=, reason=)`, `forfeit_streaks(night, at_least)`
Matches   `plan_round(night, planned)`, `rounds(night)`, `unplayed(night)`,
          `round_results(night, number)` (for adaptive schedules),
          `record(night, results) -> positions that were new`, `record_void(night, void) -> attempts so far`,
          `park(night, position)`, `unpark(night) -> how many`,
          `record_unkillable(night, found)`, `unkillable(night)` (bots whose processes outlived SIGKILL)
Ratings   `update_ratings(league) -> matches folded`, `ratings(league) -> dict by version id`,
          `match_times(league) -> seconds by seats`, `playing_times(league) -> list[PlayingTime]`,
          `board(league, View()) -> list[BoardEntry]`, `rating_history(bot, league=None) -> list[RatingPoint]`,
          `verify(league) -> Verification` (compute all ratings and counts again from the matches),
          `results(league, View()) -> all finished matches`, `rating_settings(league)`, `recomputed_history(league)`
Views     `matches(MatchFilter(), limit=, offset=)`, `count_matches(MatchFilter())`, `match(match_id)`,
          `replay(match_id) -> bytes`, `bot_output(match_id, seat) -> bytes`, `attempts(league, night=, match_id=)`
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from sqlalchemy import make_url

from arena.store.base import utc_now
from arena.store.boards import BoardQueries
from arena.store.bot_changes import BotChanges
from arena.store.connection import BUSY_TIMEOUT_S, Database, find_url, make_folder
from arena.store.locking import DatabaseLock, lock_database
from arena.store.match_views import MatchListing
from arena.store.matches import MatchQueries
from arena.store.nights import NightQueries
from arena.store.results import ResultQueries
from arena.store.schema import check_schema, prepare_schema
from arena.store.tables import metadata
from arena.store.unkillable import UnkillableQueries


class Store(BotChanges, NightQueries, MatchQueries, UnkillableQueries, BoardQueries, ResultQueries, MatchListing):
    """An open store. As a context manager, it closes itself."""

    @classmethod
    def open(
        cls,
        location: str | Path,
        *,
        upgrade: bool = False,
        busy_timeout_s: float = BUSY_TIMEOUT_S,
        now: Callable[[], datetime] = utc_now,
    ) -> Self:
        """Open the store at a database URL or in a home folder. Create the schema if there is none.

        With `upgrade`, an older schema is upgraded, after a SQLite file was copied. Raises `OlderSchema` (a
        `StoreError`) for an older schema without `upgrade`, and `StoreError` for a newer or unusable database.
        """
        url = find_url(location)
        make_folder(url)
        database = Database(url, busy_timeout_s)
        try:
            prepare_schema(database, upgrade=upgrade)
        except BaseException:
            database.close()
            raise
        return cls(database, now)

    @classmethod
    def open_to_read(cls, location: str | Path, *, now: Callable[[], datetime] = utc_now) -> Self:
        """Open the store at a database URL or in a home folder, and create, change and upgrade nothing.

        An empty database gives an empty store. Raises `OlderSchema` for an older schema, and `StoreError` for a
        database that is missing, newer or unusable.
        """
        database = Database(find_url(location), read_only=True)
        try:
            if check_schema(database):
                return cls(database, now)
        except BaseException:
            database.close()
            raise
        database.close()
        return cls.empty()

    @classmethod
    def empty(cls) -> Self:
        """Return a store in memory without any content, for a home in which nothing has been stored yet."""
        database = Database(make_url("sqlite://"))
        with database.writing() as connection:
            metadata.create_all(connection)
        return cls(database, utc_now)

    @property
    def location(self) -> str:
        """Return where the store is, for a human reader: a file, or a URL without its password."""
        return self._database.location

    def lock_nights(self) -> AbstractContextManager[DatabaseLock]:
        """Return the lock to hold while nights are played. Entering it raises `NightError` if another process holds it.

        For SQLite it is a lock on a file beside the database, for PostgreSQL an advisory lock. Both end with the
        process that holds them.
        """
        return lock_database(self._database)

    def close(self) -> None:
        """Close the connections. A later call would open new ones."""
        self._database.close()

    def forget(self) -> None:
        """Drop the parent's connections in a forked child, without closing them."""
        self._database.forget()

    def __enter__(self) -> Self:
        """Return the store itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the store."""
        self.close()
