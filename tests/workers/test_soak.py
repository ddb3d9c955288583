"""Test of a long night: after many matches of polite and hostile bots, no resource of the arena has leaked.

`make soak` plays 5,000 matches; the default run plays 200.
"""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.match.referee import Watch
from arena.model.causes import Cause
from arena.model.records import MatchOrder, MatchRecord, VoidRecord
from arena.sandbox.launcher import Sandbox
from arena.sandbox.probe import probe
from arena.workers.player import MatchPlayer
from arena.workers.pool import Workers, WorkerSettings
from tests.faulty_bots.table import TABLE
from tests.support.bench import CONTROL, Bench, make_bench, make_targets, traces
from tests.support.helpers import tiny_rules

pytestmark = pytest.mark.usefixtures("tiny_game")

MATCHES = int(os.environ.get("SOAK_MATCHES", "200"))
WARM_UP = 40
"""Matches after which the first measurement is taken: imports, caches and kept bots are there then."""
MEMORY_GROWTH_KB = 8_000
"""The most that a process of the arena may have grown, however many matches it played."""
QUIET = b"a quiet match..."
SLOW = {"never_says_ready.py", "slow_import.py", "slow_import_in_time.py", "fork_bomb.py"}


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    """All bots."""
    with make_bench() as made, make_targets(made):
        yield made


def orders(bench: Bench, count: int) -> Iterator[MatchOrder]:
    """Matches of two or four seats, half of the bots polite."""
    luck = random.Random(1)
    hostile = [row for row in TABLE if row.file not in SLOW]
    rules = tiny_rules(time_control=CONTROL)
    for number in range(count):
        files = [
            luck.choice(["polite.py", "polite_reused.py", luck.choice(hostile).file, luck.choice(hostile).file])
            for _ in range(luck.choice([2, 2, 2, 4]))
        ]
        programs = tuple(bench.program(file) for file in files)
        seed = number.to_bytes(16, "big")
        yield MatchOrder(f"tiny-1-{number}", seed, rules, programs, round=number // 100, rotation=0)


def quiet_order(bench: Bench, slot: int, number: int) -> MatchOrder:
    """A match after which a worker keeps exactly one bot."""
    programs = (bench.program("polite_reused.py"), bench.program("polite.py"))
    rules = tiny_rules(time_control=CONTROL)
    return MatchOrder(f"tiny-1-{number}-{slot}", QUIET, rules, programs)


class MeasuredPlayer(MatchPlayer):
    """Writes down what its process holds after each quiet match: from outside it might not be seen."""

    def __init__(self, sandbox: Sandbox, folder: Path) -> None:
        super().__init__(sandbox)
        self._folder = folder

    def play(self, order: MatchOrder, watch: Watch | None = None) -> MatchRecord:
        record = super().play(order, watch)
        if order.seed == QUIET:
            (self._folder / order.match_id).write_text(json.dumps(measure()))
        return record


def measure() -> dict[str, int]:
    """Descriptors, threads and memory (kB) of this process."""
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return {
        "descriptors": len(list(Path("/proc/self/fd").iterdir())),
        "threads": int(status["Threads"]),
        "memory": int(status["VmRSS"].split()[0]),
    }


def test_nothing_grows(bench: Bench, tmp_path: Path) -> None:
    """Descriptors, threads, processes and memory of the arena's processes are equal before and after, within bounds;
    every match has a result, and none is void."""
    sandbox = probe("auto")
    player = MeasuredPlayer(sandbox, tmp_path)
    before = traces(sandbox)
    played: Counter[Cause | None] = Counter()
    voids: list[VoidRecord] = []

    def take(results: list[MatchRecord | VoidRecord]) -> int:
        for result in results:
            if isinstance(result, VoidRecord):
                voids.append(result)
            else:
                played.update(seat.cause for seat in result.seats)
        return len(results)

    done = 0
    with Workers(WorkerSettings(2, pin=False), player) as workers:

        def play_out() -> None:
            nonlocal done
            while workers.running:
                done += take(workers.wait())

        def at_rest(number: int) -> list[dict[str, int]]:
            """All at rest: what the arena's processes hold now."""
            play_out()
            for slot in workers.free:
                workers.submit(quiet_order(bench, slot, number), slot)
            play_out()
            notes = sorted(tmp_path.glob(f"tiny-1-{number}-*"))
            assert len(notes) == 2
            return [measure(), *(json.loads(note.read_text()) for note in notes)]

        early: list[dict[str, int]] = []
        for number, order in enumerate(orders(bench, WARM_UP + MATCHES)):
            if number == WARM_UP:
                early = at_rest(number)
            while not workers.free:
                done += take(workers.wait())
            workers.submit(order)
        late = at_rest(WARM_UP + MATCHES)
    assert voids == []
    assert done == WARM_UP + MATCHES + 4
    assert len(played) > 8, "too few ways to fail for a soak"
    for begun, ended in zip(early, late, strict=True):
        assert ended["threads"] == begun["threads"]
        assert ended["descriptors"] == begun["descriptors"], (begun, ended)
        assert ended["memory"] - begun["memory"] <= MEMORY_GROWTH_KB, (begun, ended)
    assert bench.alive() == []
    assert traces(sandbox) == before
    print(f"\n{done} matches: {dict(played)}\nbefore {early}\nafter  {late}")
