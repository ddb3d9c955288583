"""All finished matches of a league, or of a view of it, with their encounters."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import select

from arena.model.records import FinishedMatch
from arena.ratings.live import Rating, RatingSettings, fold
from arena.store import tables
from arena.store.base import Queries, league_id
from arena.store.boards import chosen_nights
from arena.store.nights import league_rating
from arena.store.rating_log import finished_matches, next_page
from arena.store.values import MatchState, View

RESULTS_AT_ONCE = 20_000
"""Number of positions in one transaction: small enough for memory, and fast enough for a hundred thousand matches."""


class ResultQueries(Queries):
    """Queries for computations over all matches."""

    def rating_settings(self, league: str) -> RatingSettings:
        """Return the rating settings of a league. Raises `UsageError` for an unknown league."""
        with self._database.reading() as connection:
            return league_rating(connection, league_id(connection, league))

    def results(self, league: str, view: View | None = None) -> Iterator[FinishedMatch]:
        """Yield the finished matches of a league, or of a view of it, by night and position.

        They are read in pages, so no transaction is open while the caller works.
        """
        view = view or View()
        with self._database.reading() as connection:
            nights = chosen_nights(connection, league_id(connection, league), view)
        for night_id in nights:
            yield from self._of_night(night_id, view.seats)

    def recomputed_history(self, league: str) -> tuple[dict[tuple[int, int], Rating], dict[tuple[int, int], Rating]]:
        """Return the stored ratings by (night id, version id), and the ratings computed from the matches.

        They should be equal.
        """
        history, match = tables.rating_history, tables.match
        computed: dict[tuple[int, int], Rating] = {}
        with self._database.reading() as connection:
            key = league_id(connection, league)
            settings = league_rating(connection, key)
            reached = connection.scalar(select(tables.league.c.rated_place).where(tables.league.c.id == key))
            assert reached is not None
            nights = chosen_nights(connection, key, View())
            kept = {
                (row.night_id, row.version_id): Rating(row.mu, row.sigma)
                for row in connection.execute(select(history).where(history.c.night_id.in_(nights)))
            }
            ratings: dict[int, Rating] = {}
            after, more = -1, True
            while more and after < reached:
                page, after, more = next_page(connection, key, after)
                page = [found for found in page if found.place <= reached]
                if not page:
                    continue
                # A page never continues into another night.
                night = connection.scalar(
                    select(match.c.night_id).where(match.c.league_id == key, match.c.place == page[0].place)
                )
                assert night is not None
                ratings = fold(ratings, page, settings)
                met = {version for found in page for version in found.versions}
                computed.update({(night, version): ratings[version] for version in met})
        return kept, computed

    def _of_night(self, night_id: int, seats: int | None) -> Iterator[FinishedMatch]:
        match, seat = tables.match, tables.seat
        finished = MatchState.FINISHED.value
        after = -1
        while True:
            query = (
                select(match.c.position, match.c.encounter, match.c.place, seat.c.version_id, seat.c.rank)
                .join(seat, (seat.c.night_id == match.c.night_id) & (seat.c.position == match.c.position))
                .where(match.c.night_id == night_id, match.c.state == finished)
                .where(match.c.position > after, match.c.position <= after + RESULTS_AT_ONCE)
                .order_by(match.c.position, seat.c.seat)
            )
            if seats is not None:
                query = query.where(match.c.seats == seats)
            with self._database.reading() as connection:
                rows = [tuple(row) for row in connection.execute(query)]
                beyond = connection.scalar(
                    select(match.c.position)
                    .where(match.c.night_id == night_id, match.c.position > after + RESULTS_AT_ONCE)
                    .order_by(match.c.position)
                    .limit(1)
                )
            yield from finished_matches(night_id, rows)
            if beyond is None:
                return
            after += RESULTS_AT_ONCE
