"""Tests of gauntlet, swiss, ladder, knockout and of bots that join later: fair, lazy, pure, resumable by round."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations, islice, permutations
from math import comb
from random import Random

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from arena.errors import UsageError
from arena.model.records import FinishedMatch, PlannedMatch
from arena.schedules.balanced_sets import pair_bound
from arena.schedules.base import PlanningContext, Schedule, seatings_of
from arena.schedules.gauntlet import Gauntlet
from arena.schedules.knockout import EXTRA_LEGS, Knockout
from arena.schedules.ladder import Ladder
from arena.schedules.round_robin import RoundRobin
from arena.schedules.swiss import Swiss, rematch_free_rounds, usual_rounds

SEED = b"a night seed"
Judge = Callable[[PlannedMatch], tuple[int, ...] | None]
Entrants = Callable[[int], Sequence[int]]


def lower_id_wins(match: PlannedMatch) -> tuple[int, ...]:
    """A match without luck: ids in ascending order."""
    return tuple(sorted(match.seating).index(version) for version in match.seating)


def luck(seed: int) -> Judge:
    """Anything may happen: ties, and matches without a finisher; the same match always ends the same."""

    def judge(match: PlannedMatch) -> tuple[int, ...] | None:
        rng = Random(f"{seed}:{match.position}")
        return None if rng.random() < 0.1 else tuple(rng.randrange(len(match.seating)) for _ in match.seating)

    return judge


def finished(matches: Sequence[PlannedMatch], judge: Judge) -> list[FinishedMatch]:
    """The matches that have a result."""
    judged = ((match, judge(match)) for match in matches)
    return [FinishedMatch(match.seating, ranks) for match, ranks in judged if ranks is not None]


class Night:
    """A schedule that is played out, and the field that it sees; refuses results of rounds that are not over."""

    def __init__(self, schedule: Schedule, entrants: Entrants, judge: Judge = lower_id_wins) -> None:
        self.schedule = schedule
        self.judge = judge
        self.entrants = entrants
        self.rounds: list[list[PlannedMatch]] = []

    def field(self) -> PlanningContext:
        return PlanningContext(SEED, self.entrants, self._results)

    def play(self, rounds: int | None = None) -> list[list[PlannedMatch]]:
        for matches in islice(self.schedule.rounds(self.field()), rounds):
            self.rounds.append(matches)
        return self.rounds

    def matches(self) -> list[PlannedMatch]:
        return [match for matches in self.rounds for match in matches]

    def _results(self, number: int) -> list[FinishedMatch]:
        assert number == len(self.rounds) - 1, "a schedule asks for the round before the one that it plans"
        return finished(self.rounds[number], self.judge)


def everybody(size: int) -> Entrants:
    return lambda _round: range(size)


def appearances(matches: Sequence[PlannedMatch], seats: int) -> Counter[int]:
    """Encounters of each bot at a seat count."""
    return Counter(
        bot for match in matches if match.rotation == 0 and len(match.seating) == seats for bot in match.seating
    )


def meetings(matches: Sequence[PlannedMatch], seats: int | None = None) -> Counter[tuple[int, int]]:
    """Encounters of each pair."""
    chosen = [m for m in matches if m.rotation == 0 and seats in (None, len(m.seating))]
    return Counter(pair for match in chosen for pair in combinations(sorted(match.seating), 2))


def schedules(size: int, rounds: int) -> list[Schedule]:
    """One of each kind, at several seat counts where it can be."""
    counts = tuple(seats for seats in (2, 3, 4) if seats <= size)
    return [
        RoundRobin(counts, rounds),
        Gauntlet(counts, 1, rounds),
        Swiss(counts, rounds),
        Ladder(counts, rounds),
        Knockout((2,), rounds),
    ]


fields = st.tuples(st.integers(2, 14), st.integers(1, 6), st.integers(0, 1000))


@given(fields)
@settings(max_examples=25, deadline=None)
def test_every_schedule_is_numbered_rotated_and_the_same_again(numbers: tuple[int, int, int]) -> None:
    """Positions and encounters go on; each encounter sits once in every seat, in passes of one round; asking again for
    the same field, also after some rounds only, plans the same."""
    size, rounds, seed = numbers
    for schedule in schedules(size, rounds):
        night = Night(schedule, everybody(size), luck(seed))
        night.play()
        assert [match.position for match in night.matches()] == list(range(len(night.matches())))
        by_encounter: dict[int, list[PlannedMatch]] = {}
        for number, matches in enumerate(night.rounds):
            assert matches
            assert {match.round for match in matches} == {number}
            assert [match.rotation for match in matches] == sorted(match.rotation for match in matches)
            for match in matches:
                by_encounter.setdefault(match.encounter, []).append(match)
        assert sorted(by_encounter) == list(range(len(by_encounter)))
        for turns in by_encounter.values():
            seats = len(turns[0].seating)
            assert [turn.rotation for turn in turns] == list(range(seats))
            assert len({turn.round for turn in turns}) == 1
            for seat in range(seats):
                assert {turn.seating[seat] for turn in turns} == set(turns[0].seating)
        again = Night(schedule, everybody(size), luck(seed))
        for number in range(len(night.rounds)):
            # What the night does after a kill: plan from the beginning, up to the next round.
            again.rounds = []
            assert again.play(number + 1)[-1] == night.rounds[number]


@given(fields)
@settings(max_examples=25, deadline=None)
def test_matches_and_rounds_ahead_are_what_comes(numbers: tuple[int, int, int]) -> None:
    """Exact; a knockout adds only the encounters of pairings that stand level."""
    size, rounds, seed = numbers
    for schedule in schedules(size, rounds):
        night = Night(schedule, everybody(size), luck(seed))
        night.play()
        ahead = schedule.matches_ahead(size), schedule.rounds_ahead(size)
        if isinstance(schedule, Knockout):
            assert ahead[0] <= len(night.matches()) <= ahead[0] + 2 * EXTRA_LEGS * size
            assert ahead[1] <= len(night.rounds) <= ahead[1] * (1 + EXTRA_LEGS)
        else:
            assert ahead == (len(night.matches()), len(night.rounds))


@given(fields, st.integers(1, 4))
@settings(max_examples=25, deadline=None)
def test_matches_in_all_are_what_comes_when_somebody_has_left(numbers: tuple[int, int, int], left: int) -> None:
    """From the round on from which somebody is missing; and never less than what has been planned."""
    size, rounds, seed = numbers

    def entrants(number: int) -> Sequence[int]:
        return range(size if number < left else size - 1)

    for schedule in schedules(size, rounds):
        for judge in (lower_id_wins, luck(seed)):
            night = Night(schedule, entrants, judge)
            night.play()
            played = [finished(matches, night.judge) for matches in night.rounds]
            field = PlanningContext(SEED, entrants, played.__getitem__)
            for complete in range(len(played) + 1):
                said = schedule.matches_in_all(field, complete)
                assert said >= sum(map(len, night.rounds[:complete]))
                if complete == len(played) or judge is lower_id_wins or not isinstance(schedule, Knockout):
                    assert said == len(night.matches()), schedule


@given(fields)
@settings(max_examples=40, deadline=None)
def test_nobody_starves_in_swiss_and_ladder(numbers: tuple[int, int, int]) -> None:
    """After every round the encounters at each seat count differ by at most 1, whatever the results."""
    size, rounds, seed = numbers
    for schedule in schedules(size, rounds)[2:4]:
        night = Night(schedule, everybody(size), luck(seed))
        for number in range(1, len(night.play()) + 1):
            played = [match for matches in night.rounds[:number] for match in matches]
            for seats in (2, 3, 4):
                if seats <= size:
                    counts = [appearances(played, seats)[bot] for bot in range(size)]
                    assert max(counts) - min(counts) <= 1


@given(st.integers(2, 24), st.integers(0, 1000))
@settings(max_examples=60, deadline=None)
def test_a_swiss_night_has_no_rematch_while_it_can(size: int, seed: int) -> None:
    """At two seats no pair meets twice within `rematch_free_rounds`."""
    night = Night(Swiss((2,), rematch_free_rounds(size)), everybody(size), luck(seed))
    night.play()
    assert max(meetings(night.matches()).values()) == 1


def test_a_swiss_night_brings_equals_together() -> None:
    """Without luck, winners meet winners in the second round, and after the usual rounds the best has won all."""
    night = Night(Swiss((2,), usual_rounds(32)), everybody(32))
    first, second = night.play()[:2]
    winners = {min(match.seating) for match in first}
    for match in second:
        assert len(winners & set(match.seating)) in (0, 2)
    beaten = Counter(min(match.seating) for match in night.matches() if match.rotation == 0)
    assert beaten[0] == usual_rounds(32)


@given(st.integers(3, 5), st.integers(0, 10), st.integers(1, 8), st.integers(0, 1000))
@settings(max_examples=40, deadline=None)
def test_tables_of_many_seats_mix(seats: int, more: int, rounds: int, seed: int) -> None:
    """At three seats and more no pair of a swiss night meets oftener than `pair_bound` lets a selection."""
    size = seats + more
    night = Night(Swiss((seats,), rounds), everybody(size), luck(seed))
    night.play()
    assert max(meetings(night.matches()).values()) <= pair_bound(seats, size, rounds)


@given(st.integers(4, 24), st.integers(1, 12), st.integers(0, 1000))
@example(10, 4, 566)  # here the same two were left for the last table in every round
@settings(max_examples=40, deadline=None)
def test_a_ladder_does_not_play_one_pairing_over_and_over(size: int, rounds: int, seed: int) -> None:
    """At two seats no pair has more than half of a bot's encounters, rounded up, and one."""
    night = Night(Ladder((2,), rounds), everybody(size), luck(seed))
    night.play()
    assert max(meetings(night.matches()).values()) <= -(-rounds // 2) + 1


def test_a_ladder_brings_neighbours_together() -> None:
    """When the order has shown itself, opponents are nearer to each other than by chance (a third of the field)."""
    night = Night(Ladder((2,), 12), everybody(30))
    late = [match for matches in night.play()[6:] for match in matches]
    distance = sum(abs(match.seating[0] - match.seating[1]) for match in late) / len(late)
    assert distance < 5


@given(st.integers(2, 4), st.integers(0, 8), st.integers(1, 8))
@settings(max_examples=40, deadline=None)
def test_a_gauntlet_is_the_challenger_against_all(seats: int, more: int, encounters: int) -> None:
    """The challenger is in every match; the others' encounters differ by at most 1, and they share tables evenly."""
    size = seats + more
    night = Night(Gauntlet((seats,), 0, encounters), everybody(size))
    night.play()
    assert all(0 in match.seating for match in night.matches())
    counts = appearances(night.matches(), seats)
    others = [counts[bot] for bot in range(1, size)]
    assert {min(others), max(others)} <= {encounters, encounters + 1}
    if seats > 2:
        among = [count for pair, count in meetings(night.matches()).items() if 0 not in pair]
        assert max(among) <= pair_bound(seats - 1, size - 1, encounters)


def test_a_gauntlet_of_everything_is_every_set_with_the_challenger() -> None:
    """Without a number, each set of the others sits with the challenger once."""
    night = Night(Gauntlet((3,), 4), everybody(8))
    night.play()
    sets = [frozenset(match.seating) for match in night.matches() if match.rotation == 0]
    assert len(sets) == len(set(sets)) == comb(7, 2)


def test_a_gauntlet_ends_with_its_challenger() -> None:
    """When the challenger leaves there is no further round; without it there is no night."""
    night = Night(Gauntlet((2,), 0, 20), lambda number: range(6) if number == 0 else range(1, 6))
    assert len(night.play()) == 1
    with pytest.raises(UsageError, match="challenger"):
        Gauntlet((2,), 9).rounds(PlanningContext.fixed(SEED, range(6)))


@given(st.integers(2, 40), st.integers(1, 4))
@settings(max_examples=40, deadline=None)
def test_a_knockout_without_luck_finds_the_best(size: int, encounters: int) -> None:
    """Nobody is beaten twice before being out, the best wins, and who lost to it in the final is second; third is one
    of the losers of the semi-finals."""
    night = Night(Knockout((2,), encounters), everybody(size))
    night.play()
    field = PlanningContext(SEED, everybody(size), lambda number: finished(night.rounds[number], lower_id_wins))
    podium = Knockout((2,), encounters).podium(field)
    assert podium[0] == 0
    assert len(set(podium)) == len(podium) == min(size, 4)
    lost = Counter(max(match.seating) for match in night.matches() if match.rotation == 0)
    for bot in range(1, size):
        expected = 2 if len(podium) > 3 and bot == podium[3] else 1
        assert lost[bot] == encounters * expected
    if size > 3:
        assert podium[2] < podium[3]


def test_a_level_knockout_is_decided_at_last() -> None:
    """Where every match is a tie, each pairing has its extra encounters and the draw decides; a night still ends."""
    night = Night(Knockout((2,), 2), everybody(4), lambda match: (0, 0))
    assert len(night.play()) == 2 * (1 + EXTRA_LEGS)
    counts = appearances(night.rounds[0], 2)
    assert set(counts.values()) == {2}


def test_who_leaves_a_knockout_has_lost() -> None:
    """A bot that is gone before its stage plays no match of it, and its opponent goes on."""
    night = Night(Knockout((2,), 1), lambda number: range(8) if number == 0 else range(1, 8))
    rounds = night.play()
    assert all(0 not in match.seating for matches in rounds[1:] for match in matches)
    assert len(rounds) == 3


def test_a_knockout_is_for_two_seats() -> None:
    """Others are refused in a sentence."""
    with pytest.raises(UsageError, match="two seats"):
        Knockout((2, 4), 1).rounds(PlanningContext.fixed(SEED, range(6)))


# Newcomers


@given(st.integers(2, 4), st.integers(4, 8), st.integers(1, 3), st.integers(1, 3))
@settings(max_examples=40, deadline=None)
def test_newcomers_meet_everybody_in_a_whole_round_robin(seats: int, size: int, first: int, second: int) -> None:
    """Of all subsets each is played exactly once, also those of bots that join one after the other; what was played
    before they came stays as it was."""

    def entrants(number: int) -> range:
        return range(size + (number >= first) + (number >= first + second))

    quiet = Night(RoundRobin((seats,)), everybody(size))
    quiet.play()
    night = Night(RoundRobin((seats,)), entrants)
    night.play()
    assert night.rounds[:first] == quiet.rounds[:first]
    joined = entrants(len(night.rounds) - 1)
    sets = Counter(frozenset(match.seating) for match in night.matches() if match.rotation == 0)
    assert set(sets.values()) == {1}
    if len(quiet.rounds) > first + second:
        assert len(sets) == comb(len(joined), seats)


@given(st.integers(2, 4), st.integers(6, 18), st.integers(6, 14), st.integers(1, 2))
@settings(max_examples=40, deadline=None)
def test_newcomers_play_as_much_as_the_others_have_ahead(seats: int, size: int, encounters: int, since: int) -> None:
    """In a selection, from the round in which it joins on, a newcomer plays as many encounters as everybody else (one
    more or less), and those who were there keep theirs."""
    assume(encounters < comb(size - 1, seats - 1))
    night = Night(RoundRobin((seats,), encounters), lambda number: range(size + (number >= since)))
    night.play()
    before = [match for matches in night.rounds[:since] for match in matches]
    after = [match for matches in night.rounds[since:] for match in matches]
    assume(after)
    old = appearances(before, seats)
    whole = appearances(night.matches(), seats)
    assert min(whole[bot] for bot in range(size)) >= encounters
    ahead = [whole[bot] - old[bot] for bot in range(size)]
    assert min(ahead) - 1 <= appearances(after, seats)[size] <= max(ahead) + 2


@pytest.mark.parametrize("schedule", [Swiss((2, 3), 6), Ladder((2, 3), 6), Gauntlet((2, 3), 0, 10)])
def test_newcomers_and_leavers_in_other_schedules(schedule: Schedule) -> None:
    """A bot that joins plays from that round on and does not have to make up; one that leaves plays no more."""

    def entrants(number: int) -> list[int]:
        return [bot for bot in range(10) if (bot != 9 or number >= 1) and (bot != 3 or number < 1)]

    night = Night(schedule, entrants, luck(1))
    rounds = night.play()
    assert len(rounds) > 1
    assert all(9 not in match.seating for match in rounds[0])
    late = [match for matches in rounds[1:] for match in matches]
    assert all(3 not in match.seating for match in late)
    counts = appearances(late, 2)
    if not isinstance(schedule, Gauntlet):
        assert abs(counts[9] - counts[5]) <= 1
    assert counts[9] > 0


# Seatings


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_all_seatings_are_every_order_once(seats: int) -> None:
    """With `all` an encounter is played in each order of its bots; the rotations come first, in passes of their own."""
    schedule = RoundRobin((seats,), 1, seatings="all")
    night = Night(schedule, everybody(seats))
    night.play()
    orders = [match.seating for match in night.matches()]
    assert len(orders) == seatings_of(seats, "all") == schedule.matches_ahead(seats)
    assert set(orders) == set(permutations(range(seats)))
    assert [match.rotation for match in night.matches()] == list(range(len(orders)))
    plain = Night(RoundRobin((seats,), 1), everybody(seats))
    plain.play()
    assert orders[:seats] == [match.seating for match in plain.matches()]


def test_all_seatings_of_six_are_too_many() -> None:
    """They are refused before anything is planned."""
    with pytest.raises(UsageError, match="720 matches"):
        RoundRobin((6,), 1, seatings="all").matches_ahead(8)
