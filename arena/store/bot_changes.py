"""Changes of stored bots: an older version plays again, a new name, removal of what never played, and their record."""

from __future__ import annotations

from sqlalchemy import Connection, delete, func, select, update

from arena.errors import SubmissionRefused, UsageError
from arena.model.rules import NAME_PATTERN, name_rule
from arena.store import tables
from arena.store.base import bot_id, league_id, read_label
from arena.store.bots import BotQueries
from arena.store.values import Action, Version

_PLAYED = "results and replays name it, so it stays (`arena bot withdraw` takes it out of its leagues)"


class BotChanges(BotQueries):
    """Queries that change bots after their submission. Each records itself as an action."""

    def use(self, version: Version, leagues: tuple[str, ...]) -> tuple[str, ...]:
        """Let this version of its bot play in these leagues from their next night on. Return the changed leagues.

        The bot plays there again if it was withdrawn. Raises `UsageError` for a league in which it is not entered.
        """
        entry = tables.entry
        changed = []
        with self._database.writing() as connection:
            key = bot_id(connection, version.bot)
            for name in leagues:
                here = (entry.c.bot_id == key) & (entry.c.league_id == league_id(connection, name))
                found = connection.execute(select(entry.c.version_id, entry.c.withdrawn_at).where(here)).first()
                if found is None:
                    raise UsageError(f"{version.bot!r} is not entered in {name}: expected one of its leagues")
                if (found.version_id, found.withdrawn_at) != (version.id, None):
                    changed.append(name)
                    values = {"version_id": version.id, "entered_at": self._moment(), "withdrawn_at": None}
                    connection.execute(update(entry).where(here).values(values))
            if changed:
                self._note_action(connection, "use", version.bot, f"{version.label} in {', '.join(changed)}")
        return tuple(changed)

    def leagues_of(self, bot: str) -> tuple[str, ...]:
        """Return the leagues in which a bot plays. Raises `UsageError` for an unknown bot."""
        entry, league = tables.entry, tables.league
        with self._database.reading() as connection:
            names = connection.scalars(
                select(league.c.name)
                .join(entry, entry.c.league_id == league.c.id)
                .where(entry.c.bot_id == bot_id(connection, bot), entry.c.withdrawn_at.is_(None))
                .order_by(league.c.name)
            )
            return tuple(names)

    def rename(self, bot: str, name: str) -> str:
        """Give a bot a new name, with all its versions and results, and return the name that it had.

        The former name still finds the bot, and stays reserved for it. Raises `SubmissionRefused` for a name that is
        not allowed or taken, and `UsageError` for an unknown bot and while it plays in an open night.
        """
        if not NAME_PATTERN.fullmatch(name):
            raise SubmissionRefused(name_rule("bot", name))
        former = tables.former_name
        with self._database.writing() as connection:
            key = bot_id(connection, bot)
            before = str(connection.scalar(select(tables.bot.c.name).where(tables.bot.c.id == key)))
            self._refuse_open_night(connection, key, before)
            if connection.scalar(select(tables.bot.c.id).where(tables.bot.c.name == name)) is not None:
                raise SubmissionRefused(f"there is a bot {name!r} already: expected a new name")
            owner = connection.scalar(select(former.c.bot_id).where(former.c.name == name))
            if owner not in (None, key):
                self._refuse_former_name(connection, name)
            connection.execute(delete(former).where(former.c.name == name))
            connection.execute(former.insert().values(name=before, bot_id=key))
            connection.execute(update(tables.bot).where(tables.bot.c.id == key).values(name=name))
            self._note_action(connection, "rename", before, f"to {name}")
        return before

    def delete(self, label: str) -> list[str]:
        """Delete a bot, or one version `name:version`, that never played. Return the digests that nothing else uses.

        Raises `UsageError` if there is none, and for what has played or is an entrant of a night.
        """
        version, seat, entrant, entry = tables.version, tables.seat, tables.entrant, tables.entry
        name, number = read_label(label)
        with self._database.writing() as connection:
            key = bot_id(connection, name)
            rows = select(version.c.id, version.c.digest).where(version.c.bot_id == key)
            chosen = connection.execute(rows if number is None else rows.where(version.c.number == number)).all()
            if not chosen:
                raise UsageError(f"bot {name!r} has no version {number}")
            ids = [row.id for row in chosen]
            for table in (seat, entrant):
                if connection.scalar(select(table.c.version_id).where(table.c.version_id.in_(ids)).limit(1)):
                    raise UsageError(f"{label} has played, or is to play in a night: {_PLAYED}")
            connection.execute(delete(entry).where(entry.c.version_id.in_(ids)))
            connection.execute(delete(version).where(version.c.id.in_(ids)))
            if not connection.scalar(select(func.count()).where(version.c.bot_id == key)):
                connection.execute(delete(tables.former_name).where(tables.former_name.c.bot_id == key))
                connection.execute(delete(tables.bot).where(tables.bot.c.id == key))
            self._note_action(connection, "delete", name, label)
            digests = {row.digest for row in chosen}
            used = set(connection.scalars(select(version.c.digest).where(version.c.digest.in_(digests))))
        return sorted(digests - used)

    def prunable(self) -> list[Version]:
        """Return the versions whose files no night needs: they play in no league and are in no open night."""
        version, entry, entrant, night = tables.version, tables.entry, tables.entrant, tables.night
        with self._database.reading() as connection:
            needed = set(connection.scalars(select(entry.c.version_id)))
            needed |= set(
                connection.scalars(
                    select(entrant.c.version_id)
                    .join(night, night.c.id == entrant.c.night_id)
                    .where(night.c.state == "open")
                )
            )
            digests = set(connection.scalars(select(version.c.digest).where(version.c.id.in_(needed))))
            ids = [
                row.id
                for row in connection.execute(select(version.c.id, version.c.digest))
                if row.digest not in digests
            ]
        found = self.versions_by_id(ids)
        return [found[key] for key in ids]

    def note_pruned(self, version: Version) -> None:
        """Record that the files of a version were removed."""
        with self._database.writing() as connection:
            self._note_action(connection, "prune", version.bot, version.label)

    def actions(self, bot: str | None = None, limit: int = 100) -> list[Action]:
        """Return the newest actions, of all bots or of one under all its names, the newest first."""
        table, former = tables.action, tables.former_name
        query = select(table).order_by(table.c.id.desc()).limit(limit)
        with self._database.reading() as connection:
            if bot is not None:
                names = {bot.lower()}
                key = connection.scalar(select(tables.bot.c.id).where(tables.bot.c.name == bot.lower()))
                if key is None:
                    key = connection.scalar(select(former.c.bot_id).where(former.c.name == bot.lower()))
                if key is not None:
                    names |= set(connection.scalars(select(former.c.name).where(former.c.bot_id == key)))
                    names |= set(connection.scalars(select(tables.bot.c.name).where(tables.bot.c.id == key)))
                query = query.where(table.c.bot.in_(names))
            return [Action(row.done_at, row.actor, row.kind, row.bot, row.detail) for row in connection.execute(query)]

    def _refuse_open_night(self, connection: Connection, key: int, name: str) -> None:
        night, entrant, version = tables.night, tables.entrant, tables.version
        playing = connection.scalar(
            select(night.c.id)
            .join(entrant, entrant.c.night_id == night.c.id)
            .join(version, version.c.id == entrant.c.version_id)
            .where(version.c.bot_id == key, night.c.state == "open")
            .limit(1)
        )
        if playing is not None:
            raise UsageError(f"{name!r} plays in an open night: rename it when the night is closed or abandoned")
