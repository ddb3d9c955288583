"""The settled leaderboard, head to head and results by seat: correct, also for few matches and in any order."""

from __future__ import annotations

import csv
import io
import json
import random
from pathlib import Path

import pytest

from arena.model.records import FinishedMatch
from arena.night.runner import run_night
from arena.ratings.head_to_head import by_seat, head_to_head
from arena.ratings.live import Rating, RatingSettings
from arena.ratings.settled.settle import Settled, settle
from arena.ratings.standings import BoardEntry, Contender, Tally
from arena.reports.settled_leaderboard import (
    board_picture,
    draw_note,
    render_settled,
    settle_board,
    settled_rows,
    tie_bands,
)
from arena.store.values import MatchFilter, View
from tests.support.made_up_night import PLAN, RATING, RULES, SEED, hand_in_all, names, open_store, venue
from tests.support.store_cases import rated_matches

SETTINGS = RatingSettings()


def duel(one: int, other: int, won: int, lost: int) -> list[FinishedMatch]:
    return [FinishedMatch((one, other), (0, 1))] * won + [FinishedMatch((one, other), (1, 0))] * lost


def entry(version_id: int, bot: str, **about: object) -> BoardEntry:
    contender = Contender(version_id, bot, 1, "=ada|\x1b[31m", **about)  # type: ignore[arg-type]
    return BoardEntry(contender, Tally(matches=4, wins=2, losses=2, rank_sum=2), Rating(25.0, 8.0))


def board() -> tuple[list[BoardEntry], Settled]:
    """Two that are close, two that are close, and a gap between; one that has been withdrawn."""
    results = [
        *duel(1, 2, 21, 19),
        *duel(3, 4, 20, 20),
        *duel(2, 3, 38, 2),
        *duel(1, 4, 38, 2),
        *duel(5, 1, 1, 1),
    ]
    entries = [entry(1, "ann"), entry(2, "bob"), entry(3, "cid"), entry(4, "dan"), entry(5, "eve", withdrawn=True)]
    return entries, settle_board(results, entries, SETTINGS)


def test_a_wrong_draw_probability_is_said() -> None:
    """A league that expects many draws and has none is told so, a league without a contradiction is not."""
    settled = settle_board(duel(1, 2, 40, 40), [], RatingSettings(draw_probability=0.25))
    assert "draw in 25 % of their matches" in (draw_note(settled) or "")
    assert draw_note(settle_board(duel(1, 2, 40, 40), [], RatingSettings(draw_probability=0.01))) is None


def test_bots_that_cannot_be_told_apart_share_a_band() -> None:
    """Close bots share a band, a clear gap begins another, and each line says how sure it is of the next."""
    lines = settled_rows(*board())
    assert [row.rank for row in lines] == [1, 2, 3, 4]
    assert {row.bot for row in lines[:2]} == {"ann", "bob"} and {row.band_name for row in lines} == {"A", "B"}
    assert [row.band for row in lines] == [0, 0, 1, 1]
    chances = [row.better_than_next for row in lines]
    assert chances[0] is not None and 0.5 <= chances[0] < 0.9
    assert chances[1] is not None and chances[1] > 0.975
    assert chances[-1] is None
    assert all(row.low < row.mu < row.high for row in lines)
    assert "eve" in {row.bot for row in settled_rows(*board(), every_version=True)}


def test_a_chain_of_ties_is_cut_where_its_ends_differ() -> None:
    """Each is tied with its neighbours, the ends are not: a band never holds what its first is surely better than."""
    results = [result for at in range(9) for result in duel(at, at + 1, 12, 8)]
    settled = settle(results)
    ids = sorted(range(10), key=lambda version: -settled.rating(version).mu)
    bands = tie_bands(ids, settled)
    assert bands == sorted(bands) and 1 < len(set(bands)) < 10
    for at, band in enumerate(bands):
        assert settled.better(ids[bands.index(band)], ids[at]) < 0.975


@pytest.mark.parametrize("form", ["table", "markdown", "csv", "json"])
def test_a_board_is_escaped_in_every_format(form: str) -> None:
    """What authors write cannot control a terminal, add a cell or be computed; every line is there."""
    text = render_settled(settled_rows(*board()), form)  # type: ignore[arg-type]
    assert "\x1b" not in text and text.endswith("\n")
    assert all(name in text for name in ("ann", "bob", "cid", "dan"))
    if form == "json":
        found = json.loads(text)
        assert found[0]["band"] == "A" and found[0]["low"] < found[0]["mu"] < found[0]["high"]
    if form == "csv":
        lines = list(csv.DictReader(io.StringIO(text)))
        assert lines[0]["author"].startswith("'=ada") and float(lines[0]["mu"]) > 25
    if form == "markdown":
        assert all(line.replace("\\|", "").count("|") == 12 for line in text.splitlines()[:6])


def test_a_narrow_terminal_goes_without_some_columns() -> None:
    """Mu, interval and the probability stay; the author goes first."""
    text = render_settled(settled_rows(*board()), "table", 80)
    assert "author" not in text and "better than next" in text
    assert max(len(line) for line in text.splitlines()[:-1]) <= 80
    assert render_settled([], "table") == "no match has been played yet\n"
    assert board_picture("a board", settled_rows(*board())).count("<circle") == 4


def test_who_beat_whom() -> None:
    """Every pair of a match meets in it; a tie is half a point to both."""
    found = head_to_head(
        [
            FinishedMatch((1, 2, 3), (0, 1, 1), (1, 0)),
            FinishedMatch((3, 1), (0, 1), (1, 1)),
        ]
    )
    assert (found[1, 3].meetings, found[1, 3].wins, found[1, 3].draws, found[1, 3].losses) == (2, 1, 0, 1)
    assert found[2, 3].share == found[3, 2].share == 0.5
    assert found[1, 2].share == 1 - found[2, 1].share == 1.0
    assert (1, 1) not in found


def seat_matches(seats: int, encounters: int, advantage: float, seed: int) -> list[FinishedMatch]:
    """Bots of very different strength; seat 0 has an advantage."""
    luck = random.Random(seed)
    matches = []
    for number in range(encounters):
        table = luck.sample(range(8), seats)
        for turn in range(seats):
            seating = table[turn:] + table[:turn]
            performance = [bot + luck.gauss(0, 3) + advantage * (seat == 0) for seat, bot in enumerate(seating)]
            order = sorted(performance, reverse=True)
            matches.append(FinishedMatch(tuple(seating), tuple(order.index(p) for p in performance), (1, number)))
    return matches


@pytest.mark.parametrize("seats", [2, 4])
def test_a_seat_that_helps_is_found(seats: int) -> None:
    """An advantage shows in its seat's interval and in the test, in whatever order matches come."""
    matches = seat_matches(seats, 60, 4.0, 1)
    (report,) = by_seat(matches)
    assert report.probability is not None and report.probability < 0.001
    assert report.lines[0].low > 0.5 and report.lines[1].share < 0.5
    assert (report.matches, report.blocks, report.left_out) == (60 * seats, 60, 0)
    random.Random(2).shuffle(matches)
    assert by_seat(matches) == [report]


def test_seats_that_are_alike_are_seldom_blamed() -> None:
    """Where no seat helps, the test says so at its level: about 5 of 100 nights below 5 %."""
    below = 0
    for seed in range(200):
        (report,) = by_seat(seat_matches(3, 15, 0.0, seed))
        assert report.probability is not None
        below += report.probability < 0.05
    assert 2 <= below <= 20


def test_unfinished_encounters_do_not_blame_a_seat() -> None:
    """Matches of an encounter without all its rotations are left out and counted; too few encounters say nothing."""
    matches = seat_matches(2, 5, 0.0, 3)
    (report,) = by_seat(matches[:-1])
    assert (report.matches, report.left_out, report.blocks) == (8, 1, 4)
    (report,) = by_seat(matches[:1])
    assert (report.matches, report.lines, report.probability) == (0, (), None)
    (report,) = by_seat(matches[:2])
    assert report.blocks == 1 and report.probability is None


def test_two_seat_counts_are_apart() -> None:
    """Each number of seats has its own report."""
    reports = by_seat([*seat_matches(2, 4, 0.0, 1), *seat_matches(3, 5, 0.0, 2)])
    assert [(report.seats, report.blocks) for report in reports] == [(2, 4), (3, 5)]


def test_seats_that_always_win_are_an_advantage_without_doubt() -> None:
    """Where every encounter comes out alike no luck is left to test against."""
    always = [FinishedMatch(pair, (0, 1), (1, n)) for n in range(5) for pair in ((1, 2), (2, 1))]
    assert by_seat(always)[0].probability == 0.0
    split = [FinishedMatch(pair, (0, 0), (1, n)) for n in range(5) for pair in ((1, 2), (2, 1))]
    assert by_seat(split)[0].probability == 1.0


@pytest.mark.usefixtures("database")
def test_the_store_gives_all_matches_with_their_encounters(tmp_path: Path) -> None:
    """What is settled is what was finished, for the whole league and for parts of it; history comes out again."""
    with open_store(tmp_path) as store:
        hand_in_all(store, names(5))
        for number in range(2):
            run_night(venue(store, tmp_path), RULES, RATING, PLAN, SEED + bytes([number]))
        results = list(store.results(RULES.name))
        assert len(results) == store.count_matches(MatchFilter(league=RULES.name)) > 0
        rated = rated_matches(store, RULES.name)
        assert sorted(results, key=lambda match: match.place) == rated
        for encounter in {r.encounter for r in results}:
            own = [r for r in results if r.encounter == encounter]
            assert len(own) == len(own[0].versions) and len({frozenset(r.versions) for r in own}) == 1
        two = list(store.results(RULES.name, View(night=2, seats=2)))
        assert two and all(len(r.versions) == 2 for r in two) and len({r.encounter[0] for r in two if r.encounter}) == 1
        kept, computed = store.recomputed_history(RULES.name)
        assert kept == computed and len(kept) > 5
        assert store.rating_settings(RULES.name) == RATING
