"""The rules of Lanterns by number, R4 to R7: the steps of a go, exchange, dedication, the card limit."""

from __future__ import annotations

from itertools import permutations

import pytest

from engine.core import IllegalAction
from engine.lanterns.cards import count, pack
from engine.lanterns.components import SHOWN_LETTERS
from engine.lanterns.go import go_on
from tests.engine.lanterns.table import cards, counted, everything, listed, play, position, start

# E5 to E7 continue one match, each adding to the one before.
E5_START = "25 27 10 2 9 3"
E5 = "p 25@-1,0/1"
E6 = E5 + "; p 2@0,1/0; p 27@-1,1/3"
E7 = E6 + "; p 3@-1,-1/2"


# R4 the go


def test_goes_follow_seat_order() -> None:
    """R4.1: after the start seat the next seat acts, cyclically."""
    state = start(3, 1)
    order = []
    for _ in range(4):
        order.append(state.to_act)
        state.apply(state.legal_actions()[0])
    assert order == [1, 2, 0, 1]


def test_the_steps_of_a_go_come_in_order_and_once() -> None:
    """R4.2: exchange, then dedicate, then discard, then place, none of them twice."""
    state = position([counted("B5 G4 K2 O2 P1"), "R"], favor=[6, 0])
    steps = []
    for move in ("x B>W", "d GGGG", "p 1@0,1/0"):
        steps.append(state.step)
        play(state, move)
    assert steps == ["exchange", "dedicate", "place"]
    state = position([counted("B5 G4 K2 O2 P1"), "R"], favor=[6, 0])
    steps = []
    for move in ("-", "-", "c B", "c B", "p 1@0,1/0"):
        steps.append(state.step)
        play(state, move)
    assert steps == ["exchange", "dedicate", "discard", "discard", "place"]
    assert state.to_act == 1


def test_a_step_without_a_choice_is_passed_over() -> None:
    """R4.3, A21: a seat with little favor, no set and few cards is only asked to place, and no event tells of more."""
    state = position(["B", "G"], favor=[1, 0])
    assert state.step == "place"
    events = state.apply(state.legal_actions()[0])
    assert [event.type for event in events] == ["place", "draw"]


# R5 exchange


def test_an_exchange_swaps_one_card_for_two_favor() -> None:
    """R5.1: two favor tokens and a card go to the supplies, a card of another colour comes back."""
    state = position(["B", "G"], favor=[3, 0])
    assert listed(state) == ["-", "x B>G", "x B>K", "x B>O", "x B>P", "x B>R", "x B>W"]
    assert [event.seen_by(1) for event in play(state, "x B>W")] == [
        {"type": "exchange", "seat": 0, "give": "B", "take": "W"}
    ]
    assert cards(state.held[0]) == "W1"
    assert (state.favor[0], state.favor_supply) == (1, 19)
    assert cards(state.supply) == "B5 G4 K5 O5 P5 R5 W4"


def test_no_exchange_without_favor_cards_or_supply() -> None:
    """R5.1, A7: with one favor token, without cards, or with nothing else in the supply there is no exchange."""
    assert position(["B", "G"], favor=[1, 9]).step == "place"
    assert position(["", "G"], favor=[5, 0]).step == "place"
    rest = counted("B4 G5 K5 O5 P5 R5 W5")
    state = position(["B", rest], favor=[5, 0])  # the supply is empty
    assert state.step == "place"
    state = position(["B", rest[1:]], favor=[5, 0])  # the supply has only the colour that would be given
    assert state.step == "place"
    state = position(["G", rest.replace("G", "", 1) + "B"], favor=[5, 0])
    assert state.step == "place"


def test_what_is_paid_is_at_once_available() -> None:
    """R5.2, A16: a given card opens its colour again for the next seat, and its tokens can be earned again."""
    state = position([counted("W5"), counted("R2 B2")], favor=[2, 2], empty="")
    play(state, "x W>G")
    assert "W" in cards(state.supply)
    play(state, "d WWWW; p 1@0,1/0")
    assert state.step == "exchange"
    assert "x B>W" in listed(state)


def test_exchanges_after_e7() -> None:
    """R5.1, E8: seat 0 is asked for an exchange: 1 + 5 + 6 + 5 + 5 choices, none of which takes the missing O."""
    state = start(2, 0, E5_START)
    play(state, E7)
    assert state.to_act == 0
    assert state.step == "exchange"
    assert state.favor[0] == 3
    assert cards(state.held[0]) == "B2 O3 R1 W1"
    assert cards(state.supply) == "B1 G5 K4 P5 R4 W4"
    actions = listed(state)
    assert actions[:2] == ["-", "x B>G"]
    assert actions[-1] == "x W>R"
    assert len(actions) == 1 + 5 + 6 + 5 + 5
    assert not any(action.endswith(">O") for action in actions)


# R6 dedication


def test_which_cards_are_a_set() -> None:
    """R6.1, A17: four of a colour, three different pairs, or all seven; four alike are no two pairs."""
    assert listed(position([counted("B4 G2"), ""])) == ["-", "d BBBB"]
    assert listed(position([counted("B2 G2 K2"), ""])) == ["-", "d BBGGKK"]
    assert listed(position(["BGKOPRW", ""])) == ["-", "d BGKOPRW"]
    for nothing in ("B3 G3 K1 O1 P1 R1", "B3 G3 K1 O1", ""):
        assert position([counted(nothing), ""]).step == "place"


def test_a_set_buys_the_top_token() -> None:
    """R6.2: the cards return, the seat takes the highest value of that kind, the next one gets the next."""
    state = position([counted("B5 G2"), counted("K4")])
    events = play(state, "d BBBB")
    assert [event.seen_by(None) for event in events] == [{"type": "dedicate", "seat": 0, "cards": "BBBB", "value": 8}]
    assert cards(state.held[0]) == "B1 G2"
    assert state.taken == [(8,), ()]
    assert state.observation(None)["dedications"]["four"] == [7, 6, 5, 5, 4]
    play(state, "p 1@0,1/0")
    assert play(state, "d KKKK")[0].public["value"] == 7
    assert state.scores() == (8, 7)


def test_an_empty_stack_pays_four() -> None:
    """R6.3, A13: generic tokens of 4 take the place of an empty stack, however often; other stacks are not touched."""
    state = position([counted("B4"), counted("G4")], empty="four")
    assert play(state, "d BBBB")[0].public["value"] == 4
    play(state, "p 1@0,1/0")
    assert play(state, "d GGGG")[0].public["value"] == 4
    assert state.observation(None)["generic_left"] is None
    assert state.observation(None)["dedications"]["pairs"] == [9, 8, 7, 6, 5, 5]


def test_generic_tokens_can_be_limited() -> None:
    """A13: with `generic_limit` 3 they count down; at none left a set of an empty stack is not listed."""
    state = position([counted("B4 G2 K2"), counted("G3 O4")], empty="four", generic_limit="3")
    assert state.generic_left == 3
    play(state, "d BBBB")
    assert state.observation(None)["generic_left"] == 2
    state = position([counted("B4 G2 K2"), ""], empty="four", generic_limit="3")
    state.generic_left = 0
    assert listed(state) == ["-", "d BBGGKK"]
    with pytest.raises(IllegalAction):
        play(state, "d BBBB")
    play(state, "d BBGGKK")
    assert state.generic_left == 0
    state = position([counted("B4"), counted("R4")], empty="four", generic_limit="3")
    state.generic_left = 0
    play(state, "-")
    play(state, "p 1@0,1/0")
    assert state.step == "place"  # seat 1 holds four of a colour, but there is no token for them


def test_returned_cards_open_their_colour() -> None:
    """R6.2, R9.1, E9: all R are held; a dedication brings four back, and the placement pays two of them."""
    state = start(2, 1, "16 5 10 32 17 20 30 12 10 27 22 9")
    play(state, "p 32@0,-1/1; p 16@-1,0/3")
    assert state.to_act == 1
    assert [held >> 40 & 255 for held in state.held] == [1, 4]
    assert "R" not in cards(state.supply)
    assert play(state, "d RRRR")[0].public["value"] == 8
    assert cards(state.supply).split()[-2] == "R4"
    assert state.step == "place"  # the one dedication of this go is made
    events = play(state, "p 20@-1,-1/2")
    assert SHOWN_LETTERS[4 * 20 + 2] == "ROKP"
    placed = events[0].public
    assert (placed["bonus"], placed["favor"], placed["gains"]) == ("RO", 1, ["R", "K"])
    assert cards(state.supply).split()[-2] == "R2"


# R7 card limit


def test_more_than_twelve_cards_are_discarded_before_placing() -> None:
    """R7.1, R7.2, E11: 17 cards: the sets offered, and what each choice leaves to discard."""
    seventeen = [counted("B3 G2 K4 O1 P3 R1 W3"), ""]
    state = position(seventeen)
    assert state.step == "dedicate"
    sets = "KKKK BBGGKK BBGGPP BBGGWW BBKKPP BBKKWW BBPPWW GGKKPP GGKKWW GGPPWW KKPPWW BGKOPRW"
    assert listed(state) == ["-", *(f"d {name}" for name in sets.split())]
    play(state, "d KKKK")
    assert listed(state) == ["c B", "c G", "c O", "c P", "c R", "c W"]
    assert [event.seen_by(1) for event in play(state, "c P")] == [{"type": "discard", "seat": 0, "card": "P"}]
    assert state.step == "place"
    assert count(state.held[0]) == 12
    state = position(seventeen)
    play(state, "-")
    for left in (16, 15, 14, 13, 12):
        assert state.step == "discard"
        state.apply(state.legal_actions()[0])
        assert count(state.held[0]) == left
    assert state.step == "place"
    state = position(seventeen)
    play(state, "d BGKOPRW")
    assert state.step == "place"
    assert count(state.held[0]) == 10


def test_exactly_twelve_may_be_kept() -> None:
    """R7.1, R7.2: at twelve cards nobody discards, and no discard is allowed."""
    state = position([counted("B3 G3 K3 O3"), ""])
    play(state, "-")
    assert state.step == "place"
    with pytest.raises(IllegalAction):
        play(state, "c B")


def test_an_over_full_seat_may_skip_its_dedication() -> None:
    """R7.2, A9: with a set in hand, skipping is allowed even over the limit."""
    state = position([counted("B4 G4 K4 O1"), ""])
    assert listed(state)[0] == "-"
    play(state, "-")
    assert state.step == "discard"


def test_discards_in_any_order_end_alike() -> None:
    """A20: cards are discarded one a decision; every order gives the same position."""
    ends = []
    for order in permutations("BGK"):
        state = position([counted("B4 G4 K4 O3"), ""])
        play(state, "-; " + "; ".join(f"c {letter}" for letter in order))
        ends.append(everything(state))
    assert all(end == ends[0] for end in ends)


def test_the_limit_holds_in_the_final_go() -> None:
    """R7.3, A10, E12: in a final go, a seat with 13 cards that skips its dedication discards one."""
    state = position([counted("G4 P3 B2 K2 O1 R1"), counted("B3 W2")], seat=1, start_seat=1, final=True)
    assert state.to_act == 0
    assert listed(state) == ["-", "d GGGG", "d BBGGKK", "d BBGGPP", "d BBKKPP", "d GGKKPP"]
    play(state, "-")
    assert state.step == "discard"
    play(state, "c O")
    assert state.to_act is None
    assert count(state.held[0]) == 12


def test_between_its_goes_a_seat_may_hold_more() -> None:
    """R7.3: nobody discards when another seat's placement brings it over the limit."""
    twelve = counted("B3 G3 K3 O3")
    state = position(["", twelve], seat=0)
    play(state, "p 1@0,1/0")
    assert count(state.held[1]) == 13
    assert state.to_act == 1


def test_the_limit_may_be_checked_after_placing() -> None:
    """A8: with `after_place` no discard comes before placing; the placing seat discards, then draws."""
    state = position([counted("B3 G3 K3 O3 P1"), ""], hand_limit_when="after_place")
    play(state, "-")
    assert state.step == "place"
    events = play(state, "p 1@0,1/0")
    assert [event.type for event in events] == ["place"]
    assert (state.step, state.to_act, len(state.hands[0])) == ("discard", 0, 2)
    assert state.observation(None)["final"] is False
    while state.step == "discard":
        events = list(state.apply(state.legal_actions()[0]))
    assert [event.type for event in events] == ["discard", "draw"]
    assert count(state.held[0]) == 12
    assert (state.to_act, len(state.hands[0])) == (1, 3)


def test_after_place_has_no_limit_in_the_final_go() -> None:
    """A8: with `after_place` the final go asks for no discard."""
    state = position(
        [counted("G4 P3 B2 K2 O1 R1"), ""], seat=0, start_seat=0, final=True, hand_limit_when="after_place"
    )
    assert state.observation(None)["final"] is True
    play(state, "-")
    assert state.to_act is None
    assert count(state.held[0]) == 13


def test_the_last_placement_with_after_place_still_discards() -> None:
    """A8: the seat that places the last tile discards to twelve before the final goes begin."""
    state = start(2, 1, hand_limit_when="after_place")
    state.placements_left = 1
    state.seat, state.stack = 0, ()
    state.hands = [(1,), ()]
    state.held = [pack(counted("B1 G3 K3 O3 P2")), 0]
    state.supply = state.rules.supply - state.held[0]
    go_on(state, "exchange")
    play(state, "-")
    play(state, "p 1@0,1/1")
    assert (state.step, state.to_act, state.final) == ("discard", 0, False)
    play(state, "c K")
    assert state.final
    assert state.to_act == 0  # seat 1, the start seat, has nothing to choose in its final go
    assert state.step == "dedicate"
