"""Tests of the benchmark of hanging bots: it reports late verdicts and surviving processes."""

from __future__ import annotations

import pytest

from arena.errors import ArenaFault
from arena.sandbox.probe import probe
from benchmarks.games import offer_games
from benchmarks.hung import HELD_MS, IDLE_MS, LIMIT_S, WAYS, Hung, hang, judge
from benchmarks.measure import Figures

ON_TIME = Hung(verdict_ms=110.5, gone_ms=2.0, survivors=0)
LATE = Hung(verdict_ms=110 + HELD_MS + 0.5, gone_ms=2.0, survivors=0)


def test_one_late_verdict_in_a_hundred_is_held_and_two_are_not(capsys: pytest.CaptureFixture[str]) -> None:
    """The promise is one at p99, for each way to hang by itself."""
    judge({"sleep": [ON_TIME] * 99 + [LATE], "spin": [ON_TIME] * 100})
    assert "| sleep | 100 | 110.5 | 110.5 | 160.5 | 2.0 | 2.0 | 2.0 | 0 |" in capsys.readouterr().out
    with pytest.raises(ArenaFault, match=r"^spin: at p99 the bot forfeited 50 ms after limit and margin: expected"):
        judge({"sleep": [ON_TIME] * 300, "spin": [ON_TIME] * 98 + [LATE] * 2})


def test_a_busy_core_is_told_from_a_late_verdict() -> None:
    """Who was excused is left out, however late; but then a hundred others are needed."""
    excused = LATE._replace(excused_ms=IDLE_MS + 1.0)
    judge({"sleep": [ON_TIME] * 100 + [excused] * 20})
    with pytest.raises(ArenaFault, match="99 of 119 bots were alone on the core"):
        judge({"sleep": [ON_TIME] * 99 + [excused] * 20})
    with pytest.raises(ArenaFault, match="1 processes survived"):
        judge({"sleep": [ON_TIME] * 100 + [excused._replace(survivors=1)]})


def test_a_single_survivor_is_an_error() -> None:
    """Whatever the times."""
    with pytest.raises(ArenaFault, match="1 processes survived"):
        judge({"sleep": [ON_TIME] * 99 + [ON_TIME._replace(survivors=1)]})


@pytest.mark.parametrize(("count", "p99"), [(1, 1), (50, 50), (99, 99), (100, 99), (200, 198), (250, 248)])
def test_p99_is_the_least_that_one_in_a_hundred_exceeds(count: int, p99: int) -> None:
    """Of few values it is the largest."""
    assert Figures(tuple(map(float, range(count, 0, -1)))).p99 == p99


@pytest.mark.parametrize("way", WAYS)
def test_a_bot_hangs_until_its_limit_and_nobody_survives(way: str) -> None:
    """Each way is one in which a bot never answers; how soon the verdict comes is for the benchmark to say."""
    offer_games()
    hung = hang(way, probe("auto"))
    assert hung.verdict_ms >= LIMIT_S * 1e3
    assert hung.survivors == 0
