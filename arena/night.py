"""A league night: plan a round, play it, store, rate, plan the next; stop cleanly at any moment, go on exactly.

The store is the only memory. A round is written before its first match, a result at most once, and everything that
decides something (who is suspended, what is played next) is counted from stored results in schedule order at a round's
end. So a night that was killed anywhere goes on as if nothing had happened, and the number of workers changes nothing.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from arena import logs
from arena.control import Control, Haste, NightLock, Stop, night_lock
from arena.dealing import Deal
from arena.errors import NightError
from arena.home import Home
from arena.night_events import (
    BotSuspended,
    Leader,
    MatchDone,
    MatchVoided,
    NightClosed,
    NightEvent,
    NightOpened,
    Progress,
    RoundPlanned,
    SeatDone,
    SeatsLeftOut,
)
from arena.night_plan import NightPlan
from arena.pairing import Field, PlayedMatch
from arena.ratings import RatingSettings
from arena.records import MatchOrder, MatchRecord, PlannedMatch, Program, VoidRecord
from arena.seeds import match_seed, new_night_seed
from arena.settings import LeagueRules
from arena.store import (
    ATTEMPTS,
    EntrantState,
    NewNight,
    Night,
    NightCounts,
    NightState,
    Store,
    Version,
)
from arena.workers import Play, Workers, WorkerSettings

COMMIT_S: Final = 0.5
COMMIT_RESULTS: Final = 200
"""Results are stored when so many wait, or when the first of them has waited so long."""
_STANDINGS_S: Final = 2.0
"""Ratings are folded, and standings shown, at most so often while matches are played."""
_RATE_S: Final = 30.0
_AHEAD_S: Final = 0.1
"""Workers have orders in hand for about this long: as long as the parent may be busy storing and rating."""
_MOST_AHEAD: Final = 16

_log = logging.getLogger("arena.night")


@dataclass(frozen=True, slots=True)
class Venue:
    """Where and how a night is played: all that is not the league's affair."""

    store: Store
    home: Home
    play: Play
    """Plays one match; called in the workers."""
    workers: int = 1
    pin: bool = True
    leave: Callable[[], None] | None = None
    """Called in a worker that ends: closes the bots that it keeps."""
    sandbox: tuple[str, ...] = ()
    """The confinement layers in force."""
    program: Callable[[Home, Version], Program] | None = None
    """How a stored version is started; by default from its folder in the home."""
    report: Callable[[NightEvent], None] = lambda _event: None
    stop: Stop = field(default_factory=Stop)
    clock: Callable[[], float] = time.monotonic


@dataclass(frozen=True, slots=True)
class NightSummary:
    """How a night, or this part of it, ended."""

    night: Night
    counts: NightCounts
    suspended: tuple[str, ...]
    """As `name:version`."""

    @property
    def finished(self) -> bool:
        """Whether the night is closed; else `resume_night` goes on."""
        return self.night.state is NightState.CLOSED


def run_night(
    venue: Venue, rules: LeagueRules, rating: RatingSettings, plan: NightPlan, seed: bytes | None = None
) -> NightSummary:
    """Begin a night of all bots that are entered in the league, and play it to its end or until it is stopped.

    Raises `NightError` when the league has an open night, too few bots, or another night is played in this home.
    """
    with _playing(venue) as (lock, control):
        entrants = venue.store.entries(rules.name)
        fitting = plan.fit(len(entrants))
        for seats in sorted(set(plan.seats) - set(fitting.seats)):
            venue.report(SeatsLeftOut(seats, len(entrants)))
        new = NewNight(
            rules=rules,
            rating=rating,
            seed=seed or new_night_seed(),
            entrants=tuple(version.id for version in entrants),
            sandbox=venue.sandbox,
            plan=fitting.as_json(),
        )
        night = venue.store.create_night(new)
        return _Evening(venue, night, lock, control).play(resumed=False)


def resume_night(venue: Venue, league: str, *, parked: bool = False) -> NightSummary:
    """Go on with the league's open night, exactly as if it had never stopped.

    With `parked`, matches that were set aside are tried again; they come last in the ratings, and the newest night is
    opened again for them. Raises `NightError` when there is nothing to go on with.
    """
    with _playing(venue) as (lock, control):
        night = venue.store.open_night(league)
        if parked:
            night = night or venue.store.night(league)
            if not venue.store.unpark(night) and night.state is not NightState.OPEN:
                raise NightError(f"night {night.number} of {league} has no parked matches")
            night = venue.store.open_night(league)
        if night is None:
            raise NightError(f"league {league!r} has no open night: `arena night run {league}` begins one")
        return _Evening(venue, night, lock, control).play(resumed=True)


def abandon_night(store: Store, home: Home, league: str) -> Night:
    """Give up the league's open night; what was played stays. Raises `NightError` when it is being played."""
    home.create()
    with night_lock(home.run):
        night = store.open_night(league)
        if night is None:
            raise NightError(f"league {league!r} has no open night")
        abandoned = store.abandon_night(night)
        store.update_ratings(league)
        return abandoned


def stored_program(home: Home, version: Version) -> Program:
    """How a stored version is started. Raises `NightError` when its files are gone."""
    folder = home.bots / version.digest
    if not folder.is_dir():
        raise NightError(f"the files of {version.label} are gone: expected them in {folder}; hand it in again")
    return Program(version.bot, version.number, version.author, version.digest, str(folder), version.command)


@contextlib.contextmanager
def _playing(venue: Venue) -> Iterator[tuple[NightLock, Control]]:
    """The lock, the log and the socket of a night that is played in this process."""
    venue.home.create()

    def answer(request: dict[str, Any]) -> dict[str, Any]:
        if request.get("command") != "stop":
            return {"error": f"unknown command {request.get('command')!r}: expected stop"}
        return {"haste": venue.stop.ask(Haste[str(request.get("haste", "after_running")).upper()]).name.lower()}

    with night_lock(venue.home.run) as lock, logs.night_log(venue.home.logs):
        control = Control(venue.home.run, answer)
        try:
            yield lock, control
        finally:
            control.close()


class _Evening:
    """One night while this process plays it."""

    def __init__(self, venue: Venue, night: Night, lock: NightLock, control: Control) -> None:
        self._venue = venue
        self._store = venue.store
        self._night = night
        self._control = control
        self._entrants = self._store.entrants(night)
        make = venue.program or stored_program
        self._programs = {entrant.version.id: make(venue.home, entrant.version) for entrant in self._entrants}
        self._rounds: Iterator[list[PlannedMatch]] | None = None
        self._schedule = NightPlan.from_json(night.plan).make_schedule()
        self._settings = WorkerSettings(
            venue.workers,
            venue.pin,
            keep_out=(lock.give_up, control.give_up, venue.stop.close, self._store.forget),
        )
        counts = self._store.night_counts(night)
        self._done = counts.played + counts.parked
        self._total = max(self._schedule.matches_ahead(len(self._entrants)), self._done + counts.planned)
        self._results: list[MatchRecord] = []
        self._first_result_at = 0.0
        self._progress: deque[tuple[float, int]] = deque([(venue.clock(), self._done)])
        self._leaders: tuple[Leader, ...] = ()
        self._rated_at = venue.clock()

    def play(self, *, resumed: bool) -> NightSummary:
        """Round after round, until there is none or a stop is asked for."""
        labels = tuple(entrant.version.label for entrant in self._entrants)
        self._venue.report(NightOpened(self._night, labels, self._total, resumed))
        _log.info("night %d of %s, %d entrants", self._night.number, self._night.league, len(labels))
        with Workers(self._settings, self._venue.play, self._venue.leave) as workers:
            while matches := self._next_round():
                self._play_round(workers, matches)
                if self._venue.stop.haste >= Haste.AFTER_RUNNING:
                    break
                if self._venue.stop.haste is Haste.AFTER_ROUND:
                    self._finish_round(matches[-1].round)
                    break
        self._store.update_ratings(self._night.league)
        if not matches:
            self._night = self._store.close_night(self._night)
        counts = self._store.night_counts(self._night)
        suspended = (e.version.label for e in self._store.entrants(self._night) if e.state is EntrantState.SUSPENDED)
        if not matches:
            self._venue.report(NightClosed(self._night, counts))
        _log.info("night %d of %s is %s", self._night.number, self._night.league, self._night.state)
        return NightSummary(self._night, counts, tuple(suspended))

    # Rounds

    def _next_round(self) -> list[PlannedMatch]:
        """What is to be played next: the rest of a round that was begun, else the next one; empty at the end."""
        rest = self._store.unplayed(self._night)
        if rest:
            return rest
        planned = self._store.rounds(self._night)
        if planned:
            self._finish_round(planned - 1)
        if self._rounds is None:
            self._rounds = self._schedule.rounds(Field(self._night.seed, self._entrants_of, self._results_of))
            # The plan is a pure function of what is stored: what was planned before comes out again, and is dropped.
            for _ in range(planned):
                next(self._rounds, None)
        matches = next(self._rounds, [])
        if matches:
            self._store.plan_round(self._night, matches)
            self._venue.report(RoundPlanned(matches[0].round, len(matches)))
        return matches

    def _entrants_of(self, number: int) -> list[int]:
        return [
            entrant.version.id
            for entrant in self._entrants
            if entrant.since_round <= number and (entrant.until_round is None or number < entrant.until_round)
        ]

    def _results_of(self, number: int) -> list[PlayedMatch]:
        return [
            PlayedMatch(number, result.seating, result.ranks, result.encounter)
            for result in self._store.round_results(self._night, number)
        ]

    def _finish_round(self, number: int) -> None:
        """Suspend who forfeited too often; doing it twice does no more than once."""
        for streak in self._store.forfeit_streaks(self._night, self._night.rules.suspend_after):
            label = self._label(streak.version_id)
            self._store.end_entrant(
                self._night,
                streak.version_id,
                EntrantState.SUSPENDED,
                until_round=number + 1,
                reason=f"{streak.length} forfeits in a row",
            )
            self._venue.report(BotSuspended(label, streak.length, number + 1))
            _log.warning("%s is suspended after %d forfeits in a row", label, streak.length)
        self._entrants = self._store.entrants(self._night)

    # Matches

    def _play_round(self, workers: Workers, matches: Sequence[PlannedMatch]) -> None:
        """Play these, until all are stored or the stop is near; what was heard is stored in any case."""
        stop, clock = self._venue.stop, self._venue.clock
        planned = {self._night.match_id(match.position): match for match in matches}
        deal = Deal(matches, self._venue.workers)
        while True:
            if stop.haste < Haste.AFTER_RUNNING:
                self._hand_out(workers, deal)
            if stop.haste is Haste.NOW:
                workers.kill()
            if not workers.running:
                break
            due_s = max(0.0, self._first_result_at + COMMIT_S - clock()) if self._results else None
            for played in workers.wait(due_s, also=(stop, self._control)):
                if isinstance(played, VoidRecord):
                    self._take_void(played, planned, deal)
                else:
                    self._take_result(played, planned)
            stop.heard()
            self._control.serve()
            waited_s = clock() - self._first_result_at
            if self._results and (len(self._results) >= COMMIT_RESULTS or waited_s >= COMMIT_S):
                self._commit(workers)
        self._commit(workers)

    def _hand_out(self, workers: Workers, deal: Deal) -> None:
        while free := workers.free:
            match = deal.take(free[0])
            if match is None:
                return
            workers.submit(self._order(match), free[0])

    def _order(self, match: PlannedMatch) -> MatchOrder:
        return MatchOrder(
            match_id=self._night.match_id(match.position),
            seed=match_seed(self._night.seed, match.encounter),
            rules=self._night.rules,
            programs=tuple(self._programs[version] for version in match.seating),
            round=match.round,
            rotation=match.rotation,
            sandbox=self._venue.sandbox,
        )

    def _take_result(self, record: MatchRecord, planned: dict[str, PlannedMatch]) -> None:
        if not self._results:
            self._first_result_at = self._venue.clock()
        self._results.append(record)
        self._done += 1
        seating = planned[record.match_id].seating
        seats = tuple(
            SeatDone(self._label(version), seat.rank, seat.cause, seat.detail)
            for version, seat in zip(seating, record.seats, strict=True)
        )
        self._venue.report(MatchDone(record.match_id, record.outcome, record.turns, seats))

    def _take_void(self, void: VoidRecord, planned: dict[str, PlannedMatch], deal: Deal) -> None:
        attempt = self._store.record_void(self._night, void)
        parked = attempt >= ATTEMPTS
        if parked:
            self._store.park(self._night, void.match_id)
            self._done += 1
        else:
            deal.again(planned[void.match_id])
        self._venue.report(MatchVoided(void.match_id, void.cause, attempt, parked))

    def _commit(self, workers: Workers) -> None:
        if self._results:
            self._store.record(self._night, self._results)
            self._results = []
        now = self._venue.clock()
        self._progress.append((now, self._done))
        while now - self._progress[0][0] > _RATE_S and len(self._progress) > 2:
            self._progress.popleft()
        since, done = self._progress[0]
        rate = (self._done - done) / (now - since) if now > since else 0.0
        workers.depth = max(1, min(_MOST_AHEAD, 1 + int(_AHEAD_S * rate / self._venue.workers)))
        if now - self._rated_at >= _STANDINGS_S:
            self._rate()
        left_s = (self._total - self._done) / rate if rate > 0 else None
        running = len(workers.running)
        self._venue.report(Progress(self._done, self._total, rate, left_s, running, self._leaders))

    def _rate(self) -> None:
        """Fold what has become ready, and say who leads."""
        self._store.update_ratings(self._night.league)
        ratings = self._store.ratings(self._night.league)
        known = (Leader(e.version.label, ratings[e.version.id]) for e in self._entrants if e.version.id in ratings)
        self._leaders = tuple(sorted(known, key=lambda leader: (-leader.rating.shown, leader.label)))
        self._rated_at = self._venue.clock()

    def _label(self, version_id: int) -> str:
        return self._programs[version_id].label
