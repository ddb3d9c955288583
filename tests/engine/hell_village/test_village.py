"""The shared village: rules R7.7 to R7.10."""

from __future__ import annotations

import pytest

from engine.core import Scalar
from engine.hell_village.village import matched
from tests.engine.hell_village.table import (
    audience,
    decision,
    do,
    income,
    listed,
    number_of,
    position,
    stock,
    types,
)


def test_an_industry_may_lie_beside_any_card() -> None:
    """R7.7: every empty position next to the village, by (x, y), with or without a match."""
    state = position([("build", 0, number_of("bone_quarry"))])
    assert listed(state) == ["build -1,0", "build 0,-1", "build 0,1", "build 1,0"]
    do(state, "build -1,0")
    assert state.observation(None)["village"][1] == {
        "card": "bone_quarry", "x": -1, "y": 0, "owner": 0, "turned": False,
    }  # fmt: skip


def test_industries_may_be_turned_with_the_option() -> None:
    """R7.7: by half a turn, unless the card looks the same; then the opposite edges touch."""
    options: dict[str, Scalar] = {"industry_turn": "half"}
    state = position([("build", 0, number_of("bone_quarry"))], options=options)
    assert listed(state)[:2] == ["build -1,0 upright", "build -1,0 turned"]
    # The quarry's n is card, its s is ep2; turned, ep2 is in the north and meets the start land's resource in the
    # south of 0,0 without a match, while card in the south of 0,1 meets ep2.
    do(state, "build 0,1 upright")
    assert state.ep[0] == 2
    assert state.observation(None)["village"][1]["turned"] is False
    turned = position([("build", 0, number_of("bone_quarry"))], options=options)
    do(turned, "build 0,1 turned")
    assert turned.ep[0] == 0
    assert turned.observation(None)["village"][1]["turned"] is True
    # Two equal edges opposite each other are not enough to look the same.
    pond = position([("build", 0, number_of("toad_pond"))], options=options)
    assert listed(pond)[:2] == ["build -1,0 upright", "build -1,0 turned"]


@pytest.mark.parametrize("symbol", ["ep2", "card", "resource"])
def test_edges_match(symbol: str) -> None:
    """R7.8: equal symbols, or one with `equal`; equal with equal and blank with anything give nothing."""
    assert matched(symbol, symbol) == matched(symbol, "equal") == matched("equal", symbol) == symbol
    others = {"ep2", "card", "resource", "blank"} - {symbol}
    assert not any(matched(symbol, other) or matched(other, symbol) for other in others)
    assert matched("equal", "equal") is None is matched("blank", "equal")


def test_a_match_rewards_both_owners() -> None:
    """R7.9: the new card's owner and the neighbour's; twice if it is the same; the start land has none; a full income
    row gives no step, but the card all the same.
    """
    state = position([("build", 0, number_of("bone_quarry"))])  # ep2 to the start land's ep2
    do(state, "build 0,1")
    assert state.ep == [2, 0, 0]
    # night_school's e is card; tar_pit's w is resource, its e card; cinder_bakery's w is card.
    state = position(
        [("build", 0, number_of("cinder_bakery"))], village=[("night_school", 0, 0, 1)], income={0: (5, 0)}
    )
    do(state, "build 1,1")
    assert income(state, 0) == (6, 0)
    assert len(state.hands[0]) == 2
    other = position([("build", 0, number_of("ash_mill"))], village=[("gloom_orchard", 1, 0, 1)])
    do(other, "build 1,1")
    assert other.ep == [2, 2, 0]
    own = position([("build", 1, number_of("ash_mill"))], village=[("gloom_orchard", 1, 0, 1)])
    do(own, "build 1,1")
    assert own.ep == [0, 4, 0]


def test_the_order_of_several_matches() -> None:
    """E11 (R7.7-R7.10): two classes are asked; the playing seat is rewarded first, then the neighbour's owner."""
    village = [("night_school", 1, 0, 1), ("grave_garden", 2, 1, 0)]
    state = audience(3, hands={0: "cinder_bakery"}, village=village)
    do(state, "play cinder_bakery")
    assert stock(state, 0) == (3, 3, 2)
    assert len(listed(state)) == 7
    do(state, "build 1,1")
    assert listed(state) == ["order s", "order w"]
    assert types(do(state, "order w")) == ["order", "income", "draw", "income", "draw", "income"]
    assert [income(state, seat) for seat in range(3)] == [(1, 1), (1, 0), (0, 0)]
    assert [len(cards) for cards in state.hands] == [1, 1, 0]
    assert (state.to_act, decision(state)["kind"]) == (0, "gain")
    do(state, "gain 1/0/0")
    assert (state.to_act, income(state, 2)) == (2, (0, 1))
    do(state, "gain 0/1/0")
    assert stock(state, 2) == (4, 5, 4)
