"""Tests of the round robin: fair, lazy, and deterministic."""

from __future__ import annotations

import tracemalloc
from collections import Counter
from itertools import combinations
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import UsageError
from arena.model.records import PlannedMatch
from arena.schedules.balanced_sets import all_encounters, pair_bound, sets_ahead
from arena.schedules.base import PlanningContext
from arena.schedules.necklaces import orbits
from arena.schedules.round_robin import RoundRobin, plan_rounds

SEED = b"a night seed"


def encounters_of(matches: list[PlannedMatch]) -> list[frozenset[int]]:
    """The set of bots of each encounter."""
    return [frozenset(match.seating) for match in matches if match.rotation == 0]


def whole_night(seats: tuple[int, ...], size: int, encounters: int | None, seed: bytes = SEED) -> list[PlannedMatch]:
    return [match for matches in plan_rounds(seats, range(100, 100 + size), encounters, seed) for match in matches]


@st.composite
def nights(draw: st.DrawFn) -> tuple[int, int, int]:
    """Seats, field and encounters, none larger than a few thousand matches."""
    seats = draw(st.integers(2, 6))
    size = draw(st.integers(seats, 24))
    return seats, size, draw(st.integers(1, 14))


@given(st.integers(2, 6), st.integers(0, 6))
@settings(max_examples=30, deadline=None)
def test_without_a_number_every_subset_meets_once(seats: int, more: int) -> None:
    """All: each k-subset has exactly one encounter, on every rotation."""
    size = seats + more
    matches = whole_night((seats,), size, None)
    met = Counter(encounters_of(matches))
    assert set(met.values()) == {1}
    assert len(met) == comb(size, seats)
    assert len(matches) == comb(size, seats) * seats


@given(nights())
@settings(max_examples=80, deadline=None)
def test_a_selection_is_balanced(numbers: tuple[int, int, int]) -> None:
    """With N encounters each bot has N or N + 1, and no pair meets more often than `pair_bound` says."""
    seats, size, encounters = numbers
    sets = encounters_of(whole_night((seats,), size, encounters))
    appearances = Counter(bot for block in sets for bot in block)
    assert len(appearances) == size
    assert set(appearances.values()) <= {encounters, encounters + 1}
    assert len(sets) == sets_ahead(seats, size, encounters)
    meetings = Counter(pair for block in sets for pair in combinations(sorted(block), 2))
    assert max(meetings.values()) <= pair_bound(seats, size, encounters)


@given(nights())
@settings(max_examples=40, deadline=None)
def test_after_every_round_all_have_played_nearly_equally(numbers: tuple[int, int, int]) -> None:
    """Wherever a night stops at a round's end, encounters differ by at most 1."""
    seats, size, encounters = numbers
    appearances: Counter[int] = Counter(dict.fromkeys(range(size), 0))
    for matches in plan_rounds((seats,), range(size), encounters, SEED):
        appearances.update(bot for block in encounters_of(matches) for bot in block)
        assert max(appearances.values()) - min(appearances.values()) <= 1


@given(nights())
@settings(max_examples=40, deadline=None)
def test_every_encounter_is_played_on_every_seat(numbers: tuple[int, int, int]) -> None:
    """Each bot of an encounter sits once in each seat, and no two rotations of it share a pass of a round."""
    seats, size, encounters = numbers
    by_encounter: dict[int, list[PlannedMatch]] = {}
    for match in whole_night((seats,), size, encounters):
        by_encounter.setdefault(match.encounter, []).append(match)
    for turns in by_encounter.values():
        assert [match.rotation for match in turns] == list(range(seats))
        assert len({match.round for match in turns}) == 1
        for seat in range(seats):
            assert {match.seating[seat] for match in turns} == set(turns[0].seating)


def test_positions_go_on_and_passes_are_in_order() -> None:
    """Positions count all matches of the night; within a round rotation follows rotation."""
    position = 0
    for number, matches in enumerate(plan_rounds((2, 4), range(9), 10, SEED)):
        assert [match.rotation for match in matches] == sorted(match.rotation for match in matches)
        for match in matches:
            assert (match.position, match.round) == (position, number)
            position += 1


def test_several_seat_counts_are_interleaved_equally() -> None:
    """Every round has encounters of every count, as many of each for each bot."""
    for matches in plan_rounds((2, 3, 4), range(12), 10, SEED):
        for seats in (2, 3, 4):
            sets = [block for block in encounters_of(matches) if len(block) == seats]
            appearances = Counter(bot for block in sets for bot in block)
            assert set(appearances.values()) <= {4, 5, 6}


def test_the_plan_depends_on_the_night_seed_alone() -> None:
    """The same seed gives the same plan, another seed another one; asking twice changes nothing."""
    assert whole_night((2, 4), 9, 6) == whole_night((2, 4), 9, 6)
    assert whole_night((2, 4), 9, 6) != whole_night((2, 4), 9, 6, b"another")


@given(st.integers(2, 5), st.integers(0, 8), st.integers(1, 60))
@settings(max_examples=60, deadline=None)
def test_the_matches_ahead_are_known_exactly(seats: int, more: int, encounters: int) -> None:
    """`matches_ahead` is what the night then has, also where all subsets are played several times."""
    size = seats + more
    assert RoundRobin((seats,), encounters).matches_ahead(size) == len(whole_night((seats,), size, encounters))


def test_more_encounters_than_subsets_play_them_again_on_new_seeds() -> None:
    """Three bots at three seats asked for five encounters: the same set five times, five encounter numbers."""
    matches = whole_night((3,), 3, 5)
    assert {match.encounter for match in matches} == set(range(5))
    assert len(matches) == 15


def test_a_thousand_bots_are_planned_in_the_memory_of_a_round() -> None:
    """Ten times the matches need the same memory (small numbers aside)."""

    def peak(matches_wanted: int) -> int:
        tracemalloc.start()
        planned = 0
        for matches in plan_rounds((2,), range(1000), None, SEED):
            planned += len(matches)
            if planned >= matches_wanted:
                break
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return used

    assert RoundRobin((2,)).matches_ahead(1000) == 999_000
    assert peak(200_000) < peak(20_000) * 1.5


def test_a_round_of_many_subsets_comes_at_once() -> None:
    """The first round of 200 bots at five seats needs no list of the two thousand million sets."""
    first = next(plan_rounds((5,), range(200), None, SEED))
    assert len(first) < 10_000


@pytest.mark.parametrize(("seats", "encounters"), [(2, None), (2, 9), (3, None), (4, 8)])
def test_who_leaves_is_in_no_later_round(seats: int, encounters: int | None) -> None:
    """From the round in which a bot is no longer in the field it meets nobody; the others go on."""
    leaver = 5
    field = PlanningContext(
        SEED, lambda number: [bot for bot in range(12) if number == 0 or bot != leaver], lambda _number: ()
    )
    rounds = list(RoundRobin((seats,), encounters).rounds(field))
    assert len(rounds) > 1
    assert any(leaver in match.seating for match in rounds[0])
    for matches in rounds[1:]:
        assert matches
        assert all(leaver not in match.seating for match in matches)


def test_those_who_stay_stay_balanced_in_a_selection() -> None:
    """After one bot left, the appearances of the others still differ by at most 1."""
    field = PlanningContext(SEED, lambda number: range(13) if number == 0 else range(12), lambda _number: ())
    appearances: Counter[int] = Counter()
    for matches in RoundRobin((4,), 10).rounds(field):
        appearances.update(bot for block in encounters_of(matches) for bot in block)
    kept = [appearances[bot] for bot in range(12)]
    assert max(kept) - min(kept) <= 1


def test_orbits_cover_everybody_equally() -> None:
    """Each orbit has every place in the same number of sets."""
    for seats, size in [(2, 7), (2, 8), (3, 9), (4, 8), (5, 10)]:
        for orbit in orbits(seats, size):
            assert len(set(Counter(place for block in orbit for place in block).values())) == 1


@pytest.mark.parametrize(
    ("seats", "size", "encounters", "message"),
    [
        ((2,), 1, None, "at least 2 bots"),
        ((2, 4), 3, 1, "4 seats"),
        ((), 5, 1, "seat count"),
        ((2,), 4, 0, "at least 1"),
    ],
)
def test_impossible_numbers_are_refused(
    seats: tuple[int, ...], size: int, encounters: int | None, message: str
) -> None:
    """One sentence says what would be needed."""
    with pytest.raises(UsageError, match=message):
        next(plan_rounds(seats, range(size), encounters, SEED))


def test_a_pair_bound_is_exact_for_two_seats() -> None:
    """Everybody once, or once more."""
    assert pair_bound(2, 10, all_encounters(2, 10)) == 1
    assert pair_bound(2, 10, all_encounters(2, 10) + 3) == 2
