"""The entrants of a night, round by round: how they are started, and which of them join, leave or are suspended.

Each stored change of an entrant names the round in which it takes effect, and that round is never planned yet. So the
entrants of a planned round never change, and the plan can be generated again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from arena.config.home import Home
from arena.errors import NightError
from arena.linux.programs import missing_program
from arena.model.records import Program
from arena.store.store import Store
from arena.store.values import Entrant, EntrantState, Night, Version
from arena.text.sanitize import quoted
from arena.text.words import counted

LIVED_ON: Final = "one of its processes survived SIGKILL"

_log = logging.getLogger("arena.night")


@dataclass(frozen=True, slots=True)
class Change:
    """An entrant that plays from a round on, or no longer plays from that round on."""

    label: str
    from_round: int
    replaced: str | None = None
    """The older version of the same bot that it replaces."""


class Entrants:
    """The entrants of one running night."""

    def __init__(self, store: Store, night: Night, start: Callable[[Version], Program]) -> None:
        self._store = store
        self._night = night
        self._start = start
        self.stored: list[Entrant] = []
        """All that play or played, in the order in which they were entered."""
        self.programs: dict[int, Program] = {}
        self.refresh()

    def refresh(self) -> None:
        """Read the stored entrants. Raises `NightError` if the files of an entrant are missing."""
        self.stored = self._store.entrants(self._night)
        for entrant in self.stored:
            if entrant.version.id not in self.programs:
                self.programs[entrant.version.id] = self._start(entrant.version)

    @property
    def suspended(self) -> tuple[str, ...]:
        """Return the suspended entrants, as `name:version`."""
        return tuple(e.version.label for e in self.stored if e.state is EntrantState.SUSPENDED)

    def of_round(self, number: int) -> list[int]:
        """Return the version ids that play in a round, in the order in which they were entered."""
        return of_round(self.stored, number)

    def labels_of(self, number: int) -> tuple[str, ...]:
        """Return the entrants that play in a round, as `name:version`."""
        return tuple(self.label(version) for version in self.of_round(number))

    def label(self, version_id: int) -> str:
        """Return `name:version` of an entrant."""
        return self.programs[version_id].label

    def suspend(self, number: int) -> list[tuple[str, int, str]]:
        """Suspend the bots that forfeited too often in a row up to this round, and those that could not be killed.

        Return each with its number of forfeits and the reason. The call is idempotent.
        """
        suspended = []
        for version_id in self._unkillable():
            suspended.append((self.label(version_id), 0, LIVED_ON))
            self._end(version_id, EntrantState.SUSPENDED, number + 1, LIVED_ON)
            _log.warning("%s is suspended: %s", self.label(version_id), LIVED_ON)
        for streak in self._store.forfeit_streaks(self._night, self._night.rules.suspend_after):
            reason = f"{counted(streak.length, 'forfeit')} in a row"
            self._end(streak.version_id, EntrantState.SUSPENDED, number + 1, reason)
            suspended.append((self.label(streak.version_id), streak.length, reason))
            _log.warning("%s is suspended: %s", self.label(streak.version_id), reason)
        self.refresh()
        return suspended

    def _unkillable(self) -> list[int]:
        """Return the active entrants with a process that survived SIGKILL.

        If bots of several authors waited in the kernel without work, the likely cause is a dead disk and not a common
        trick. Then the bots that only waited are not included.
        """
        found = self._store.unkillable(self._night)
        waiting = {bot.author for bot in found if not bot.works}
        guilty = {bot.version_id for bot in found if bot.works or len(waiting) == 1}
        return [e.version.id for e in self.stored if e.version.id in guilty and e.state is EntrantState.ACTIVE]

    def add(self, bot: str) -> Change:
        """Let a bot that is entered in the league play from the next round on, in its newest version.

        An older version of the bot leaves at the same time. Raises `NightError` if the bot already plays or may not.
        """
        number = self._store.rounds(self._night)
        version = self._entry(bot)
        require_programs([self._start(version)])
        earlier = [entrant for entrant in self.stored if entrant.version.bot == version.bot]
        for entrant in earlier:
            if entrant.version.id != version.id:
                continue
            if _plays(entrant, number):
                raise NightError(f"{version.label} already plays in this night")
            if entrant.state is not EntrantState.DROPPED or entrant.until_round != number:
                # Its earlier rounds are part of the plan, and an entrant has a single range of rounds.
                raise NightError(
                    f"{version.label} has been {entrant.state.value} since round {entrant.until_round} of this night,"
                    " and can play again in the next one"
                )
        older = [e for e in earlier if e.version.id != version.id and _plays(e, number)]
        for entrant in older:
            self._end(entrant.version.id, EntrantState.DROPPED, number, f"{version.label} plays instead")
        since = next((e.since_round for e in earlier if e.version.id == version.id), number)
        self._store.add_entrant(self._night, version.id, since_round=since)
        self.refresh()
        _log.info("%s plays from round %d on", version.label, number)
        return Change(version.label, number, older[0].version.label if older else None)

    def drop(self, bot: str) -> Change:
        """Remove a bot from the next round on. Raises `NightError` if it does not play."""
        number = self._store.rounds(self._night)
        name = bot.lower()
        for entrant in self.stored:
            if name in (entrant.version.bot, entrant.version.label) and _plays(entrant, number):
                self._end(entrant.version.id, EntrantState.DROPPED, number, "dropped by the organiser")
                self.refresh()
                _log.info("%s is dropped from round %d on", entrant.version.label, number)
                return Change(entrant.version.label, number)
        playing = ", ".join(sorted(e.version.bot for e in self.stored if _plays(e, number))) or "nobody"
        raise NightError(f"{bot!r} does not play in this night: expected one of {playing}")

    def _entry(self, bot: str) -> Version:
        entries = self._store.entries(self._night.league)
        for version in entries:
            if bot.lower() in (version.bot, version.label):
                return version
        names = ", ".join(version.bot for version in entries)
        raise NightError(f"{bot!r} is not entered in {self._night.league}: expected one of {names}, or `arena submit`")

    def _end(self, version_id: int, state: EntrantState, until_round: int, reason: str) -> None:
        self._store.end_entrant(self._night, version_id, state, until_round=until_round, reason=reason)


def of_round(entrants: Iterable[Entrant], number: int) -> list[int]:
    """Return the version ids of the entrants that play in a round, in the order in which they were entered."""
    return [entrant.version.id for entrant in entrants if _plays(entrant, number)]


def stored_program(home: Home, version: Version) -> Program:
    """Return the program of a stored version. Raises `NightError` if its files are missing."""
    folder = home.bots / version.digest
    if not folder.is_dir():
        raise NightError(f"the files of {version.label} are missing: expected them in {folder}; submit it again")
    return Program(version.bot, version.number, version.author, version.digest, str(folder), version.command)


def require_programs(programs: Iterable[Program]) -> None:
    """Raise `NightError`, with every bot that this host cannot run, if there is one. No bot loses by that."""
    missing: dict[str, list[str]] = {}
    for program in programs:
        if (name := missing_program(program.command, program.folder)) is not None:
            missing.setdefault(name, []).append(program.label)
    if missing:
        parts = [f"{quoted(name)}, which runs {', '.join(sorted(labels))}" for name, labels in sorted(missing.items())]
        raise NightError(
            f"nothing is played: this host cannot execute {'; '.join(parts)}: install what is missing (`arena doctor`"
            " names the packages), or take the bots out with `arena bot withdraw`"
        )


def _plays(entrant: Entrant, number: int) -> bool:
    return entrant.since_round <= number and (entrant.until_round is None or number < entrant.until_round)
