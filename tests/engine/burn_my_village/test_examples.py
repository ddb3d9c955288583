"""The worked examples E1 to E14 of the rules of Please Don't Burn My Village!"""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from engine.burn_my_village.actions import DRAW
from engine.burn_my_village.counts import as_codes, pack_cards
from engine.core import IllegalAction
from tests.engine.burn_my_village.positions import (
    bribe,
    buy,
    column,
    deck,
    hand,
    legal,
    letters,
    market,
    position,
    resampled,
    set_up,
    track,
)


def test_e1_setup_deals_in_order() -> None:
    """E1: seats get seven cards in turn, then stalls 3, 2, 1, 0 one each, the rest is the deck."""
    state = set_up(2, "AFSBCR", "7A 7F S B C R 7A 7F 13S 13B 13C 13R 8W")
    assert [hand(state, 0), hand(state, 1)] == ["A" * 7, "F" * 7]
    assert market(state) == {3: "S", 2: "B", 1: "C", 0: "R"}
    assert len(deck(state)) == 74
    assert state.to_act == 0
    assert state.known == [0, 0]
    state.apply(DRAW)
    assert (hand(state, 0), len(deck(state))) == ("A" * 8, 73)


def test_e2_a_bribe_moves_its_token_up() -> None:
    """E2: up by the number of cards, cut at the top; those passed move down one."""
    state = position(["FFFA", ""], "FS")
    state.apply(bribe("F3+0"))
    assert (track(state), market(state), deck(state)) == ("ASBCFR", {3: "F"}, "S")
    assert (column(state, 0), hand(state, 0)) == ("F3+0", "A")
    state = position(["AAAAWWW", ""], "WS")
    state.apply(bribe("A4+3"))
    assert (track(state), column(state, 0), market(state)) == ("FSBCRA", "A4+3", {3: "W"})


def test_e3_wilds_alone_extend_a_column() -> None:
    """E3: on the top space the token stays, and the refill looks for the column's type."""
    state = position(["W", ""], "BSAF", track="FSBCRA", columns=["A4+3"])
    state.apply(bribe("A0+1"))
    assert (track(state), column(state, 0)) == ("FSBCRA", "A4+4")
    assert (market(state), deck(state)) == ({3: "B", 2: "S", 1: "A"}, "F")


def test_e4_each_refill_starts_at_stall_3() -> None:
    """E4: cards that lay there stop nothing; with `continue` the next refill goes on where the last one ended."""
    state = position(["A", "S"], "SBAFSC")
    state.apply(bribe("A1+0"))
    assert market(state) == {3: "S", 2: "B", 1: "A"}
    state.apply(bribe("S1+0"))
    assert (market(state), deck(state), track(state)) == ({3: "SF", 2: "BS", 1: "A"}, "C", "FABSCR")

    state = position(["A", "S"], "SBAFSC", options={"refill_start": "continue"})
    state.apply(bribe("A1+0"))
    assert state.next_stall == 0
    state.apply(bribe("S1+0"))
    assert (market(state), state.next_stall) == ({3: "SS", 2: "B", 1: "A", 0: "F"}, 2)


def test_e5_a_wild_stops_the_refill() -> None:
    """E5: after stall 0 comes stall 3 again, and the Wild ends it."""
    state = position(["A", ""], "SBCRSWA")
    state.apply(bribe("A1+0"))
    assert (market(state), deck(state)) == ({3: "SS", 2: "BW", 1: "C", 0: "R"}, "A")


def test_e6_wilds_alone_pay_nothing() -> None:
    """E6: two Wilds can extend a column, but buy nothing and open no column."""
    state = position(["WW", ""], "S", columns=["C1+0"], stalls={1: "A"})
    assert legal(state) == "draw, C0+1, C0+2"


def test_e7_the_legal_list_in_order() -> None:
    """E7: twelve actions, each multiset once, in the order of the rules."""
    state = position(["AACW", ""], "S", stalls={2: "F"})
    assert legal(state) == "draw, 2 AA A, 2 AC A, 2 AC C, 2 AW A, 2 CW C, A1+0, A1+1, A2+0, A2+1, C1+0, C1+1"


def test_e8_a_purchase_curses_and_is_known() -> None:
    """E8: the token goes down by the price, the goods come to the hand and are known."""
    state = position(["AACW", ""], "S", stalls={2: "F"})
    state.apply(buy(2, "CW", "C"))
    assert (track(state), hand(state, 0), letters(state.discards)) == ("AFCSBR", "AAF", "CW")
    assert (market(state), letters(state.known[0]), deck(state)) == ({}, "F", "S")


def test_e9_cursing_the_lowest_token_moves_nothing() -> None:
    """E9: both curses are listed; the one on space 0 leaves the track as it is."""
    for curse, expected in (("F", "FASBCR"), ("A", "AFSBCR")):
        state = position(["AFW", ""], "S", stalls={3: "S"})
        assert f"3 AFW {curse}" in legal(state)
        state.apply(buy(3, "AFW", curse))
        assert track(state) == expected


def test_e10_stall_0_is_free_while_it_holds_something() -> None:
    """E10: an empty hand may take stall 0, once."""
    state = position(["", ""], "A", stalls={0: "WB", 1: "S"})
    assert legal(state) == "draw, 0"
    state.apply(buy(0))
    assert (hand(state, 0), letters(state.known[0]), track(state)) == ("BW", "BW", "AFSBCR")
    assert state.discards == 0
    with pytest.raises(IllegalAction):
        state.apply(buy(0))


def test_e11_the_last_card_does_not_end_the_match_but_the_next_draw_does() -> None:
    """E11: drawing from the empty deck ends it; cards in hand count against their owner."""
    state = position(["A", "F"], "C")
    state.apply(DRAW)
    assert state.to_act == 1
    state.apply(DRAW)
    assert (state.observation(None)["to_act"], state.ended) == (None, "empty_draw")
    assert (hand(state, 0), hand(state, 1)) == ("AC", "F")
    assert (state.scores(), state.ranks()) == ((-4, -1), (1, 0))


def test_e12_a_refill_without_a_stopping_card_ends_the_match() -> None:
    """E12: what was dealt stays, treasures in hand join the columns."""
    state = position(["AAB", "R"], "SB", columns=["", "R1+0"])
    end = state.apply(bribe("A1+0"))[-1].seen_by(None)
    assert (track(state), market(state), state.ended) == ("FASBCR", {3: "S", 2: "B"}, "refill")
    assert end["joined"] == [{"axe": 1}, {"relic": 1}]
    assert end["hands"] == [{"axe": 1, "sword": 1}, {"relic": 1}]
    assert (column(state, 0), column(state, 1)) == ("A2+0", "R2+0")
    assert state.scores() == (0, 8)


def test_e13_scores_and_ties() -> None:
    """E13: a Wild in a column counts as its type, in hand it costs 2; equal points go by the highest columns."""
    state = position(["CAW", ""], track="AFSBRC", columns=["C2+1"])
    state.apply(DRAW)
    assert state.scores()[0] == 13
    state = position(["", "", ""], columns=["R1+1", "C2+0 S1+0", "R2+0"])
    state.apply(DRAW)
    assert (state.scores(), state.ranks()) == ((8, 8, 8), (0, 2, 0))


def test_e14_what_each_viewer_considers_possible() -> None:
    """E14: every arrangement of what a viewer has not seen, and nothing else, equally often."""
    state = position(["AAB", ""], "RACS", stalls={1: "AF"})
    state.apply(buy(1, "B", "B"))
    assert (track(state), hand(state, 0), letters(state.known[0])) == ("AFBSCR", "AAAF", "AF")
    state.apply(DRAW)
    state.apply(bribe("A2+0"))
    assert (track(state), market(state), hand(state, 0), letters(state.known[0])) == ("FBASCR", {3: "A"}, "AF", "F")
    assert deck(state) == "CS"
    # The fragment leaves out most cards; they are put where all can see them, so that the pool is the example's.
    in_example = state.hands[0] + state.hands[1] + state.columns[0] + state.discards
    in_example += pack_cards((*state.stalls[3], *state.deck[state.top :]))
    state.stalls[0] = tuple(as_codes(pack_cards(state.rules.pack) - in_example))

    def results(viewer: int | None) -> Counter[str]:
        rng = Random(1)
        samples = [resampled(state, viewer, rng) for _ in range(3000)]
        return Counter(f"{hand(one, 0)}/{hand(one, 1)}/{deck(one)}" for one in samples)

    for viewer, count, fixed in ((1, 6, "/R/"), (0, 6, "AF/"), (None, 24, "F")):
        found = results(viewer)
        assert len(found) == count
        assert all(fixed in key for key in found)
        assert min(found.values()) > 0.8 * 3000 / count
        assert max(found.values()) < 1.25 * 3000 / count
