"""Play a whole night as the command line does: plan, play with real processes, store, rate."""

from __future__ import annotations

import hashlib
import os
import resource
import shutil
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from arena.config.home import Home
from arena.model.records import MatchOrder, MatchRecord, Program, Submission, Unkillable
from arena.model.rules import LeagueRules
from arena.night.control import Stop
from arena.night.events import NightEvent
from arena.night.runner import Venue, run_night
from arena.ratings.live import RatingSettings
from arena.sandbox.launcher import Sandbox
from arena.schedules.plan import NightPlan
from arena.store.store import Store
from arena.workers.player import MatchPlayer


@dataclass(frozen=True, slots=True)
class NightCase:
    """The night to play."""

    rules: LeagueRules
    program: Program
    """The program of all bots; only their names differ."""
    bots: int
    plan: NightPlan
    workers: int
    sandbox: Sandbox
    report: Callable[[NightEvent], None] = lambda _event: None
    play: Callable[[MatchOrder], MatchRecord] | None = None
    """Called in the workers instead of playing real matches."""
    stop: Stop | None = None
    ahead: bool = True
    """Whether a waiting worker starts the bots of its next match."""


@dataclass(frozen=True, slots=True)
class NightFigures:
    """The measurements of a night."""

    matches: int
    seconds: float
    arena_cpu_s: float
    """CPU time of the night's own process and its workers."""
    all_cpu_s: float
    """CPU time of these processes and of all bots with their sandboxes."""

    @property
    def rate(self) -> float:
        """Matches a second."""
        return self.matches / self.seconds

    @property
    def arena_share(self) -> float:
        """The arena's share of all CPU time."""
        return self.arena_cpu_s / self.all_cpu_s


class _MeasuredPlayer:
    """Plays the matches of a case, and writes down the processor time of its worker at the end."""

    def __init__(self, case: NightCase, folder: Path) -> None:
        self._case = case
        self._folder = folder
        self._player = MatchPlayer(case.sandbox)

    def play(self, order: MatchOrder) -> MatchRecord:
        """Play a real match, or call the function of the case."""
        return self._player.play(order) if self._case.play is None else self._case.play(order)

    def prepare(self, order: MatchOrder, until: int) -> None:
        """Start the bots of the next match, if the case wants that."""
        if self._case.ahead:
            self._player.prepare(order, until)

    def close(self) -> Iterable[Unkillable]:
        """Close the bots, and write down the processor time."""
        found = self._player.close()
        (self._folder / f"cpu-{os.getpid()}").write_text(repr(_cpu_s(resource.RUSAGE_SELF)))
        return found


def play_night(case: NightCase) -> NightFigures:
    """Play the night in a new home, from the first plan to the last rating."""
    folder = Path(tempfile.mkdtemp(prefix="arena-benchmark-night-"))
    folder.chmod(0o755)
    try:
        return _play(case, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _play(case: NightCase, folder: Path) -> NightFigures:
    home = Home(folder, None, "a benchmark")
    home.create()
    with Store.open(folder) as store:
        store.keep_league(case.rules, RatingSettings())
        for number in range(case.bots):
            digest = hashlib.blake2b(b"%d" % number, digest_size=16).hexdigest()
            shutil.copytree(case.program.folder, home.bots / digest)
            program = Program(f"bot{number:03}", 0, "bench", digest, "", case.program.command)
            store.submit(Submission(program, digest), (case.rules.name,))
        venue = Venue(
            store,
            home,
            _MeasuredPlayer(case, folder),
            case.workers,
            sandbox=case.sandbox.layers,
            report=case.report,
            stop=case.stop or Stop(),
        )
        own, children, nice = _cpu_s(resource.RUSAGE_SELF), _cpu_s(resource.RUSAGE_CHILDREN), os.nice(0)
        began = perf_counter()
        summary = run_night(venue, case.rules, RatingSettings(), case.plan)
        seconds = perf_counter() - began
        own, children = _cpu_s(resource.RUSAGE_SELF) - own, _cpu_s(resource.RUSAGE_CHILDREN) - children
        os.setpriority(os.PRIO_PROCESS, 0, nice)
    workers = sum(float(path.read_text()) for path in folder.glob("cpu-*"))
    if summary.counts.parked or not (summary.finished or case.stop):
        raise AssertionError(f"the night did not end well: {summary.counts}")
    return NightFigures(summary.counts.played, seconds, own + workers, own + children)


def _cpu_s(whose: int) -> float:
    used = resource.getrusage(whose)
    return used.ru_utime + used.ru_stime
