"""Ratings are a fold: the same matches in schedule order give the same digits, from whatever checkpoint."""

from __future__ import annotations

import math

import pytest
import trueskill
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.model.records import FinishedMatch
from arena.ratings.live import Rating, RatingSettings, compare, fold, rate

USUAL = RatingSettings.for_game(0.1)


@st.composite
def logs(draw: st.DrawFn) -> list[FinishedMatch]:
    """A match log of two to five seats with ties, places ascending with gaps."""
    log = []
    place = 0
    for _ in range(draw(st.integers(1, 12))):
        place += draw(st.integers(1, 3))
        versions = draw(st.lists(st.integers(1, 7), min_size=2, max_size=5, unique=True))
        ranks = draw(st.lists(st.integers(0, 3), min_size=len(versions), max_size=len(versions)))
        log.append(FinishedMatch(tuple(versions), tuple(ranks), place=place))
    return log


@settings(max_examples=60, deadline=None)
@given(logs(), st.data())
def test_folding_on_from_any_checkpoint_gives_the_same_digits(log: list[FinishedMatch], data: st.DataObject) -> None:
    """Stored floats are an exact checkpoint: one fold equals two folds, cut anywhere."""
    cut = data.draw(st.integers(0, len(log)))
    assert fold(fold({}, log[:cut], USUAL), log[cut:], USUAL) == fold({}, log, USUAL)


@settings(max_examples=60, deadline=None)
@given(logs())
def test_each_match_is_rated_as_trueskill_rates_it(log: list[FinishedMatch]) -> None:
    """Every digit is that of the trueskill package, for any number of seats and ties."""
    environment = trueskill.TrueSkill(**USUAL.as_json())
    ratings: dict[int, Rating] = {}
    for match in log:
        before = [ratings.get(version, USUAL.prior) for version in match.versions]
        expected = environment.rate([(trueskill.Rating(r.mu, r.sigma),) for r in before], ranks=list(match.ranks))
        ratings = fold(ratings, [match], USUAL)
        assert [ratings[version] for version in match.versions] == [Rating(r.mu, r.sigma) for (r,) in expected]


def test_a_match_out_of_schedule_order_is_refused() -> None:
    """A fold in another order would be another rating: it must not pass silently."""
    log = [FinishedMatch((1, 2), (0, 1), place=place) for place in (2, 1)]
    with pytest.raises(ValueError, match="place 1 after place 2"):
        fold({}, log, USUAL)


@pytest.mark.parametrize("ranks", [(0, 1), (1, 0), (0, 0)])
@pytest.mark.parametrize("distance", [10.0, 100.0, 300.0, 1_000.0, 100_000.0])
@pytest.mark.parametrize("draw_probability", [0.001, 0.5, 0.999])
def test_no_result_is_too_surprising_to_be_rated(
    ranks: tuple[int, int], distance: float, draw_probability: float
) -> None:
    """Where trueskill gives up, there still is a finite rating that moves the right way."""
    rules = RatingSettings(draw_probability=draw_probability)
    strong, weak = rate([Rating(distance, 1.0), Rating(0.0, 1.0)], ranks, rules)
    assert all(math.isfinite(value) for value in (strong.mu, strong.sigma, weak.mu, weak.sigma))
    assert strong.sigma > 0 < weak.sigma
    if ranks == (1, 0):
        assert strong.mu <= distance
        assert weak.mu >= 0


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(st.floats(-1e4, 1e4), st.floats(1e-2, 1e2)), min_size=2, max_size=5),
    st.data(),
)
def test_any_table_can_be_rated(seats: list[tuple[float, float]], data: st.DataObject) -> None:
    """No ratings and no ranks, however far apart, end the fold with an exception."""
    ranks = data.draw(st.lists(st.integers(0, 4), min_size=len(seats), max_size=len(seats)))
    after = rate([Rating(*seat) for seat in seats], ranks, USUAL)
    assert all(math.isfinite(rating.mu) and rating.sigma > 0 for rating in after)


def test_a_game_without_draws_has_the_smallest_draw_probability() -> None:
    """Even then a tie by forfeit can be rated."""
    assert RatingSettings.for_game(0.0).draw_probability == 0.001
    assert RatingSettings.for_game(0.3).draw_probability == 0.3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sigma": 0.0}, "sigma: expected a number above 0"),
        ({"beta": -1.0}, "beta: expected a number above 0"),
        ({"tau": -0.1}, "tau: expected a number of at least 0"),
        ({"draw_probability": 1.0}, "draw_probability: expected a number between 0 and 1"),
    ],
)
def test_constants_without_sense_are_refused(change: dict[str, float], message: str) -> None:
    """A setting that TrueSkill cannot compute with is named."""
    with pytest.raises(ValueError, match=message):
        RatingSettings(**change)


def test_compare_names_what_differs_by_a_last_digit() -> None:
    """Proof means equal floats, not nearly equal ones."""
    computed = {1: Rating(25.0, 8.0), 2: Rating(20.0, 7.0), 3: Rating(1.0, 1.0)}
    stored = {1: Rating(25.0, 8.0), 2: Rating(math.nextafter(20.0, 21), 7.0), 4: Rating(2.0, 1.0)}
    assert [(d.version, d.stored is None, d.computed is None) for d in compare(stored, computed)] == [
        (2, False, False),
        (3, True, False),
        (4, False, True),
    ]


def test_a_match_that_cannot_be_computed_teaches_nothing_and_stops_nothing() -> None:
    """Five seats so far apart that rounding leaves a negative precision: mu stays, doubt grows by tau."""
    seats = [
        Rating(6.871615739671327, 0.013894816068630755),
        Rating(-80.20471297148583, 0.27224493311244813),
        Rating(-47.91926932145514, 20.967993210390347),
        Rating(31.085517601510304, 0.19704794621314106),
        Rating(50.55176397269611, 2.240229617683709),
    ]
    rules = RatingSettings(beta=1.2341658899777668, draw_probability=0.001)
    after = rate(seats, (2, 0, 4, 4, 3), rules)
    assert [new.mu for new in after] == pytest.approx([old.mu for old in seats])
    assert all(new.sigma >= old.sigma for new, old in zip(after, seats, strict=True))
