"""Salamander, the payment of a round, and the hand limit: rules R7.11, R8 and R9.1."""

from __future__ import annotations

from tests.engine.hell_village.table import (
    decision,
    do,
    listed,
    position,
    stock,
)


def test_salamander_burns_where_resources_matter() -> None:
    """R7.11: at placement, audience, super Laboratory, payment and hand limit, and the same decision comes again."""
    salamander = {0: "salamander"}
    place = position("placement", demons=salamander, hands={0: "imp"}, dice={0: (3,)})
    before = listed(place)
    assert before[-3:] == ["burn imp sacrifice", "burn imp armor", "burn imp food"]
    do(place, "burn imp food")
    assert listed(place) == before[:-3]
    assert stock(place, 0) == (4, 4, 5)
    assert place.turn == 1
    payment = position("payment", 2, demons=salamander, hands={0: "imp"}, stock={0: (0, 0, 0)})
    assert listed(payment) == ["pay 0/0/0", "burn imp sacrifice", "burn imp armor", "burn imp food"]
    do(payment, "burn imp armor")
    assert listed(payment) == ["pay 0/0/0", "pay 0/1/0"]


def test_seats_pay_in_tile_order() -> None:
    """R8.1: each the card of the round, in round 7 both as one demand; who owes nothing is not asked."""
    state = position("payment", 2, order=(1, 0), round_number=7)  # common_levy and angelic_raid
    assert (state.to_act, decision(state)) == (1, {"kind": "payment", "owed": 9})
    do(state, "pay 3/3/3")
    assert state.to_act == 0
    nothing = position("payment", 2, round_number=1)
    assert (nothing.ep, nothing.round) == ([0, 0], 2)


def test_a_seat_chooses_what_it_pays() -> None:
    """R8.2: at most what is asked, any kinds within `any`, and less than possible if it likes."""
    state = position("payment", 2, round_number=3, stock={0: (1, 0, 3)})  # tax_collector: 4 any
    assert listed(state) == [
        "pay 0/0/0", "pay 0/0/1", "pay 0/0/2", "pay 0/0/3", "pay 1/0/0", "pay 1/0/1", "pay 1/0/2", "pay 1/0/3",
    ]  # fmt: skip
    state = position(
        "payment", 2, round_number=5, stock={0: (2, 2, 9)}, demons={0: "will_o_the_wisp"}
    )  # cult_uprising: 2 sacrifices, 2 armor, of which the seat owes 3
    assert listed(state) == [f"pay {a}/{b}/0" for a in range(3) for b in range(3) if a + b < 4]


def test_unpaid_resources_cost_points() -> None:
    """E12 (R8): Will O' the Wisp owes one less; each missing resource costs 2 EP (R8.3)."""
    more = {"round_number": 5, "demons": {0: "will_o_the_wisp"}, "stock": {0: (1, 5, 0)}}
    state = position("payment", 2, **more)  # type: ignore[arg-type]
    assert decision(state) == {"kind": "payment", "owed": 3}
    assert listed(state) == ["pay 0/0/0", "pay 0/1/0", "pay 0/2/0", "pay 1/0/0", "pay 1/1/0", "pay 1/2/0"]
    do(state, "pay 0/2/0")
    assert state.ep[0] == -2
    state = position("payment", 2, **more)  # type: ignore[arg-type]
    do(state, "pay 1/2/0")
    assert state.ep[0] == 0


def test_hands_come_down_to_six() -> None:
    """E13 (R7.11, R9.1): one card after the other, burns last; after a burn the list is made anew."""
    state = position(
        "limits", demons={0: "salamander"}, stock={0: (12, 4, 12)},
        hands={0: "imp orc ghost goblin human witch mammon medusa"},
    )  # fmt: skip
    assert [action.split()[0] for action in listed(state)] == ["discard"] * 8 + ["burn"] * 8
    do(state, "burn imp armor")
    assert stock(state, 0) == (12, 5, 12)
    assert len(listed(state)) == 14
    do(state, "discard witch")
    assert len(state.hands[0]) == 6
    assert state.phase != "end_of_round"
