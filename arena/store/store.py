"""The store: every table, every query, and nothing else of the arena touches SQL. `Store.open(url)` gives it.

Every method is one short transaction that happens whole or not at all, gives frozen values (`arena.store.values`,
all importable from here), and raises `StoreError` in one sentence when the database fails, `UsageError` when a name
is not there, `NightError` when a night is not in the state for it.

Bots      `hand_in(HandIn) -> Receipt`, `withdraw(bot, league=None)`, `restore(bot, league=None)`, `bots(league=None)`,
          `versions(bot)`, `version(label)`, `versions_by_id(ids)`, `entries(league)` (who would play a night)
Leagues   `keep_league(rules, rating) -> League`, `leagues()`, `league(name)`, `has_league(name)`
Nights    `create_night(NewNight) -> Night`, `open_night(league) -> Night | None`, `nights(league=None)`,
          `night(league, number=None)`, `night_counts(night)`, `close_night(night)`, `abandon_night(night)`,
          `lock_nights()` (held while nights are played)
Entrants  `entrants(night)`, `add_entrant(night, version_id, since_round=)`,
          `end_entrant(night, version_id, state, until_round=, reason=)`, `forfeit_streaks(night, at_least)`
Matches   `plan_round(night, planned)`, `rounds(night)`, `unplayed(night)`,
          `round_results(night, number)` (what adaptive schedules see),
          `record(night, results) -> ids that were new`, `record_void(night, void) -> attempts so far`,
          `park(night, match_id)`, `unpark(night) -> how many`,
          `record_unkillable(night, found)`, `unkillable(night)` (bots whose processes outlived SIGKILL)
Ratings   `update_ratings(league) -> matches folded`, `ratings(league) -> dict by version id`,
          `match_times(league) -> seconds by seats`, `playing_times(league) -> list[PlayingTime]`,
          `board(league, View()) -> list[BoardEntry]`, `rating_history(bot, league=None) -> list[RatingPoint]`,
          `verify(league) -> Verification` (all ratings and counts once more, from the matches),
          `results(league, View()) -> all finished matches`, `rating_settings(league)`, `recomputed_history(league)`
Looking   `matches(MatchFilter(), limit=, offset=)`, `count_matches(MatchFilter())`, `match(match_id)`,
          `replay(match_id) -> bytes`, `bot_output(match_id, seat) -> bytes`, `attempts(league, night=, match_id=)`
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from arena.store.base import utc_now
from arena.store.boards import BoardQueries
from arena.store.bots import BotQueries
from arena.store.connection import BUSY_TIMEOUT_S, Database, find_url, make_folder
from arena.store.locking import DatabaseLock, lock_database
from arena.store.match_views import MatchListing
from arena.store.matches import MatchQueries
from arena.store.nights import NightQueries
from arena.store.results import ResultQueries
from arena.store.schema import prepare_schema
from arena.store.unkillable import UnkillableQueries


class Store(BotQueries, NightQueries, MatchQueries, UnkillableQueries, BoardQueries, ResultQueries, MatchListing):
    """An open store; a context manager that closes it."""

    @classmethod
    def open(
        cls,
        place: str | Path,
        *,
        upgrade: bool = False,
        busy_timeout_s: float = BUSY_TIMEOUT_S,
        now: Callable[[], datetime] = utc_now,
    ) -> Self:
        """The store at a database URL or in a home folder; its schema is made if there is none.

        Raises `OlderSchema` (a `StoreError`) for a database of an older version unless `upgrade`, which copies a
        SQLite file before; `StoreError` for one of a newer version or that cannot be used.
        """
        url = find_url(place)
        make_folder(url)
        database = Database(url, busy_timeout_s)
        try:
            prepare_schema(database, upgrade=upgrade)
        except BaseException:
            database.close()
            raise
        return cls(database, now)

    @property
    def place(self) -> str:
        """Where it is, for people: a file, or a URL without its password."""
        return self._database.place

    def lock_nights(self) -> AbstractContextManager[DatabaseLock]:
        """Held while nights are played; entering raises `NightError` while another process holds it.

        Of a SQLite file it is a lock on a file beside it, of PostgreSQL an advisory lock; both end with their process.
        """
        return lock_database(self._database)

    def close(self) -> None:
        """Give the connections back; using the store again would open new ones."""
        self._database.close()

    def forget(self) -> None:
        """For a forked child: drop the parent's connections without closing them."""
        self._database.forget()

    def __enter__(self) -> Self:
        """The store itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()
