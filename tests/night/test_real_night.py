"""Tests of a night with real bots, from start to end: always the same results, and no leaked process."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from arena.linux import subreaper
from tests.support.databases import on_sqlite
from tests.support.real_night import ROOT, outcome, play, rules

pytestmark = pytest.mark.usefixtures("database")

SCRIPT = "import sys; sys.path[:0] = {path!r}; from tests.support.real_night import *; play_and_die(*sys.argv[1:])"

Outcome = tuple[str, dict[str, bytes]]


def nothing(_event: object) -> None:
    """Listen to nobody."""


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """The outcome with one worker and bots that are kept, in a file: a server's must be the same."""
    folder = tmp_path_factory.mktemp("undisturbed")
    with on_sqlite():
        assert play(folder, rules(reuse=True), 1, nothing).finished
        return outcome(folder)


@pytest.mark.parametrize(("workers", "reuse"), [(1, False), (2, True), (3, False)])
def test_workers_and_kept_bots_change_nothing(workers: int, reuse: bool, tmp_path: Path, undisturbed: Outcome) -> None:
    """More workers, and bots that are kept or started for each match, give the same leaderboard and replays."""
    before = subreaper.children()
    summary = play(tmp_path, rules(reuse=reuse), workers, nothing)
    assert summary.finished
    assert summary.counts.attempts == 0
    assert outcome(tmp_path) == undisturbed
    assert subreaper.children() <= before


def reap_orphans(known: set[int], patience_s: float = 10.0) -> None:
    """Wait until everybody who became our child is dead; fails when somebody lives on."""
    while orphans := subreaper.children() - known:
        for pid in orphans:
            try:
                descriptor = os.pidfd_open(pid)
            except ProcessLookupError:
                continue
            poll = select.poll()
            poll.register(descriptor, select.POLLIN)
            dead = poll.poll(patience_s * 1000)
            os.close(descriptor)
            if not dead:
                command = Path(f"/proc/{pid}/cmdline").read_bytes()
                subreaper.kill_adopted(known)
                pytest.fail(f"process {pid} lives on: {command!r}")
            os.waitpid(pid, 0)


def test_a_killed_night_leaves_no_process_and_goes_on_exactly(tmp_path: Path, undisturbed: Outcome) -> None:
    """After SIGKILL of the night, or of it and all workers at once, no bot is left; resumed, the outcome is exact."""
    known = subreaper.children()
    before = subreaper.adopt_orphans(True)
    code = SCRIPT.format(path=[str(ROOT), *sys.path])
    try:
        for matches, whom in ((3, "night"), (7, "group")):
            command = [sys.executable, "-c", code, str(tmp_path), "2", str(matches), whom]
            night = subprocess.run(command, cwd=ROOT, start_new_session=True)
            assert night.returncode == -signal.SIGKILL
            reap_orphans(known)
    finally:
        subreaper.adopt_orphans(before)
    assert play(tmp_path, rules(reuse=True), 2, nothing).finished
    assert outcome(tmp_path) == undisturbed
