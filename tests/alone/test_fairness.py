"""Tests of fairness: no bot is late because of other programs, or in time by blaming them; no bot computes in another's
turn. The tests check verdicts and shares, never the speed of this host."""

from __future__ import annotations

import pytest

from arena.sandbox.probe import probe
from benchmarks import fairness, off_turn


def test_no_verdict_is_false_on_an_overloaded_host() -> None:
    """200 turns at a 20 ms cap with each core loaded twice over: 10 ms of computing are in time, 40 ms are late."""
    in_time, late = fairness.judge(fairness.cases(in_time=170, late=30))
    assert (in_time.late, late.late) == (0, 30), (in_time, late)
    assert max(in_time.wall_s) > fairness.CAP_S, "the load was too weak to prove anything"


@pytest.mark.parametrize(("words", "file"), off_turn.BOTS)
def test_a_confined_bot_gets_hardly_anything_of_its_opponents_time(words: str, file: str) -> None:
    """At most one part in a hundred, by whatever means; where a group can be left, doctor says so."""
    sandbox = probe("auto")
    if "sealed-group" in sandbox.layers:
        assert off_turn.share(file, sandbox) <= off_turn.HELD, words
    else:
        assert "think while others are on turn" in sandbox.not_prevented
