"""A league night: plan a round, play it, store, rate, plan the next. It can stop at any time, and resumes exactly.

The store is the only memory. A round is stored before its first match, and a result is stored at most once. Suspensions
and the next round depend only on stored results in schedule order, and are decided at the end of a round. So a killed
night resumes as if it had not stopped, and the number of workers does not change the result.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from arena.config.home import Home
from arena.errors import NightError
from arena.model.records import MatchOrder, MatchRecord, PlannedMatch, Program, VoidRecord
from arena.model.rules import LeagueRules
from arena.model.seeds import match_seed, new_night_seed
from arena.night.commands import CommandHandler
from arena.night.control import Haste, Stop, night_lock
from arena.night.dispatch import Dispatch
from arena.night.entrants import Entrants, require_programs, stored_program
from arena.night.events import (
    BotSuspended,
    Leader,
    MatchDone,
    MatchVoided,
    NightClosed,
    NightEvent,
    NightOpened,
    OutOfTime,
    Progress,
    RoundPlanned,
    SeatDone,
    SeatsLeftOut,
)
from arena.night.exclusive import Exclusive, exclusive
from arena.night.progress import NightProgress, Pace
from arena.night.rounds import Rounds, complete_rounds, matches_in_all
from arena.ratings.live import RatingSettings
from arena.schedules.base import PlanningContext
from arena.schedules.knockout import Knockout
from arena.schedules.plan import NightPlan
from arena.store.store import Store
from arena.store.values import ATTEMPTS, NewNight, Night, NightCounts, NightState, Version
from arena.workers.pool import Player, Workers, WorkerSettings

COMMIT_S: Final = 0.5
COMMIT_RESULTS: Final = 200
"""Results are stored when `COMMIT_RESULTS` of them wait, or when the first has waited for `COMMIT_S` seconds."""
_RATED_AT_ONCE: Final = 20
_STANDINGS_S: Final = 2.0
"""Minimum time between two updates of the standings while matches are played."""

_log = logging.getLogger("arena.night")


@dataclass(frozen=True, slots=True)
class Venue:
    """Where and how a night is played: everything that does not depend on the league."""

    store: Store
    home: Home
    player: Player
    """Plays the matches. Each worker has a copy."""
    workers: int = 1
    pin: bool = True
    sandbox: tuple[str, ...] = ()
    """The active sandbox layers."""
    program: Callable[[Home, Version], Program] | None = None
    """Returns the program of a stored version; by default, the program in its folder in the home."""
    report: Callable[[NightEvent], None] = lambda _event: None
    stop: Stop = field(default_factory=Stop)
    left_s: Callable[[], float] | None = None
    """Returns the time that the night has left. No round starts that is expected to take longer."""
    clock: Callable[[], float] = time.monotonic


@dataclass(frozen=True, slots=True)
class NightSummary:
    """The outcome of a night, or of one part of it."""

    night: Night
    counts: NightCounts
    suspended: tuple[str, ...]
    """Suspended bots, as `name:version`."""
    podium: tuple[str, ...] = ()
    """The first four of a finished knockout, in order."""

    @property
    def finished(self) -> bool:
        """Return whether the night is closed. If not, `resume_night` can continue it."""
        return self.night.state is NightState.CLOSED


def run_night(
    venue: Venue, rules: LeagueRules, rating: RatingSettings, plan: NightPlan, seed: bytes | None = None
) -> NightSummary:
    """Start a night of all bots that are entered in the league, and play it until it ends or is stopped.

    Raises `NightError` if the league has an open night or too few bots, if this host lacks a program that runs one of
    the bots, or if another night is played in this home.
    """
    with exclusive(venue.home, venue.store) as resources:
        entrants = venue.store.entries(rules.name)
        fitting = plan.fit(len(entrants))
        # Find every error that would end the night at its first round now, before the night is created.
        fitting.check([version.id for version in entrants])
        make = venue.program or stored_program
        require_programs(make(venue.home, version) for version in entrants)
        for seats in (seats for seats in plan.seats if seats > len(entrants)):
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
        return _RunningNight(venue, night, resources).play(resumed=False)


def resume_night(venue: Venue, league: str, *, parked: bool = False) -> NightSummary:
    """Resume the league's open night, exactly as if it had never stopped.

    With `parked`, parked matches are played too. They come last in the ratings. If no night is open, the newest night
    is reopened for them. Raises `NightError` if there is nothing to resume.
    """
    with exclusive(venue.home, venue.store) as resources:
        night = venue.store.open_night(league)
        if parked:
            night = night or venue.store.night(league)
            if not venue.store.unpark(night) and night.state is not NightState.OPEN:
                raise NightError(f"night {night.number} of {league} has no parked matches")
            night = venue.store.open_night(league)
        if night is None:
            raise NightError(f"league {league!r} has no open night: `arena night run {league}` starts one")
        running = _RunningNight(venue, night, resources)
        running.require_programs()
        return running.play(resumed=True)


def abandon_night(store: Store, home: Home, league: str) -> Night:
    """Abandon the league's open night. Its finished matches remain. Raises `NightError` if a process plays it."""
    home.create()
    with night_lock(home.run), store.lock_nights():
        night = store.open_night(league)
        if night is None:
            raise NightError(f"league {league!r} has no open night")
        abandoned = store.abandon_night(night)
        store.update_ratings(league)
        return abandoned


class _RunningNight:
    """One night that this process plays."""

    def __init__(self, venue: Venue, night: Night, resources: Exclusive) -> None:
        self._venue = venue
        self._store = venue.store
        self._night = night
        self._resources = resources
        make = venue.program or stored_program
        self._entrants = Entrants(self._store, night, lambda version: make(venue.home, version))
        self._schedule = NightPlan.from_json(night.plan).make_schedule()
        self._rounds = Rounds(self._schedule, self._context())
        self._commands = CommandHandler(
            self._entrants,
            venue.stop,
            venue.workers,
            venue.report,
            takes_newcomers=self._schedule.takes_newcomers,
        )
        self._workers = venue.workers
        counts = self._store.night_counts(night)
        done, total = counts.played + counts.parked, matches_in_all(self._schedule, self._context(), counts)
        self._progress = NightProgress(venue.clock(), done, total)
        self._pace = Pace(self._store.match_times(night.league), self._store.playing_times(night.league), venue.workers)
        self._played: Counter[int] = Counter()
        """Number of finished matches of this round, by number of seats."""
        self._prepared: set[int] = set()
        """Slots of the workers that were asked to prepare the next round."""
        self._results: list[MatchRecord] = []
        self._first_result_at = 0.0
        self._unrated = False
        """Whether the ratings may still miss stored results."""
        self._leaders: tuple[Leader, ...] = ()
        self._shown_at = venue.clock()

    def require_programs(self) -> None:
        """Raise `NightError` if this host cannot run the bots of the present round."""
        playing = self._entrants.of_round(complete_rounds(self._store.night_counts(self._night)))
        require_programs(self._entrants.programs[version] for version in playing)

    def play(self, *, resumed: bool) -> NightSummary:
        """Play all rounds, or until a stop is requested."""
        self._resources.control.open(self._commands.answer)
        playing = self._entrants.labels_of(complete_rounds(self._store.night_counts(self._night)))
        self._venue.report(NightOpened(self._night, playing, self._progress.total, resumed, self._progress.done))
        _log.info("night %d of %s, %d entrants", self._night.number, self._night.league, len(self._entrants.stored))
        matches = self._next_round()
        while self._may_begin(matches):
            # A new number of workers takes effect between rounds, when no match is running.
            self._workers = self._commands.workers
            with Workers(self._worker_settings(), self._venue.player) as workers:
                while self._may_begin(matches) and self._workers == self._commands.workers:
                    self._play_round(workers, matches)
                    if self._venue.stop.haste < Haste.AFTER_RUNNING:
                        matches = self._next_round()
            if workers.unkillable:
                self._store.record_unkillable(self._night, workers.unkillable)
        self._store.update_ratings(self._night.league)
        podium: tuple[str, ...] = ()
        if not matches:
            self._night = self._store.close_night(self._night)
            podium = self._podium()
        counts = self._store.night_counts(self._night)
        if not matches:
            self._venue.report(NightClosed(self._night, counts))
        _log.info("night %d of %s is %s", self._night.number, self._night.league, self._night.state)
        return NightSummary(self._night, counts, self._entrants.suspended, podium)

    def _worker_settings(self) -> WorkerSettings:
        keep_out = (self._resources.give_up, self._venue.stop.close, self._store.forget)
        return WorkerSettings(self._workers, self._venue.pin, keep_out)

    # Rounds

    def _next_round(self) -> list[PlannedMatch]:
        """Return the unplayed matches of the current round, or else the next round; empty at the end of the night.

        The next round is not stored before it starts.
        """
        self._resources.database.check()
        rest = self._store.unplayed(self._night)
        if rest:
            return rest
        planned = self._store.rounds(self._night)
        if planned:
            self._finish_round(planned - 1)
        return self._rounds.plan(planned)

    def _may_begin(self, matches: Sequence[PlannedMatch]) -> bool:
        """Return whether there are matches to play, no stop was requested, and the time limit permits the round."""
        if not matches or self._venue.stop.haste is not Haste.NONE:
            return False
        if self._venue.left_s is None:
            return True
        left_s = self._venue.left_s()
        expected_s = self._pace.expected_s(Counter(len(match.seating) for match in matches), self._workers)
        if left_s > 0 and (expected_s is None or expected_s <= left_s):
            return True
        self._venue.report(OutOfTime(len(matches), expected_s, left_s))
        self._venue.stop.ask(Haste.AFTER_ROUND)
        return False

    def _context(self) -> PlanningContext:
        return PlanningContext(
            self._night.seed, self._entrants.of_round, partial(self._store.round_results, self._night)
        )

    def _podium(self) -> tuple[str, ...]:
        if not isinstance(self._schedule, Knockout):
            return ()
        return tuple(self._entrants.label(version) for version in self._schedule.podium(self._context()))

    def _finish_round(self, number: int) -> None:
        """Suspend the bots that forfeited too often or could not be killed. The call is idempotent."""
        for label, length, reason in self._entrants.suspend(number):
            self._venue.report(BotSuspended(label, length, number + 1, reason))
        if self._schedule.looks_at_results or self._entrants.of_round(number + 1) != self._entrants.of_round(number):
            counts = self._store.night_counts(self._night)
            self._progress.total = matches_in_all(self._schedule, self._context(), counts)

    # Matches

    def _play_round(self, workers: Workers, matches: Sequence[PlannedMatch]) -> None:
        """Play these matches until all are stored, or a stop ends the round early. Store all received results."""
        stop, clock = self._venue.stop, self._venue.clock
        if matches[0].round >= self._store.rounds(self._night):
            self._store.plan_round(self._night, matches)
            self._venue.report(RoundPlanned(matches[0].round, len(matches)))
            self._progress.total = max(self._progress.total, self._progress.done + len(matches))
        began_at, self._played = clock(), Counter()
        self._prepared.clear()
        planned = {match.position: match for match in matches}
        dispatch = Dispatch(matches, self._workers)
        while True:
            if stop.haste < Haste.AFTER_RUNNING:
                self._dispatch(workers, dispatch)
            if stop.haste is Haste.NOW:
                workers.kill()
            if not workers.running:
                break
            due_s = max(0.0, self._first_result_at + COMMIT_S - clock()) if self._results else None
            received = workers.wait(0.0 if self._unrated else due_s, also=(stop, self._resources.control))
            if self._unrated and not received:
                # Rate a few matches at a time, and only while the parent is idle, so that workers never wait for it.
                self._unrated = self._store.update_ratings(self._night.league, at_most=_RATED_AT_ONCE) > 0
            for played in received:
                if isinstance(played, VoidRecord):
                    self._take_void(played, planned, dispatch)
                else:
                    self._take_result(played, planned)
            stop.acknowledge()
            self._resources.control.serve()
            waited_s = clock() - self._first_result_at
            if self._results and (len(self._results) >= COMMIT_RESULTS or waited_s >= COMMIT_S):
                self._commit(workers)
        self._commit(workers)
        self._pace.took(self._played, clock() - began_at, self._workers)

    def _dispatch(self, workers: Workers, dispatch: Dispatch) -> None:
        while free := workers.free:
            match = dispatch.take(free[0])
            if match is None:
                self._prepare_next_round(workers)
                return
            workers.submit(self._order(match), free[0])

    def _prepare_next_round(self, workers: Workers) -> None:
        """Let the workers that stay idle until the end of the round prepare the next round."""
        idle = [slot for slot in workers.idle if slot not in self._prepared]
        if not idle or not workers.running or self._venue.stop.haste is not Haste.NONE:
            return
        dispatch = Dispatch(self._rounds.foresee(self._store.rounds(self._night)), self._workers)
        for slot in range(self._workers):
            match = dispatch.take(slot)
            if match is not None and slot in idle:
                workers.prepare(self._order(match), slot)
        self._prepared.update(idle)

    def _order(self, match: PlannedMatch) -> MatchOrder:
        return MatchOrder(
            match_id=self._night.match_id(match.position),
            seed=match_seed(self._night.seed, match.encounter),
            rules=self._night.rules,
            programs=tuple(self._entrants.programs[version] for version in match.seating),
            round=match.round,
            rotation=match.rotation,
            sandbox=self._venue.sandbox,
            position=match.position,
        )

    def _take_result(self, record: MatchRecord, planned: dict[int, PlannedMatch]) -> None:
        if not self._results:
            self._first_result_at = self._venue.clock()
        self._results.append(record)
        self._progress.done += 1
        self._played[len(record.seats)] += 1
        seating = planned[record.position].seating
        seats = tuple(
            SeatDone(self._entrants.label(version), seat.rank, seat.cause, seat.detail)
            for version, seat in zip(seating, record.seats, strict=True)
        )
        unkillable = tuple(bot.program.label for bot in record.unkillable)
        match_id = self._night.match_id(record.position)
        self._venue.report(MatchDone(match_id, record.outcome, record.turns, seats, unkillable))

    def _take_void(self, void: VoidRecord, planned: dict[int, PlannedMatch], dispatch: Dispatch) -> None:
        attempt = self._store.record_void(self._night, void)
        parked = attempt >= ATTEMPTS
        if parked:
            self._store.park(self._night, void.position)
            self._progress.done += 1
        else:
            dispatch.again(planned[void.position])
        self._venue.report(MatchVoided(self._night.match_id(void.position), void.cause, attempt, parked))

    def _commit(self, workers: Workers) -> None:
        if self._results:
            self._resources.database.check()
            self._store.record(self._night, self._results)
            self._results = []
            self._unrated = True
        now, progress = self._venue.clock(), self._progress
        progress.mark(now)
        workers.depth = progress.depth(self._workers)
        if now - self._shown_at >= _STANDINGS_S:
            self._leaders, self._shown_at = self._standings(), now
        running = len(workers.running)
        self._venue.report(
            Progress(progress.done, progress.total, progress.rate, progress.left_s, running, self._leaders)
        )

    def _standings(self) -> tuple[Leader, ...]:
        """Return the rated entrants in the order of their current ratings."""
        ratings = self._store.ratings(self._night.league)
        known = (
            Leader(e.version.label, ratings[e.version.id]) for e in self._entrants.stored if e.version.id in ratings
        )
        return tuple(sorted(known, key=lambda leader: (-leader.rating.shown, leader.label)))
