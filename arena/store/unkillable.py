"""Bots that could not be killed, and after which match. They are stored with the result, as they may be suspended."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import select

from arena.model.records import Unkillable
from arena.store import tables
from arena.store.recording import RecordQueries
from arena.store.values import Night, UnkillableView


class UnkillableQueries(RecordQueries):
    """Queries about bots with a process that survived SIGKILL."""

    def record_unkillable(self, night: Night, found: Iterable[Unkillable]) -> None:
        """Store bots that could not be killed after their last match, each once for each match."""
        with self._database.writing() as connection:
            self._write_unkillable(connection, night, found)

    def unkillable(self, night: Night) -> list[UnkillableView]:
        """Return the bots that could not be killed in a night, in order of their matches."""
        table, version, bot = tables.unkillable, tables.version, tables.bot
        query = (
            select(table.c.position, table.c.works, version.c.id, version.c.number, bot.c.name, bot.c.author)
            .join(version, version.c.id == table.c.version_id)
            .join(bot, bot.c.id == version.c.bot_id)
            .where(table.c.night_id == night.id)
            .order_by(table.c.position, version.c.id)
        )
        with self._database.reading() as connection:
            return [
                UnkillableView(
                    position=row.position,
                    version_id=row.id,
                    bot=f"{row.name}:{row.number}",
                    author=row.author,
                    works=row.works,
                )
                for row in connection.execute(query)
            ]
