"""Settled ratings: independent of order, correct for known skills, and with correct intervals."""

from __future__ import annotations

import math
import random
from itertools import permutations, product

import numpy as np
import pytest
import trueskillthroughtime
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.model.records import FinishedMatch
from arena.ratings.intervals import Z_95
from arena.ratings.live import Rating, RatingSettings, rate
from arena.ratings.settled.chain import chain
from arena.ratings.settled.content import gather
from arena.ratings.settled.fit import Fit, Model, fit
from arena.ratings.settled.moments import tied, won
from arena.ratings.settled.settle import Settled, settle
from benchmarks.simulated import Field, Luck, night, skills

MODEL = Model()


def some_night(seats: int, bots: int, encounters: int, seed: int) -> list[FinishedMatch]:
    """Results that depend on the seed alone; rotations of one encounter are one block."""
    luck = random.Random(seed)
    results = []
    for number in range(encounters):
        chosen = luck.sample(range(bots), seats)
        for rotation in range(seats):
            at_table = chosen[rotation:] + chosen[:rotation]
            ranks = tuple(max(0, round(-bot + luck.gauss(2, 3))) for bot in at_table)
            results.append(FinishedMatch(tuple(at_table), ranks, (1, number)))
    return results


def raw(results: list[FinishedMatch], model: Model = MODEL) -> tuple[dict[int, float], dict[int, float]]:
    """Mean and deviation of each version as the fit has them, not yet against the field."""
    content = gather(results)
    found: Fit = fit(content, model, {})
    deviations = np.sqrt(np.diag(found.covariance))
    return dict(zip(content.versions, found.mean.tolist(), strict=True)), dict(
        zip(content.versions, deviations.tolist(), strict=True)
    )


def digits(settled: Settled) -> bytes:
    return repr(settled.ratings).encode() + settled.covariance.tobytes() + repr(settled.factor).encode()


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 5), st.randoms(use_true_random=False))
def test_no_permutation_changes_a_digit(seats: int, luck: random.Random) -> None:
    """Matches in any order, seats in any order, encounters under other numbers: the same digits."""
    results = some_night(seats, 6, 5, 7)
    other = []
    for result in results:
        order = luck.sample(range(seats), seats)
        assert result.encounter is not None
        other.append(
            FinishedMatch(
                tuple(result.versions[seat] for seat in order),
                tuple(result.ranks[seat] for seat in order),
                (2, (result.encounter[1] * 7 + 3) % 5),
            )
        )
    luck.shuffle(other)
    assert digits(settle(other)) == digits(settle(results))


def test_a_circle_of_wins_leaves_all_equal() -> None:
    """x beats y, y beats z, z beats x: online TrueSkill prefers the last winner, the settled ratings nobody."""
    settled = settle([FinishedMatch((1, 2), (0, 1)), FinishedMatch((2, 3), (0, 1)), FinishedMatch((3, 1), (0, 1))])
    assert [rating.mu for rating in settled.ratings] == pytest.approx([25, 25, 25], abs=1e-9)
    assert settled.better(1, 2) == pytest.approx(0.5)


@pytest.mark.parametrize(
    "ranks", [(0, 1), (0, 0), (0, 1, 2), (0, 1, 1, 2), (3, 0, 2, 1), (0, 1, 2, 3, 4), (2, 0, 0, 3, 4)]
)
def test_one_match_is_what_trueskill_makes_of_it(ranks: tuple[int, ...]) -> None:
    """A single match of 2 to 5 seats gives what plain TrueSkill gives from the prior."""
    versions = tuple(range(len(ranks)))
    constants = RatingSettings(tau=0.0)
    online = rate([Rating(25.0, 25.0 / 3)] * len(ranks), ranks, constants)
    means, deviations = raw([FinishedMatch(versions, ranks)])
    # The library stops its own passes at 1e-4.
    assert list(means.values()) == pytest.approx([rating.mu for rating in online], abs=2e-4)
    assert list(deviations.values()) == pytest.approx([rating.sigma for rating in online], abs=2e-4)


def through_time(results: list[FinishedMatch], model: Model) -> dict[int, tuple[float, float]]:
    """What TrueSkill Through Time says when nothing changes with time."""
    history = trueskillthroughtime.History(
        [[[str(version)] for version in result.versions] for result in results],
        [[float(1 - rank) for rank in result.ranks] for result in results],
        times=list(range(len(results))),
        mu=model.mu,
        sigma=model.sigma,
        beta=model.beta,
        gamma=0.0,
        p_draw=model.draw_probability,
    )
    history.convergence(epsilon=1e-8, iterations=500, verbose=False)
    return {int(name): (curve[-1][1].mu, curve[-1][1].sigma) for name, curve in history.learning_curves().items()}


def test_agrees_with_trueskill_through_time_where_that_is_exact() -> None:
    """Where no circle of matches ties bots together both fit the same thing: 5 decimals of mean and deviation."""
    results = [
        FinishedMatch((1, 2), (0, 1)),
        FinishedMatch((2, 3), (0, 0)),
        FinishedMatch((4, 3), (1, 0)),
        FinishedMatch((5, 1), (0, 1)),
    ]
    means, deviations = raw(results)
    for version, (mu, sigma) in through_time(results, MODEL).items():
        assert means[version] == pytest.approx(mu, abs=1e-5)
        assert deviations[version] == pytest.approx(sigma, abs=1e-5)


@pytest.mark.parametrize("seed", range(6))
def test_agrees_with_trueskill_through_time_in_small_fields(seed: int) -> None:
    """In fields of 4 to 8 bots the means agree to 0.5; its deviations are smaller, as it forgets what bots share."""
    bots = 4 + seed % 3 * 2
    luck = random.Random(seed)
    results = []
    for _ in range(bots * 6):
        one, other = luck.sample(range(bots), 2)
        gap = luck.gauss(2 * (other - one), 6)
        results.append(FinishedMatch((one, other), (0, 0) if abs(gap) < MODEL.margin else (int(gap < 0), int(gap > 0))))
    means, deviations = raw(results)
    for version, (mu, sigma) in through_time(results, MODEL).items():
        assert means[version] == pytest.approx(mu, abs=0.5)
        assert deviations[version] > 0.999 * sigma


def test_agrees_with_the_exact_posterior_of_three_bots() -> None:
    """Against the posterior summed over a grid: means to 0.1, deviations to 2 %."""
    results = (
        [FinishedMatch((0, 1), (0, 1))] * 3
        + [FinishedMatch((1, 2), (0, 1))] * 2
        + [FinishedMatch((2, 0), (0, 1)), FinishedMatch((0, 2), (0, 0))]
    )
    axis = np.linspace(-10, 60, 71)
    skill = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"))
    log = -np.square((skill - MODEL.mu) / MODEL.sigma).sum(axis=0) / 2
    scale = MODEL.beta * math.sqrt(2)
    below = np.vectorize(lambda x: math.erfc(-x / math.sqrt(2)) / 2)
    win = below((axis[:, None] - axis[None, :] - MODEL.margin) / scale)
    draw = 1 - win - win.T
    index = np.arange(len(axis))
    cells = np.meshgrid(index, index, index, indexing="ij")
    for result in results:
        one, other = result.versions
        table = win if result.ranks[0] < result.ranks[1] else draw
        log += np.log(np.maximum(table[cells[one], cells[other]], 1e-300))
    density = np.exp(log - log.max())
    density /= density.sum()
    means, deviations = raw(results)
    for bot in range(3):
        mean = float((density * skill[bot]).sum())
        deviation = math.sqrt(float((density * np.square(skill[bot] - mean)).sum()))
        assert means[bot] == pytest.approx(mean, abs=0.1)
        assert deviations[bot] == pytest.approx(deviation, rel=0.02)


def test_an_anchor_stays_where_it_is_and_moves_the_others() -> None:
    """A version with a fixed skill keeps it exactly, and the ratings are those on its scale."""
    results = [
        FinishedMatch((1, 2), (0, 1)),
        FinishedMatch((1, 2), (1, 0)),
        FinishedMatch((2, 3), (0, 1)),
        FinishedMatch((2, 3), (1, 0)),
    ] * 30
    settled = settle(results, anchors={1: 40.0})
    assert settled.rating(1).mu == 40.0 and settled.rating(1).sigma == 0.0 and settled.rating(1).anchored
    assert settled.rating(2).mu == pytest.approx(40.0, abs=0.5)
    assert settled.rating(3).mu == pytest.approx(settled.rating(2).mu, abs=1.0)
    assert settled.rating(3).sigma > settled.rating(2).sigma


def test_only_anchors_is_a_field_too() -> None:
    """Where every version is fixed nothing is left to fit."""
    settled = settle([FinishedMatch((1, 2), (0, 1))], anchors={1: 30.0, 2: 20.0})
    assert [rating.mu for rating in settled.ratings] == [30.0, 20.0]
    assert settled.better(1, 2) == 1.0


def test_no_match_says_nothing() -> None:
    """Versions that have not played stand at the prior; no versions at all are no error."""
    assert settle([]).ratings == ()
    settled = settle([], also=[4, 2])
    assert [(rating.version, rating.mu, rating.matches) for rating in settled.ratings] == [(2, 25.0, 0), (4, 25.0, 0)]
    assert settled.better(2, 4) == 0.5
    with pytest.raises(KeyError):
        settled.rating(3)


def test_an_unbeaten_bot_and_a_bot_of_many_upsets_are_rated_too() -> None:
    """Thousands of equal results, all one way, settle like any other."""
    settled = settle([FinishedMatch((1, 2), (0, 1))] * 20_000 + [FinishedMatch((2, 3), (0, 1))] * 20_000)
    one, two, three = (rating.mu for rating in settled.ratings)
    assert one > two > three
    with_upset = settle([FinishedMatch((1, 2), (0, 1))] * 1000 + [FinishedMatch((2, 1), (0, 1))])
    assert with_upset.better(1, 2) > 0.999


def test_ties_alone_bring_bots_together() -> None:
    """Where all is tied, all are equal, and the surer the more was played; a margin near 0 is no obstacle."""
    for draw_probability, seats in product((0.001, 0.1, 0.9), (2, 5)):
        model = Model(draw_probability=draw_probability)
        few = settle([FinishedMatch(tuple(range(seats)), (0,) * seats)], model)
        many = settle([FinishedMatch(tuple(range(seats)), (0,) * seats)] * 50, model)
        assert [rating.mu for rating in few.ratings] == pytest.approx([25.0] * seats, abs=1e-6)
        assert many.ratings[0].sigma < few.ratings[0].sigma


def test_a_match_must_be_one() -> None:
    """One seat, a version twice, a rank too few: refused."""
    for versions, ranks in (((1,), (0,)), ((1, 1), (0, 1)), ((1, 2), (0,))):
        with pytest.raises(ValueError, match=r"got"):
            FinishedMatch(versions, ranks)


def test_shared_luck_widens_and_balanced_luck_narrows() -> None:
    """Encounters whose matches all come out alike say less than independent ones, those that always split say more."""
    luck = random.Random(3)
    alike, split = [], []
    for number in range(60):
        winner = luck.randrange(2)
        alike += [FinishedMatch((1, 2), (winner, 1 - winner), (1, number))] * 2
        split += [FinishedMatch((1, 2), (0, 1), (1, number)), FinishedMatch((1, 2), (1, 0), (1, number))]
    assert settle(alike).factor > 1.5
    assert settle(split).factor < 0.8
    # What a fit sees without blocks is the same whichever matches belong together.
    apart = settle([FinishedMatch(result.versions, result.ranks) for result in alike])
    assert settle(alike).difference_sigma(1, 2) > 1.2 * apart.difference_sigma(1, 2)


@pytest.mark.parametrize("seats", [2, 4])
def test_intervals_hold_the_truth(seats: int) -> None:
    """Bots of known strength that share luck within encounters: 95 % intervals are right, naive ones too narrow."""
    field = Field(bots=8, seats=seats, encounters=10, luck=Luck(of_bot=0.9))
    rng = np.random.default_rng(seats)
    inside, naive = [], []
    for _ in range(40):
        truth = skills(field, rng)
        settled = settle(night(field, truth, rng), field.model, also=range(field.bots))
        mu = np.array([rating.mu for rating in settled.ratings])
        error = np.abs(mu - field.model.mu - (truth - truth.mean()))
        inside.append(error < Z_95 * np.sqrt(np.diag(settled.covariance)))
        naive.append(error < Z_95 * np.sqrt(np.diag(settled.independent)))
    # 320 intervals, not independent of each other: a wide gate around 95 %.
    assert 0.91 < np.mean(inside) < 0.985
    assert np.mean(naive) < (0.92 if seats == 2 else 0.85)


@pytest.mark.parametrize(
    ("field", "least"),
    [
        (Field(6, 5, 20, Luck(), Model(draw_probability=0.001), guess=0.1), 0.93),
        (Field(6, 4, 20, Luck(), Model(draw_probability=0.3), guess=0.01), 0.92),
        (Field(6, 5, 20, Luck(heavy=True), Model(draw_probability=0.001), guess=0.1), 0.88),
    ],
    ids=["fewer draws than told", "more draws than told", "heavy tails"],
)
def test_intervals_hold_the_truth_in_a_league_that_is_not_as_told(field: Field, least: float) -> None:
    """With a wrong draw probability or heavy tails, 95 % intervals of a small field hold the truth nearly as often.

    Intervals that believe what they are told hold it in 91 %, 45 % and 75 % of these cases.
    """
    rng = np.random.default_rng(5)
    inside = []
    for _ in range(25):
        truth = skills(field, rng)
        settled = settle(night(field, truth, rng), field.told, also=range(field.bots))
        true = truth - truth.mean() + field.model.mu
        inside += [rating.low < skill < rating.high for rating, skill in zip(settled.ratings, true, strict=True)]
    assert least < np.mean(inside) < 0.99


@pytest.mark.parametrize(("true", "guess"), [(0.001, 0.1), (0.3, 0.01)])
def test_draws_are_learned_and_a_wrong_guess_is_said(true: float, guess: float) -> None:
    """The draw probability comes from the matches; a right guess stays about where it is and is not complained of."""
    rng = np.random.default_rng(1)
    wrong = Field(8, 3, 30, model=Model(draw_probability=true), guess=guess)
    settled = settle(night(wrong, skills(wrong, rng), rng), wrong.told)
    assert settled.draws_differ and abs(settled.draw_probability - true) < abs(guess - true) / 5
    right = Field(8, 3, 30)
    settled = settle(night(right, skills(right, rng), rng), right.told)
    assert not settled.draws_differ
    assert settled.draw_probability == pytest.approx(0.1, abs=0.04)
    assert not settle([FinishedMatch((1, 2), (0, 0))]).draws_differ


@settings(deadline=None, max_examples=50)
@given(st.floats(-4, 4), st.floats(0, 3), st.floats(0, 1.5), st.booleans())
def test_a_ranking_of_two_is_as_probable_as_the_normal_distribution_says(
    gap: float, extra: float, margin: float, tie: bool
) -> None:
    """Two seats and normal luck have a closed form."""
    if tie and margin < 0.01:
        return
    scale = math.sqrt(2 + 2 * extra)
    below = [math.erfc(-x / scale / math.sqrt(2)) / 2 for x in (gap - margin, gap + margin)]
    expected = below[1] - below[0] if tie else below[0]
    log, _ = chain(np.array([[gap, 0.0]]), np.full((1, 2), extra), np.array([[tie]]), margin, 0.0)
    assert log[0] == pytest.approx(math.log(expected), abs=2e-3)


@pytest.mark.parametrize("heaviness", [0.0, 0.6, 1.0])
def test_all_rankings_together_are_certain_and_pulls_are_their_slopes(heaviness: float) -> None:
    """The probabilities of all rankings of three, ties among them or not, add up to one; pulls are derivatives."""
    skill, margin = np.array([0.3, -0.8, 1.1]), 0.05
    whole = 0.0
    for order in permutations(range(3)):
        part = skill[list(order)][None]
        tied = np.zeros((1, 2), dtype=np.bool_)
        whole += math.exp(chain(part, np.zeros((1, 3)), tied, 0.0, heaviness)[0][0])
        for tied in (np.array([[False, False]]), np.array([[True, False]])):
            pull = chain(part, np.zeros((1, 3)), tied, margin, heaviness)[1][0]
            for seat in range(3):
                aside = 1e-4 * (np.arange(3) == seat)
                more, less = (chain(part + s * aside, np.zeros((1, 3)), tied, margin, heaviness)[0] for s in (1, -1))
                assert pull[seat] == pytest.approx((more - less)[0] / 2e-4, abs=3e-3)
    assert whole == pytest.approx(1.0, abs=2e-3)


@pytest.mark.parametrize("z", [-1e6, -300.0, -60.0, -49.0, -10.0, 0.0, 5.0, 37.0, 1e6])
def test_a_cut_stays_finite(z: float) -> None:
    """However far the truth is from the belief, a cut keeps a variance between 0 and 1 and moves to the right side."""
    shift, kept = won(np.array([z]))
    assert np.isfinite(shift[0]) and 0 < kept[0] <= 1
    assert z + shift[0] >= 0
    for half in (1e-6, 1e-3, 0.1, 1.0, 30.0):
        shift, kept = tied(np.array([z]), np.array([half]))
        assert np.isfinite(shift[0]) and 0 < kept[0] <= 1
        assert abs(z + shift[0]) <= half * (1 + 1e-9) + 1e-9 * abs(z)


@settings(deadline=None)
@given(st.floats(-12, 12), st.floats(0.01, 6))
def test_a_tie_cuts_as_an_integral_does(z: float, half: float) -> None:
    """Mean and variance of a normal variable between two bounds, against plain summation."""
    x = np.linspace(-half, half, 20_001)
    log = -np.square(x - z) / 2
    density = np.exp(log - log.max())
    density[[0, -1]] /= 2
    density /= density.sum()
    mean = float((density * x).sum())
    shift, kept = tied(np.array([z]), np.array([half]))
    assert z + shift[0] == pytest.approx(mean, abs=1e-6)
    assert kept[0] == pytest.approx(float((density * np.square(x - mean)).sum()), rel=1e-4)
