"""Bots, their versions, and the leagues in which they are entered."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, Row, func, select, update

from arena.errors import SubmissionRefused, UsageError
from arena.model.records import Program, Submission
from arena.model.rules import NAME_PATTERN, name_rule
from arena.store import tables
from arena.store.base import Queries, bot_id, insert_row, league_id, pages, read_label
from arena.store.values import Bot, Receipt, Version

_VERSION = (
    select(
        tables.version.c.id,
        tables.bot.c.name,
        tables.version.c.number,
        tables.bot.c.author,
        tables.version.c.digest,
        tables.version.c.build_digest,
        tables.version.c.command,
        tables.version.c.submitted_at,
    )
    .join(tables.bot, tables.bot.c.id == tables.version.c.bot_id)
    .order_by(tables.version.c.id)
)


class BotQueries(Queries):
    """Queries about bots and versions."""

    def submit(self, submission: Submission, leagues: Iterable[str]) -> Receipt:
        """Store a checked submission and enter it in these leagues, in one transaction.

        If the bot was submitted with the same content before, its existing version is used. Raises `SubmissionRefused`
        if the name is not allowed or belongs to another author, and `UsageError` for a league that is not stored.
        """
        program = submission.program
        if not NAME_PATTERN.fullmatch(program.name):
            raise SubmissionRefused(name_rule("bot", program.name))
        with self._database.writing() as connection:
            owner = self._bot_of(connection, program)
            version_id, is_new = self._version_of(connection, owner, submission)
            entered = [name for name in leagues if self._enter(connection, name, owner, version_id)]
            version = _find_versions(connection, _VERSION.where(tables.version.c.id == version_id))[0]
            if is_new or entered:
                self._note_action(connection, "submit", program.name, f"{version.label} in {', '.join(entered)}")
            same = _find_versions(
                connection,
                _VERSION.where(tables.version.c.digest == program.digest, tables.version.c.bot_id != owner),
            )
        return Receipt(version, is_new, tuple(entered), tuple(other.label for other in same))

    def enter(self, version: Version, league: str) -> None:
        """Enter a stored version in one more league. Raises `UsageError` for a league that is not stored."""
        with self._database.writing() as connection:
            self._enter(connection, league, bot_id(connection, version.bot), version.id)

    def withdraw(self, bot: str, league: str | None = None) -> tuple[str, ...]:
        """Withdraw a bot from one league or from all, and return the leagues in which that changed something."""
        return self._set_withdrawn(bot, league, withdrawn=True)

    def restore(self, bot: str, league: str | None = None) -> tuple[str, ...]:
        """Let a withdrawn bot play again in one league or in all, and return the leagues in which it was withdrawn."""
        return self._set_withdrawn(bot, league, withdrawn=False)

    def bots(self, league: str | None = None) -> list[Bot]:
        """Return all bots in order of their names, or those ever entered in a league. Withdrawn bots are included."""
        with self._database.reading() as connection:
            query = (
                select(
                    tables.bot.c.id,
                    tables.bot.c.name,
                    tables.bot.c.author,
                    func.count(tables.version.c.id),
                    func.max(tables.version.c.number),
                    func.max(tables.version.c.submitted_at),
                )
                .join(tables.version, tables.version.c.bot_id == tables.bot.c.id)
                .group_by(tables.bot.c.id, tables.bot.c.name, tables.bot.c.author)
                .order_by(tables.bot.c.name)
            )
            entries = select(tables.entry.c.bot_id, tables.league.c.name, tables.entry.c.withdrawn_at).join(
                tables.league, tables.league.c.id == tables.entry.c.league_id
            )
            if league is not None:
                key = league_id(connection, league)
                query = query.where(
                    tables.bot.c.id.in_(select(tables.entry.c.bot_id).where(tables.entry.c.league_id == key))
                )
            plays: dict[int, list[str]] = defaultdict(list)
            withdrawn: dict[int, list[str]] = defaultdict(list)
            for bot, name, withdrawn_at in connection.execute(entries.order_by(tables.league.c.name)):
                (plays if withdrawn_at is None else withdrawn)[bot].append(name)
            return [
                Bot(name, author, count, newest, tuple(plays[key]), tuple(withdrawn[key]), submitted_at)
                for key, name, author, count, newest, submitted_at in connection.execute(query)
            ]

    def versions(self, bot: str) -> list[Version]:
        """Return every version of a bot, oldest first. Raises `UsageError` for an unknown bot."""
        with self._database.reading() as connection:
            return _find_versions(connection, _VERSION.where(tables.version.c.bot_id == bot_id(connection, bot)))

    def version(self, label: str) -> Version:
        """Return the version `name:version`, or the newest version of `name`. Raises `UsageError` if there is none."""
        name, number = read_label(label)
        found = self.versions(name)
        if number is None:
            return found[-1]
        for version in found:
            if version.number == number:
                return version
        raise UsageError(f"bot {name!r} has no version {number}: expected one of 1 to {found[-1].number}")

    def versions_by_id(self, ids: Iterable[int]) -> dict[int, Version]:
        """Return the versions with these ids."""
        with self._database.reading() as connection:
            return find_versions_by_id(connection, ids)

    def entries(self, league: str) -> list[Version]:
        """Return the versions with which a night of the league would start: one for each bot that is not withdrawn.

        The oldest bot is first.
        """
        with self._database.reading() as connection:
            chosen = select(tables.entry.c.version_id).where(
                tables.entry.c.league_id == league_id(connection, league), tables.entry.c.withdrawn_at.is_(None)
            )
            query = _VERSION.where(tables.version.c.id.in_(chosen)).order_by(None).order_by(tables.version.c.bot_id)
            return _find_versions(connection, query)

    def _bot_of(self, connection: Connection, program: Program) -> int:
        found = connection.execute(
            select(tables.bot.c.id, tables.bot.c.author).where(tables.bot.c.name == program.name)
        ).first()
        if found is None:
            self._refuse_former_name(connection, program.name)
            values = {"name": program.name, "author": program.author, "created_at": self._moment()}
            return insert_row(connection, tables.bot, values)
        if found.author != program.author:
            raise SubmissionRefused(
                f"the name {program.name!r} belongs to a bot of {found.author!r}, not of {program.author!r}:"
                " choose another with --name"
            )
        return int(found.id)

    def _refuse_former_name(self, connection: Connection, name: str) -> None:
        former, bot = tables.former_name, tables.bot
        now = connection.scalar(
            select(bot.c.name).join(former, former.c.bot_id == bot.c.id).where(former.c.name == name)
        )
        if now is not None:
            raise SubmissionRefused(
                f"the name {name!r} belongs to the bot that is now called {now!r}: expected another"
            )

    def _version_of(self, connection: Connection, owner: int, submission: Submission) -> tuple[int, bool]:
        version, program = tables.version, submission.program
        known = connection.scalar(
            select(version.c.id).where(version.c.bot_id == owner, version.c.digest == program.digest)
        )
        if known is not None:
            return int(known), False
        last = connection.scalar(select(func.max(version.c.number)).where(version.c.bot_id == owner)) or 0
        values = {
            "bot_id": owner,
            "number": last + 1,
            "digest": program.digest,
            "build_digest": submission.build_digest,
            "command": json.dumps(program.command),
            "submitted_at": self._moment(),
        }
        return insert_row(connection, version, values), True

    def _enter(self, connection: Connection, league: str, owner: int, version_id: int) -> bool:
        """Return whether the version now plays in the league and did not before."""
        entry, key = tables.entry, league_id(connection, league)
        here = (entry.c.league_id == key) & (entry.c.bot_id == owner)
        plays = connection.scalar(select(entry.c.version_id).where(here))
        if plays is None:
            values = {"league_id": key, "bot_id": owner, "version_id": version_id, "entered_at": self._moment()}
            connection.execute(entry.insert().values(values))
            return True
        newest = connection.scalar(select(func.max(tables.version.c.id)).where(tables.version.c.bot_id == owner))
        # A repeated submission of old content changes nothing: it does not replace newer content in a league.
        if plays == version_id or version_id != newest:
            return False
        connection.execute(
            update(entry).where(here).values(version_id=version_id, entered_at=self._moment(), withdrawn_at=None)
        )
        return True

    def _set_withdrawn(self, bot: str, league: str | None, *, withdrawn: bool) -> tuple[str, ...]:
        entry = tables.entry
        with self._database.writing() as connection:
            chosen = (entry.c.bot_id == bot_id(connection, bot)) & (
                entry.c.withdrawn_at.is_(None) if withdrawn else entry.c.withdrawn_at.is_not(None)
            )
            if league is not None:
                chosen &= entry.c.league_id == league_id(connection, league)
            names = connection.scalars(
                select(tables.league.c.name)
                .join(entry, entry.c.league_id == tables.league.c.id)
                .where(chosen)
                .order_by(tables.league.c.name)
            ).all()
            connection.execute(update(entry).where(chosen).values(withdrawn_at=self._moment() if withdrawn else None))
            if names:
                self._note_action(connection, "withdraw" if withdrawn else "restore", bot.lower(), ", ".join(names))
        return tuple(names)


def find_versions_by_id(connection: Connection, ids: Iterable[int]) -> dict[int, Version]:
    """Return the versions with these ids, in an open transaction."""
    found: dict[int, Version] = {}
    for page in pages(sorted(set(ids))):
        versions = _find_versions(connection, _VERSION.where(tables.version.c.id.in_(page)))
        found.update((version.id, version) for version in versions)
    return found


def _find_versions(connection: Connection, query: Any) -> list[Version]:
    rows = connection.execute(query).all()
    plays: dict[int, list[str]] = defaultdict(list)
    for page in pages([row.id for row in rows]):
        entries = (
            select(tables.entry.c.version_id, tables.league.c.name)
            .join(tables.league, tables.league.c.id == tables.entry.c.league_id)
            .where(tables.entry.c.version_id.in_(page), tables.entry.c.withdrawn_at.is_(None))
            .order_by(tables.league.c.name)
        )
        for version_id, name in connection.execute(entries):
            plays[version_id].append(name)
    return [_version(row, tuple(plays[row.id])) for row in rows]


def _version(row: Row[*tuple[Any, ...]], leagues: tuple[str, ...]) -> Version:
    return Version(
        id=row.id,
        bot=row.name,
        number=row.number,
        author=row.author,
        digest=row.digest,
        build_digest=row.build_digest,
        command=tuple(json.loads(row.command)),
        submitted_at=row.submitted_at,
        leagues=leagues,
    )
