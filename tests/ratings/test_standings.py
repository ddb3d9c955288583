"""Counts add up in any order, and standings are fair to every number of seats."""

from __future__ import annotations

import random
from fractions import Fraction
from functools import reduce
from operator import add

from hypothesis import given
from hypothesis import strategies as st

from arena.model.causes import Cause
from arena.model.records import Outcome, SeatResult
from arena.ratings.live import Rating
from arena.ratings.standings import BoardEntry, Contender, Tally, standings, tally_match


@st.composite
def seat_results(draw: st.DrawFn) -> list[SeatResult]:
    """Two to five seats of one match."""
    ranks = draw(st.lists(st.integers(0, 4), min_size=2, max_size=5))
    cause = st.one_of(st.none(), st.sampled_from(Cause))
    seconds = st.floats(0, 100)
    return [
        SeatResult(
            rank, 0.0, draw(cause), turns=draw(st.integers(0, 9)), time_total_s=draw(seconds), time_max_s=draw(seconds)
        )
        for rank in ranks
    ]


@given(st.lists(seat_results(), max_size=8), st.integers())
def test_tallies_add_up_in_any_order(matches: list[list[SeatResult]], seed: int) -> None:
    """Float sums would depend on the order in which results arrive; these do not."""
    tallies = [tally for match in matches for tally in tally_match(Outcome.FINISHED, match)]
    shuffled = list(tallies)
    random.Random(seed).shuffle(shuffled)
    assert reduce(add, tallies, Tally()) == reduce(add, shuffled, Tally())


@given(seat_results())
def test_a_match_shares_out_its_points(match: list[SeatResult]) -> None:
    """Two points lie between each pair of seats, whoever gets them; wins and losses balance at two seats."""
    tallies = tally_match(Outcome.FINISHED, match)
    assert sum(tally.points for tally in tallies) == len(match) * (len(match) - 1)
    assert sum(tally.wins for tally in tallies) == sum(tally.losses for tally in tallies)
    assert sum(tally.wins + tally.draws + tally.losses for tally in tallies) == (2 if len(match) == 2 else 0)


def test_two_seats_win_draw_and_lose() -> None:
    """The counts of a won, a drawn and a lost match."""
    won, lost = tally_match(Outcome.FINISHED, [SeatResult(0, 1.0), SeatResult(1, 0.0)])
    drawn, _ = tally_match(Outcome.FINISHED, [SeatResult(0, 1.0), SeatResult(0, 1.0)])
    total = won + lost + drawn
    assert (total.wins, total.draws, total.losses, total.matches) == (1, 1, 1, 3)
    assert total.share == Fraction(1, 2)
    assert total.mean_rank == 1 + 1 / 3


def test_no_contest_counts_forfeits_and_times_but_no_rank() -> None:
    """A match without a finisher is in no mean and no share."""
    both = tally_match(Outcome.NO_CONTEST, [SeatResult(0, None, Cause.CRASHED, turns=2, time_total_s=0.5)] * 2)
    assert both[0].forfeits == {Cause.CRASHED: 1}
    assert (both[0].matches, both[0].no_contests, both[0].share, both[0].mean_rank) == (0, 1, None, None)
    assert both[0].time_mean_s == 0.25


def test_times_are_mean_and_largest_in_seconds() -> None:
    """Without a turn there is no time."""
    one, other = tally_match(
        Outcome.FINISHED,
        [SeatResult(0, 1.0, turns=4, time_total_s=1.0, time_max_s=0.75), SeatResult(1, 0.0)],
    )
    assert (one.time_mean_s, one.time_max_s) == (0.25, 0.75)
    assert (other.time_mean_s, other.time_max_s) == (None, None)


def entry(bot: str, tally: Tally) -> BoardEntry:
    """A version of that bot with those counts."""
    return BoardEntry(Contender(1, bot, 1, "ann"), tally, Rating(25.0, 8.0))


def test_standings_order_by_the_share_of_opponents_beaten() -> None:
    """A second place among five beats as many as a mean of one half at two seats; equal shares share a rank."""
    lines = standings(
        [
            entry("idle", Tally(no_contests=3)),
            entry("half", Tally(matches=2, opponents=2, points=2)),
            entry("first", Tally(matches=1, opponents=4, points=8)),
            entry("also_half", Tally(matches=1, opponents=4, points=4)),
            entry("last", Tally(matches=1, opponents=1, points=0)),
        ]
    )
    assert [(line.rank, line.entry.contender.bot) for line in lines] == [
        (1, "first"),
        (2, "also_half"),
        (2, "half"),
        (4, "last"),
        (5, "idle"),
    ]
