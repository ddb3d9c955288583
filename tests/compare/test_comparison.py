"""Tests of comparisons: fair blocks, the same verdict for any number of workers, stored results."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.compare.comparison import NEVER_PLAYED, Comparison, ComparisonStanding, Hall
from arena.compare.contest import Contest, block_matches, block_value
from arena.compare.kept_blocks import KeptBlocks, keep_blocks
from arena.errors import ArenaFault, StoreError
from arena.model.causes import Cause
from arena.model.records import MatchOrder, MatchRecord, Outcome, Program, SeatResult
from arena.model.rules import LeagueRules
from arena.model.seeds import derive
from arena.ratings.sprt import Bounds, Verdict
from tests.support.players import FunctionPlayer

RULES = LeagueRules(name="friday", game="burn_my_village", seats=(2, 3, 4))
SEED = b"a comparison"


def bot(name: str) -> Program:
    return Program(name, 1, "ada", name, "", ("true",))


NEW, OLD = bot("new"), bot("old")
OTHERS = tuple(bot(f"other{number}") for number in range(5))


def contest(seats: int = 2, *, others: tuple[Program, ...] = (), margin: float = 0.1) -> Contest:
    return Contest(NEW, OLD, RULES, seats, others, Bounds(margin=margin))


def play(order: MatchOrder) -> MatchRecord:
    """`new` is a bit stronger; everything else depends on the order alone."""
    luck = [derive(order.seed, f"{order.rotation}:{seat}")[0] for seat in range(len(order.programs))]
    strength = [luck[seat] + 60 * (program.name == "new") for seat, program in enumerate(order.programs)]
    best = sorted(range(len(strength)), key=lambda seat: (-strength[seat], seat))
    seats = tuple(
        SeatResult(best.index(seat), None, Cause.CRASHED if luck[seat] == 0 else None) for seat in range(len(best))
    )
    return MatchRecord(order.position, Outcome.FINISHED, "game_over", 1, seats, b"{}\n")


def with_forfeits(order: MatchOrder, of: str, when: Callable[[int], bool]) -> MatchRecord:
    """The bot of this name forfeits the matches at some positions, and comes last in them."""
    if not when(order.position):
        return play(order)
    lost = [program.name == of for program in order.programs]
    seats = tuple(SeatResult(int(one), None, Cause.TURN_LATE if one else None, "too slow" * one) for one in lost)
    return MatchRecord(order.position, Outcome.FINISHED, "forfeits", 1, seats, b"{}\n")


def void(order: MatchOrder) -> MatchRecord:
    raise ArenaFault("a full disk")


def void_for_new_first(order: MatchOrder) -> MatchRecord:
    """Blocks 1, 4, 7, … of two matches cannot be played."""
    if order.position // 2 % 3 == 1:
        raise ArenaFault("a full disk")
    return play(order)


def compare(folder: Path, given: Contest, workers: int = 1, most: int = 2000, play=play) -> ComparisonStanding:  # type: ignore[no-untyped-def]
    with keep_blocks(folder, given, fresh=False, new_seed=lambda: SEED) as kept:
        return Comparison(given, kept).play(Hall(FunctionPlayer(play), workers=workers, pin=False), most)


def kept(folder: Path, given: Contest, *, fresh: bool = False, seed: bytes = SEED) -> KeptBlocks:
    """The blocks as they lie in the folder, no longer held."""
    with keep_blocks(folder, given, fresh=fresh, new_seed=lambda: seed) as found:
        return found


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_alone_both_versions_sit_equally_often_in_every_seat(seats: int) -> None:
    """In one block each version has each seat as often as the other."""
    given = contest(seats)
    block = block_matches(given, SEED, 0)
    assert len(block) == given.matches_a_block
    sat = Counter((seat, program.name) for table in block for seat, program in enumerate(table.programs))
    assert len(set(sat.values())) == 1
    assert len(sat) == 2 * seats


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_against_a_field_both_meet_the_same_tables(seats: int) -> None:
    """Each version takes each seat beside the same opponents in the same seats."""
    given = contest(seats, others=OTHERS)
    block = block_matches(given, SEED, 3)
    assert len(block) == given.matches_a_block == 2 * seats
    for new, old in zip(block[::2], block[1::2], strict=True):
        assert new.new == old.old and new.old == old.new == ()
        seat = new.new[0]
        assert new.programs[seat] is NEW and old.programs[seat] is OLD
        assert new.programs[:seat] + new.programs[seat + 1 :] == old.programs[:seat] + old.programs[seat + 1 :]
    assert block_matches(given, SEED, 3) == block != block_matches(given, SEED, 4)


@pytest.mark.parametrize("others", [(), OTHERS])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_value_of_a_block(seats: int, others: tuple[Program, ...]) -> None:
    """All won is 1 against the other alone, all equal is one half; a field adds what each beats of it."""
    given = contest(seats, others=others)
    block = block_matches(given, SEED, 0)
    equal = [[0] * seats for _ in block]
    assert block_value(given, block, equal) == 0.5
    won = [[0 if seat in table.new else 1 for seat in range(seats)] for table in block]
    # Against a field the old version is at best tied with it in this picture, at worst behind.
    assert block_value(given, block, won) == (1.0 if not others else 0.5 + (1.0 - 0.5) / 2)


def test_the_better_one_is_found_whatever_the_number_of_workers(tmp_path: Path) -> None:
    """Verdict, number of matches and all else are the same with one worker and with three."""
    one = compare(tmp_path / "one", contest())
    assert one.verdict is Verdict.BETTER
    assert compare(tmp_path / "three", contest(), workers=3) == one


def test_a_comparison_goes_on_where_it_stopped(tmp_path: Path) -> None:
    """Stopped by its limit, cut off in the middle of a line, called again: as if it had never stopped."""
    given = contest(4, others=OTHERS)
    whole = compare(tmp_path / "whole", given)
    part = compare(tmp_path / "part", given, most=10 * given.matches_a_block)
    assert part.verdict is Verdict.UNDECIDED and part.matches == 10 * given.matches_a_block
    file = next((tmp_path / "part").glob("*/blocks.jsonl"))
    file.write_bytes(file.read_bytes()[:-5])
    assert compare(tmp_path / "part", given) == whole
    assert compare(tmp_path / "part", given, play=void) == whole
    assert [json.loads(line)["block"] for line in file.read_text().splitlines()] == list(range(whole.blocks))


def test_another_contest_has_a_folder_of_its_own(tmp_path: Path) -> None:
    """Other bots, rules, seats or bounds do not go on with these blocks; a fresh start forgets them."""
    compare(tmp_path, contest(), most=8)
    for other in (contest(3), contest(margin=0.2), contest(others=OTHERS)):
        assert kept(tmp_path, other).blocks == []
    assert len(kept(tmp_path, contest()).blocks) == 4
    assert kept(tmp_path, contest(), fresh=True, seed=b"other").blocks == []
    assert kept(tmp_path, contest()).seed == b"other"


@pytest.mark.parametrize("fresh", [False, True])
def test_one_contest_is_played_by_one_process_at_a_time(tmp_path: Path, fresh: bool) -> None:
    """The second, a fresh start too, is refused and touches nothing; other contests and later calls are not."""
    compare(tmp_path, contest(), most=8)
    with keep_blocks(tmp_path, contest(), fresh=False, new_seed=lambda: SEED) as first:
        with pytest.raises(StoreError, match=f"this comparison is being played by process {os.getpid()}: wait for it"):
            kept(tmp_path, contest(), fresh=fresh, seed=b"other")
        assert kept(tmp_path, contest(3), fresh=fresh).blocks == []
        given = Comparison(contest(), first)
        assert given.play(Hall(FunctionPlayer(play), pin=False), 12).matches == 12
    assert (len(kept(tmp_path, contest()).blocks), kept(tmp_path, contest()).seed) == (6, SEED)


def test_workers_do_not_hold_the_contest(tmp_path: Path) -> None:
    """A worker that outlives a killed comparison does not keep the next one out."""

    def play_unheld(order: MatchOrder) -> MatchRecord:
        if any(opened.resolve().name == "lock" for opened in Path("/proc/self/fd").iterdir()):
            raise ArenaFault("held")
        return play(order)

    assert compare(tmp_path, contest(), most=8, play=play_unheld).left_out == 0


@pytest.mark.parametrize("workers", [1, 3])
def test_a_version_that_never_plays_ends_the_comparison(tmp_path: Path, workers: int) -> None:
    """After five forfeits, for whatever cause and whichever version; a resumed comparison stays without a verdict."""
    given = contest(margin=0.02)
    standing = compare(tmp_path, given, workers, play=lambda order: with_forfeits(order, "old", lambda _: True))
    assert (standing.verdict, standing.matches, standing.blocks) == (None, 6, 3)
    new, old = standing.conduct
    assert (new.played, new.forfeits, new.finished_none()) == (6, 0, False)
    assert (old.played, old.causes, old.detail) == (6, {"turn_late": 6}, "too slow")
    assert compare(tmp_path, given, play=void) == standing


def test_an_early_verdict_needs_a_match_that_was_finished(tmp_path: Path) -> None:
    """A wide margin decides after fewer forfeits than five: there is no verdict either."""
    given = Contest(NEW, OLD, RULES, 2, (), Bounds(margin=0.45, false_better=0.4, false_not_better=0.4))
    standing = compare(tmp_path, given, play=lambda order: with_forfeits(order, "new", lambda _: True))
    assert standing.verdict is None
    assert 0 < standing.conduct[0].forfeits < NEVER_PLAYED


def test_a_version_that_stops_to_play_ends_the_comparison(tmp_path: Path) -> None:
    """As many forfeits in a row as suspend a bot for the night, after matches that it played."""
    given = contest(margin=0.01)
    standing = compare(tmp_path, given, play=lambda order: with_forfeits(order, "new", lambda at: at >= 8))
    assert (standing.verdict, standing.matches) == (None, 8 + RULES.suspend_after)


def test_some_forfeits_are_losses_like_others(tmp_path: Path) -> None:
    """A version that forfeits now and then gets its verdict."""
    standing = compare(tmp_path, contest(), play=lambda order: with_forfeits(order, "new", lambda at: at % 2 == 0))
    assert standing.verdict is Verdict.NOT_BETTER
    assert standing.conduct[0].causes["turn_late"] == standing.matches / 2


def test_spoiled_blocks_are_left_out_and_said(tmp_path: Path) -> None:
    """A fault of the arena counts for nobody; where every block is spoiled the comparison ends in one sentence."""
    standing = compare(tmp_path / "some", contest(), play=void_for_new_first)
    assert standing.verdict is Verdict.BETTER
    assert standing.left_out > 0
    with pytest.raises(ArenaFault, match="no block of the comparison could be played, the last for ArenaFault"):
        compare(tmp_path / "all", contest(), play=void)
