"""A small night with real bots in real processes, for tests of nights from end to end."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Literal, TypeAlias

from arena.config.home import Home
from arena.match.replay import strip_times
from arena.model.rules import LeagueRules
from arena.night.events import MatchDone, NightEvent
from arena.night.runner import NightSummary, Venue, resume_night, run_night
from arena.ratings.live import RatingSettings
from arena.reports import leaderboard
from arena.sandbox.probe import probe
from arena.schedules.plan import NightPlan
from arena.store.store import Store
from arena.store.values import MatchFilter
from arena.workers.player import MatchPlayer
from tests.support import databases
from tests.support.helpers import submission

Mode: TypeAlias = Literal["auto", "off"]
"""The sandbox of the bots: the best one of this host, or only resource limits."""

ROOT = Path(__file__).parents[2]
BOT = ROOT / "sample_bots" / "any_game_random.py"
FAULTY = ROOT / "tests" / "faulty_bots"
HOSTILE = ("submits_reads.py", "moves_its_pages.py", "reads_directly.py", "advises_its_process.py")
"""Bots that try to keep the kernel busy after their end, once a match; otherwise they play like the polite bots."""
SEED = b"a night of real bots"
PLAN = NightPlan((2, 3), encounters=3)


def rules(*, reuse: bool) -> LeagueRules:
    return LeagueRules(name="real", game="burn_my_village", seats=(2, 3), reuse=reuse)


def hand_in_all(store: Store, home: Home, league: LeagueRules, count: int) -> None:
    """Enter several bots of one program; each uses the seeds that it receives for its random choices."""
    store.keep_league(league, RatingSettings())
    home.create()
    for number in range(count):
        digest = hashlib.blake2b(b"%d" % number, digest_size=16).hexdigest()
        (home.bots / digest).mkdir(exist_ok=True)
        shutil.copy(BOT, home.bots / digest / "bot.py")
        store.submit(submission(f"bot{number}", "a tester", digest, ("python3", "bot.py")), (league.name,))


def hand_in_hostile(store: Store, home: Home, league: LeagueRules) -> None:
    """Enter the hostile bots too."""
    for file in HOSTILE:
        digest = hashlib.blake2b(file.encode(), digest_size=16).hexdigest()
        (home.bots / digest).mkdir(exist_ok=True)
        shutil.copy(FAULTY / "playing.py", home.bots / digest)
        shutil.copy(FAULTY / file, home.bots / digest / "bot.py")
        name = file.removesuffix(".py").replace("_", "-")
        store.submit(submission(name, "a stranger", digest, ("python3", "bot.py")), (league.name,))


def prepare(folder: Path) -> None:
    """Create a home with all bots, hostile ones too, in which no match was played."""
    with Store.open(databases.place(folder)) as store:
        home = Home(folder, None, "a test")
        hand_in_all(store, home, rules(reuse=True), 4)
        hand_in_hostile(store, home, rules(reuse=True))


def play(
    folder: Path,
    league: LeagueRules,
    workers: int,
    report: Callable[[NightEvent], None],
    *,
    mode: Mode = "off",
    parked: bool = False,
) -> NightSummary:
    """Start or resume the night of this home."""
    home = Home(folder, None, "a test")
    sandbox = probe(mode)
    player = MatchPlayer(sandbox)
    with Store.open(databases.place(folder)) as store:
        place = Venue(store, home, player, workers, sandbox=sandbox.layers, pin=False, report=report)
        if parked or store.open_night(league.name) is not None:
            return resume_night(place, league.name, parked=parked)
        hand_in_all(store, home, league, 4)
        return run_night(place, league, RatingSettings(), PLAN, SEED)


def outcome(folder: Path) -> tuple[str, dict[str, bytes]]:
    """Return the leaderboard and the replays without times, which differ in every run."""
    with Store.open(databases.place(folder)) as store:
        board = [row.as_json(times=False) for row in leaderboard.rows(store.board("real"))]
        total = store.count_matches(MatchFilter(league="real"))
        matches = store.matches(MatchFilter(league="real"), limit=total)
        return json.dumps(board), {match.match_id: strip_times(store.replay(match.match_id)) for match in matches}


def play_and_die(folder: str, workers: str, matches: str, whom: str) -> None:
    """Play this number of matches more, then die by SIGKILL: only the night's process, or with all its workers."""
    left = int(matches)

    def report(event: NightEvent) -> None:
        nonlocal left
        if isinstance(event, MatchDone):
            left -= 1
            if left == 0:
                os.kill(os.getpid() if whom == "night" else 0, 9)

    play(Path(folder), rules(reuse=True), int(workers), report)
