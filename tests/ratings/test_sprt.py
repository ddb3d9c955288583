"""The sequential test: correct error rates, the same verdict for irrelevant changes, and an end when it is clear."""

from __future__ import annotations

import math
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ratings.sprt import Bounds, SequentialTest, Verdict, likelihood_ratio


def run(draw: list[float], bounds: Bounds | None = None) -> SequentialTest:
    test = SequentialTest(bounds)
    for value in draw:
        test.add(value)
    return test


def rate(share: float, tests: int, seed: int) -> tuple[float, float]:
    """How often a version with this share of the points is called better, and not better, on pairs of matches."""
    luck = random.Random(seed)
    said: Counter[Verdict] = Counter()
    for _ in range(tests):
        test = SequentialTest(Bounds(margin=0.1))
        while test.verdict is Verdict.UNDECIDED:
            test.add(((luck.random() < share) + (luck.random() < share)) / 2)
        said[test.verdict] += 1
    return said[Verdict.BETTER] / tests, said[Verdict.NOT_BETTER] / tests


def test_error_rates_are_as_stated() -> None:
    """Equal versions are seldom called better, and one that is better by the margin seldom not: 5 % each."""
    assert rate(0.5, 300, 1)[0] <= 0.08
    assert rate(0.6, 300, 2)[1] <= 0.08
    assert rate(0.45, 100, 3)[0] <= 0.02
    assert rate(0.7, 100, 4)[0] >= 0.99


def test_a_clear_case_is_over_soon_and_a_close_one_is_not() -> None:
    """The clearer the case the fewer matches."""
    clear, close = run([1.0] * 500), run([0.75, 0.5] * 500)
    assert clear.verdict is close.verdict is Verdict.BETTER
    assert clear.blocks < 40
    assert run([0.5, 0.5, 0.75, 0.25] * 5).verdict is Verdict.UNDECIDED


def test_what_is_said_stays_said() -> None:
    """Blocks after the verdict change nothing."""
    test = run([1.0] * 100)
    blocks, ratio = test.blocks, test.ratio
    assert test.add(0.0) is Verdict.BETTER
    assert (test.blocks, test.ratio) == (blocks, ratio)


def test_versions_that_always_split_are_equal() -> None:
    """No luck at all: every block is one half, and the test ends."""
    assert run([0.5] * 200).verdict is Verdict.NOT_BETTER


@given(st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), min_size=1, max_size=40))
def test_changing_sides_changes_the_sign(values: list[float]) -> None:
    """Against the mirrored statements, mirrored results give the opposite ratio."""
    counts = Counter(values)
    mirrored = Counter(1 - value for value in values)
    forth, back = likelihood_ratio(counts, 0.4, 0.6), likelihood_ratio(mirrored, 0.4, 0.6)
    assert forth == pytest.approx(-back, abs=1e-7)


@given(st.integers(0, 60), st.integers(0, 60))
def test_single_matches_give_the_classic_ratio(won: int, lost: int) -> None:
    """Where a block is won or lost as a whole, it is Wald's test on coin flips (and what is counted beforehand)."""
    ratio = likelihood_ratio({0.0: lost, 1.0: won}, 0.45, 0.55)
    step = math.log(0.55 / 0.45)
    assert ratio == pytest.approx((won - lost) * step, abs=0.2)


def test_the_interval_holds_the_share() -> None:
    """The mean lies within its interval, which is narrower the more was played."""
    few, many = run([0.5, 0.75, 0.25, 0.5]), run([0.5, 0.75, 0.25, 0.5] * 20, Bounds(margin=0.001))
    assert few.interval[0] < 0.5 < few.interval[1] and many.share == 0.5
    assert many.interval[1] - many.interval[0] < few.interval[1] - few.interval[0]
    assert few.histogram == {0.25: 1, 0.5: 2, 0.75: 1}
    assert SequentialTest().share is None


@pytest.mark.parametrize("wrong", [{"margin": 0.0}, {"margin": 0.5}, {"false_better": 0.0}, {"false_not_better": 0.6}])
def test_bounds_without_sense_are_refused(wrong: dict[str, float]) -> None:
    """Margins and error rates lie between 0 and one half; a value between 0 and 1."""
    with pytest.raises(ValueError, match="expected a number"):
        Bounds(**wrong)
    with pytest.raises(ValueError, match="between 0 and 1"):
        SequentialTest().add(1.5)
