"""The turns of Please Don't Burn My Village!: rules R3 to R6."""

from __future__ import annotations

import pytest

from engine.burn_my_village.actions import DRAW
from engine.burn_my_village.counts import size
from engine.core import IllegalAction, Scalar
from tests.engine.burn_my_village.positions import (
    bribe,
    buy,
    column,
    dealt,
    deck,
    hand,
    legal,
    letters,
    market,
    position,
    track,
)


def test_seats_act_in_turn_without_pass_or_hand_limit() -> None:
    """R3.1 to R3.3: one action a turn, next seat, nobody skipped; an empty hand and a huge one are fine."""
    state = dealt(3, 2)
    for turn in range(40):
        assert state.to_act == turn % 3
        assert {type(action).__name__ for action in state.legal_actions()} <= {"Draw", "Buy", "Bribe"}
        state.apply(DRAW)
    assert size(state.hands[0]) > 20
    empty = position(["", ""], "A")
    assert legal(empty) == "draw"


def test_what_a_bribe_may_be() -> None:
    """R4.1, R4.2: one type, any number in hand, with Wilds; Wilds alone only on an own column."""
    state = position(["AAFW", "W"], "A", columns=["F1+0", ""])
    assert legal(state) == "draw, A1+0, A1+1, A2+0, A2+1, F0+1, F1+0, F1+1"
    for text in ("A3+0", "A0+1", "A1+2", "S1+0", "F0+2", "F0+0", "A0+0"):
        with pytest.raises(IllegalAction):
            state.apply(bribe(text))


def test_bribed_cards_stay_in_their_column() -> None:
    """R4.3: cards join the own column for good, Wilds counted in its type."""
    state = position(["AAWW", ""], "AA")
    state.apply(bribe("A1+1"))
    state.apply(DRAW)
    state.apply(bribe("A1+1"))
    assert column(state, 0) == "A2+2"
    assert hand(state, 0) == ""


@pytest.mark.parametrize(
    ("start", "text", "after"),
    [
        ("AFSBCR", "A1+0", "FASBCR"),
        ("AFSBCR", "A2+1", "FSBACR"),
        ("FASBCR", "A3+2", "FSBCRA"),
        ("FSBCRA", "A1+0", "FSBCRA"),
    ],
)
def test_a_token_moves_up(start: str, text: str, after: str) -> None:
    """R4.4: up by the number of cards, at most to space 5; the tokens passed move down one."""
    state = position(["AAAWW", ""], "A", track=start)
    events = state.apply(bribe(text))
    assert track(state) == after
    seen = events[0].seen_by(1)
    assert (seen["from"], seen["to"]) == (start.index("A"), after.index("A"))
    assert events[1].type == "refill"


def test_a_refill_deals_until_its_card_comes() -> None:
    """R4.5, R4.6: onto the end of stalls 3, 2, 1, 0, 3, ...; it stops just after the type or a Wild."""
    state = position(["A", ""], "SBCRSAF", stalls={3: "A", 0: "W"})
    refill = state.apply(bribe("A1+0"))[1].seen_by(None)
    assert market(state) == {3: "ASS", 2: "BA", 1: "C", 0: "WR"}
    placed = [[3, "scroll"], [2, "sword"], [1, "crown"], [0, "relic"], [3, "scroll"], [2, "axe"]]
    assert refill == {"type": "refill", "seat": 0, "placed": placed}
    assert deck(state) == "F"
    state = position(["A", ""], "14F14S14B14CAR")  # however many it takes
    state.apply(bribe("A1+0"))
    assert (state.to_act, deck(state)) == (1, "R")


def test_a_refill_that_lacks_its_card_ends_the_match() -> None:
    """R4.7: also with a deck that was empty from the start; what was laid and moved stands."""
    state = position(["A", "S"])
    events = state.apply(bribe("A1+0"))
    assert [event.type for event in events] == ["bribe", "refill", "end"]
    assert events[1].seen_by(None)["placed"] == []
    assert events[2].seen_by(0)["cause"] == "refill"
    assert (track(state), column(state, 0), state.to_act) == ("FASBCR", "A1+0", None)


def test_a_stopping_last_card_lets_the_match_go_on() -> None:
    """R4.8: the deck is empty then, and the match is not over."""
    state = position(["A", ""], "SA")
    state.apply(bribe("A1+0"))
    assert (deck(state), state.ended, state.to_act) == ("", None, 1)


def test_what_a_purchase_may_be() -> None:
    """R5.1, R5.2: a stall with goods, exactly its price, one Treasure at least in it."""
    state = position(["AFW", ""], "A", stalls={1: "C", 2: "C"})
    assert legal(state).startswith("draw, 1 A A, 1 F F, 2 AF A, 2 AF F, 2 AW A, 2 FW F, A1+0")
    wrong = [buy(3, "AFW", "A"), buy(0), buy(1, "W"), buy(1, "AF", "A"), buy(2, "A", "A"), buy(1, "C", "C")]
    wrong += [buy(1, "A", "F"), buy(1, "A"), buy(2, "WW"), buy(1), buy(1, "W", "A")]
    before = state.clone()
    for action in wrong:
        with pytest.raises(IllegalAction):
            state.apply(action)
    assert state == before


def test_a_payment_comes_first() -> None:
    """R5.3: goods cannot pay for themselves; what is paid lies open and never returns."""
    state = position(["F", ""], "R", stalls={1: "AA", 2: "S"})
    assert "1 A" not in legal(state)
    state.apply(buy(1, "F", "F"))
    assert (letters(state.discards), deck(state)) == ("F", "R")
    assert state.observation(1)["discards"] == {"feather": 1}


def test_a_bought_stall_stays_empty() -> None:
    """R5.4: the whole stall is taken, and nothing is dealt."""
    state = position(["F", ""], "RRR", stalls={1: "AAW"})
    event = state.apply(buy(1, "F", "F"))[0].seen_by(1)
    assert event["taken"] == ["axe", "axe", "wild"]
    assert (hand(state, 0), market(state), deck(state)) == ("AAW", {}, "RRR")


@pytest.mark.parametrize(
    ("stall", "pay", "curse", "after"),
    [(1, "C", "C", "AFSCBR"), (2, "CW", "C", "AFCSBR"), (3, "CWW", "C", "ACFSBR"), (3, "FCW", "F", "FASBCR")],
)
def test_a_curse_moves_a_token_down(stall: int, pay: str, curse: str, after: str) -> None:
    """R5.5: by the price, Wilds paid count; tokens passed move up one."""
    state = position(["FCWW", ""], "A", stalls={stall: "A"})
    state.apply(buy(stall, pay, curse))
    assert track(state) == after


def test_a_curse_stops_at_space_0() -> None:
    """R5.6: the surplus is lost, and the lowest token may be cursed."""
    state = position(["AAA", ""], "A", track="FASBCR", stalls={3: "S"})
    event = state.apply(buy(3, "AAA", "A"))[0].seen_by(None)
    assert (track(state), event["from"], event["to"]) == ("AFSBCR", 1, 0)
    state = position(["A", ""], "A", stalls={1: "S"})
    state.apply(buy(1, "A", "A"))
    assert track(state) == "AFSBCR"


def test_stall_0_costs_nothing() -> None:
    """R5.7: nothing is paid and no token moves."""
    state = position(["A", ""], "A", stalls={0: "S"})
    event = state.apply(buy(0))[0].seen_by(None)
    assert event == {
        "type": "buy", "seat": 0, "stall": 0, "pay": {}, "curse": None, "from": None, "to": None, "taken": ["scroll"],
    }  # fmt: skip
    assert (track(state), hand(state, 0)) == ("AFSBCR", "AS")


def test_a_drawn_card_is_the_drawers_secret() -> None:
    """R6.1: only that seat sees it, and the last card ends nothing."""
    state = position(["", ""], "C")
    (event,) = state.apply(DRAW)
    assert event.seen_by(0) == {"type": "draw", "seat": 0, "card": "crown"}
    assert event.seen_by(1) == event.seen_by(None) == {"type": "draw", "seat": 0}
    assert (state.to_act, hand(state, 0)) == (1, "C")


def test_a_draw_from_the_empty_deck_ends_the_match() -> None:
    """R6.2: by default always legal; with `forced_only` only where nothing else is."""
    state = position(["A", ""], stalls={0: "S"})
    assert legal(state) == "draw, 0, A1+0"
    assert [event.type for event in state.apply(DRAW)] == ["end"]

    forced: dict[str, Scalar] = {"empty_draw": "forced_only"}
    state = position(["A", ""], stalls={0: "S"}, options=forced)
    assert legal(state) == "0, A1+0"
    with pytest.raises(IllegalAction):
        state.apply(DRAW)
    state = position(["", ""], stalls={0: "S"}, options=forced)
    assert legal(state) == "0"
    with pytest.raises(IllegalAction):
        state.apply(DRAW)
    state = position(["W", ""], stalls={1: "S"}, options=forced)
    assert legal(state) == "draw"
    state.apply(DRAW)
    assert state.ended == "empty_draw"
    state = position(["A", ""], "S", options=forced)
    assert legal(state) == "draw, A1+0"
