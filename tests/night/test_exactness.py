"""The same night gives the same results, with real bots in real processes, however it is played."""

import json
import os
import signal
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from arena.config.home import Home
from arena.config.settings import DATABASE_FILE, league_rules
from arena.match.replay import read_replay, strip_times, verify
from arena.model.rules import LeagueRules
from arena.night.runner import Venue, run_night
from arena.reports.leaderboard import rows
from arena.sandbox.probe import probe
from arena.schedules.plan import NightPlan
from arena.store.store import Store
from arena.store.values import MatchFilter
from arena.submission.receive import SubmitOptions
from arena.submission.register import CheckSettings, rating_settings, register
from arena.workers.player import MatchPlayer
from tests.support.databases import on_sqlite, place

pytestmark = pytest.mark.usefixtures("database")

SAMPLES = Path(__file__).parents[2] / "sample_bots"
BOTS = ("any_game_random.py", "village_random.py", "village_greedy.py", "village_c")
SEED = b"always the same!"
TABLE = """
[league.friday]
game = "burn_my_village"
seats = [2, 4]
startup_s = 30
time_control = "100+10/20"
"""
RULES = league_rules("friday", tomllib.loads(TABLE)["league"]["friday"])
PLAN = NightPlan((2, 4), encounters=4, repeat=True)


def enter_samples(folder: Path, rules: LeagueRules) -> Venue:
    """A home in which the sample bots are entered, ready for a night; the caller closes its store."""
    home = Home(folder, None, "a test").create()
    sandbox = probe("auto")
    store = Store.open(place(folder))
    options, leagues = SubmitOptions(author="a tester", allow_build=True), {rules.name: rules}
    for name in BOTS:
        register(store, home.bots, SAMPLES / name, options, leagues, CheckSettings(sandbox))
    return Venue(store, home, MatchPlayer(sandbox), sandbox=tuple(sandbox.layers))


def outcome(store: Store) -> tuple[str, dict[str, bytes]]:
    """The leaderboard and all replays, times taken out."""
    matches = store.matches(MatchFilter(league="friday"), limit=1000)
    assert all(seat.cause is None for match in matches for seat in match.seats)
    board = json.dumps([row.as_json(times=False) for row in rows(store.board("friday"))])
    return board, {match.match_id: strip_times(store.replay(match.match_id)) for match in matches}


def night(folder: Path, seed: bytes = SEED, *, workers: int, reuse: bool) -> tuple[str, dict[str, bytes]]:
    """One night of the sample bots."""
    rules = RULES.model_copy(update={"reuse": reuse})
    venue = replace(enter_samples(folder, rules), workers=workers)
    with venue.store as store:
        summary = run_night(venue, rules, rating_settings(rules), PLAN, seed)
        assert summary.finished
        assert summary.counts.attempts == 0
        return outcome(store)


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, bytes]]:
    """The night with one worker and a new process for each match, in a file: a server's must be the same."""
    with on_sqlite():
        return night(tmp_path_factory.mktemp("reference"), workers=1, reuse=False)


def test_workers_and_kept_processes_change_nothing(reference: tuple[str, dict[str, bytes]], tmp_path: Path) -> None:
    """With two workers, and bots that are kept, leaderboard and replays are the same byte for byte."""
    board, replays = night(tmp_path, workers=2, reuse=True)
    assert board == reference[0]
    assert replays == reference[1]


def test_every_match_of_the_night_plays_out_again(reference: tuple[str, dict[str, bytes]]) -> None:
    """The engine alone comes to the same digests, scores and ranks."""
    assert len(reference[1]) > 20
    for replay in reference[1].values():
        verify(read_replay(replay))


@pytest.mark.parametrize("killed_after", [5])
def test_a_night_that_was_killed_goes_on_as_if_nothing_had_happened(tmp_path: Path, killed_after: int) -> None:
    """SIGKILL in the middle: no process is left, no match lost or doubled, and the end is that of a quiet night."""
    home = tmp_path / "home"
    enter_samples(home, RULES).store.close()
    (home / "arena.toml").write_text(TABLE)
    environment = {"ARENA_HOME": str(home), "PATH": os.environ["PATH"]}
    if isinstance(database := place(home), str):
        environment["ARENA_DATABASE_URL"] = database
    arena = [sys.executable, "-m", "arena", "night"]
    run = [*arena, "run", "friday", "--encounters", "4", "--workers", "2", "--json"]
    with subprocess.Popen(run, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as playing:
        assert playing.stdout is not None
        done = 0
        while done < killed_after:
            done += '"match_done"' in next(playing.stdout)
        os.kill(playing.pid, signal.SIGKILL)
        playing.communicate()  # to the end of the pipe: the workers hold it as well
    resumed = subprocess.run([*arena, "resume", "--quiet"], env=environment, capture_output=True, text=True)
    assert resumed.returncode == 0, resumed.stderr
    assert not [line for line in command_lines() if str(home) in line]
    with Store.open(place(home)) as store:
        found, seed = outcome(store), store.night("friday").seed
    assert (home / DATABASE_FILE).exists() is ("ARENA_DATABASE_URL" not in environment)
    with on_sqlite():
        assert found == night(tmp_path / "quiet", seed, workers=1, reuse=True)


def command_lines() -> list[str]:
    """Of every process that there is."""
    lines = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            lines.append(file.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        except OSError:
            continue  # it has ended meanwhile
    return lines
