"""Using the workplaces of Hell Village: rules R6, and the super workplaces, R11."""

from __future__ import annotations

import pytest

from engine.core import Scalar
from tests.engine.hell_village.table import (
    decision,
    do,
    hand,
    listed,
    names,
    position,
    stock,
    types,
)


def test_workplaces_act_by_number_and_seats_by_their_first_die() -> None:
    """R6.1: each seat once a workplace, but die by die in the Audience Room."""
    places = {
        "human_realm": [(1, 2), (0, 2)],
        "slime_farm": [(2, 1), (2, 1)],
        "audience_room": [(2, 1), (0, 5), (2, 3)],
    }
    state = position("workplaces", 4, places=places)
    asked = []
    while state.phase == "workplaces":
        asked.append((state.to_act, decision(state).get("workplace", decision(state)["kind"])))
        do(state, "skip")
    assert asked == [
        (1, "human_realm"), (0, "human_realm"), (2, "slime_farm"), (2, "audience"), (0, "audience"), (2, "audience"),
    ]  # fmt: skip


def test_own_dice_are_added_and_may_be_used_for_less() -> None:
    """R6.2, R6.3: all own dice make one value; any lower one may be used, or none."""
    state = position("workplaces", 4, places={"human_realm": [(0, 2), (0, 3)]})
    assert listed(state) == ["skip", "use 1", "use 2", "use 3", "use 4", "use 5"]
    do(state, "use 4")
    assert stock(state, 0) == (8, 4, 4)


def test_each_own_die_may_be_used_alone() -> None:
    """R6.1, R6.2, option `several_dice`: every die acts alone in the order of placement, with the extras of its use."""
    places = {"human_realm": [(0, 2), (1, 1), (0, 3)], "war_room": [(0, 2), (0, 3)], "market": [(1, 1), (1, 2)]}
    options: dict[str, Scalar] = {"several_dice": "each", "war_room_dice": "sum", "bonus_per_die": True}
    state = position("workplaces", 3, places=places, demons={0: "cult_guru"}, options=options)
    assert listed(state) == ["skip", "use 1", "use 2"]
    do(state, "use 2")
    assert (state.to_act, listed(state)) == (1, ["skip", "use 1"])
    do(state, "use 1")
    assert (state.to_act, listed(state)) == (0, ["skip", "use 1", "use 2", "use 3"])
    do(state, "use 3")
    assert (stock(state, 0), state.ep[0]) == ((9, 4, 4), 2)
    assert decision(state) == {"kind": "use", "workplace": "war_room", "dice": [2]}
    assert listed(state) == ["skip", "use 0+2"]
    do(state, "skip")
    assert listed(state) == ["skip", "use 0+2", "use 1+0"]
    do(state, "skip")
    for left in (1, 2):
        assert decision(state) == {"kind": "trade", "left": left, "owed": 0}
        do(state, "done")


def test_gathering_is_cut_to_the_room() -> None:
    """E7 (R6.4, R6.10): with 3 food missing, a 5 offers 1 to 3; Ghost's second armor is lost."""
    state = position("workplaces", stock={0: (4, 11, 9)}, places={"slime_farm": [(0, 5)]}, demons={0: "ghost"})
    assert listed(state) == ["skip", "use 1", "use 2", "use 3"]
    do(state, "use 3")
    assert stock(state, 0) == (4, 12, 12)


def test_an_extra_alone_is_worth_a_use() -> None:
    """R6.4: with the row full, `use` 1 is offered only if an extra would be got."""
    full = {0: (12, 4, 4)}
    assert listed(position("workplaces", stock=full, places={"human_realm": [(0, 5)]}, demons={0: "goblin"})) == [
        "skip", "use 1",
    ]  # fmt: skip
    state = position("workplaces", stock=full, places={"human_realm": [(0, 5)]})
    assert decision(state)["kind"] == "payment"
    nothing = position("workplaces", stock={0: (12, 4, 12)}, places={"human_realm": [(0, 5)]}, demons={0: "goblin"})
    assert decision(nothing)["kind"] == "payment"


def test_the_mine_yields_any_kind() -> None:
    """R6.5: k up to v and the total room, then k any."""
    state = position("workplaces", stock={0: (12, 11, 11)}, places={"fairy_mine": [(0, 5)]})
    assert listed(state) == ["skip", "use 1", "use 2"]
    do(state, "use 1")
    assert listed(state) == ["gain 0/0/1", "gain 0/1/0"]


@pytest.mark.parametrize(
    ("mode", "pairs"),
    [("either", "0+2 0+4 1+0 1+2 2+0"), ("separate", "0+2 0+4 1+0 1+2"), ("sum", "0+2 1+0 2+0")],
)
def test_the_war_room_with_two_dice(mode: str, pairs: str) -> None:
    """E8 (R6.6): each die alone and added, or the sum as one value, as the option says."""
    state = position("workplaces", 5, places={"war_room": [(0, 2), (0, 3)]}, options={"war_room_dice": mode})
    assert listed(state) == ["skip", *[f"use {pair}" for pair in pairs.split()]]
    do(state, "use 1+0")
    assert stock(state, 0) == (5, 5, 5)


def test_the_war_room_drops_equal_results() -> None:
    """R6.6, R0.4: a nearly full stock makes pairs equal to one another, or to skipping."""
    state = position("workplaces", stock={0: (12, 12, 11)}, places={"war_room": [(0, 6)]})
    assert listed(state) == ["skip", "use 0+2"]
    state = position("workplaces", stock={0: (12, 12, 12)}, places={"war_room": [(0, 6)]})
    assert decision(state)["kind"] == "payment"


def test_the_laboratory_draws() -> None:
    """R6.7: up to v cards, not more than pile and discard pile hold."""
    state = position("workplaces", places={"laboratory": [(0, 5)]}, pile="imp orc", discard="witch")
    assert listed(state) == ["skip", "use 1", "use 2", "use 3"]
    do(state, "use 2")
    assert hand(state, 0) == ["imp", "orc"]


def test_market_trades_are_declared_first() -> None:
    """E9 (R6.8): a thing against a thing, never a kind against itself; cards are drawn together at the end."""
    state = position("workplaces", stock={0: (2, 0, 12)}, hands={0: "imp"}, places={"market": [(0, 3)]})
    assert listed(state) == [
        "done", "trade sacrifice armor", "trade sacrifice card",
        "trade food sacrifice", "trade food armor", "trade food card",
        "trade imp sacrifice", "trade imp armor", "trade imp card",
    ]  # fmt: skip
    do(state, "trade food armor", "trade imp card")
    assert decision(state) == {"kind": "trade", "left": 1, "owed": 1}
    assert hand(state, 0) == []
    do(state, "done")
    assert stock(state, 0) == (2, 1, 11)
    assert len(state.hands[0]) == 1
    assert names(state.discard) == ["imp"]


def test_a_card_is_taken_only_if_one_is_left() -> None:
    """R6.8: pile and discard pile, with the card given, must exceed the draws still owed."""
    state = position("workplaces", hands={0: "imp"}, places={"market": [(0, 4)]}, pile="orc")
    do(state, "trade sacrifice card")
    cards = [action for action in listed(state) if action.endswith("card")]
    assert cards == ["trade imp card"]
    do(state, "trade imp card")
    assert not [action for action in listed(state) if action.endswith("card")]


def test_market_one_trade_after_the_other() -> None:
    """R6.8: with the option a taken card is drawn at once and may be given again."""
    state = position(
        "workplaces", hands={0: "imp"}, places={"market": [(0, 2)]}, pile="orc ghost", options={"market": "sequential"}
    )
    do(state, "trade imp card")
    assert hand(state, 0) == ["orc"]
    assert "trade orc food" in listed(state)


def test_a_seat_without_a_possible_trade_is_not_asked() -> None:
    """R6.8, R0.5: an empty hand and an empty stock leave nothing to trade."""
    state = position("workplaces", stock={0: (0, 0, 0)}, places={"market": [(0, 2)]})
    assert state.phase != "workplaces"


def test_the_cemetery_pays_for_cards() -> None:
    """R6.9: up to v cards, one by one, 1 EP each."""
    state = position("workplaces", hands={0: "imp orc ghost"}, places={"cemetery": [(0, 2)]})
    assert listed(state) == ["done", "bury imp", "bury orc", "bury ghost"]
    do(state, "bury orc", "bury imp")
    assert state.ep[0] == 2
    assert state.phase != "workplaces"
    assert names(state.discard) == ["orc", "imp"]


def test_extras_come_once() -> None:
    """R6.10: whatever the number of dice and k; with the option once for each own die."""
    places = {"slime_farm": [(0, 1), (0, 2)]}
    state = position("workplaces", 4, places=places, demons={0: "ghost"})
    do(state, "use 1")
    assert stock(state, 0) == (4, 6, 5)
    state = position("workplaces", 4, places=places, demons={0: "ghost"}, options={"bonus_per_die": True})
    do(state, "use 1")
    assert stock(state, 0) == (4, 8, 5)
    places["slime_farm"] = [(0, 1), (1, 2)]  # another seat's die counts for nothing
    state = position("workplaces", 4, places=places, demons={0: "ghost"}, options={"bonus_per_die": True})
    do(state, "use 1")
    assert stock(state, 0) == (4, 6, 5)


SUPER: dict[str, Scalar] = {"super_workplaces": True}


def test_a_super_tile_comes_before_the_roll_of_its_round() -> None:
    """R11.1: from round 4 on one tile a round, to the end; before its round it has no effect."""
    tiles = ["super_human_realm", "super_slime_factory"]
    state = position("workplaces", places={"human_realm": [(0, 1)]}, round_number=3, supers=tiles, options=SUPER)
    do(state, "use 1")
    assert state.ep[0] == 0
    state = position("close", round_number=3, supers=tiles, options=SUPER)
    assert state.observation(None)["workplaces"]["human_realm"]["super"] == "super_human_realm"
    assert state.observation(None)["workplaces"]["slime_farm"]["super"] is None
    assert state.chance_key == "roll:4"


def test_super_tiles_are_extras() -> None:
    """R11.2: Human Realm 1 EP, Weapons Factory 1 any, Slime Farm 1 card."""
    tiles = ["super_human_realm", "super_weapons_factory", "super_slime_factory"]
    places = {"human_realm": [(0, 1)], "weapons_factory": [(0, 1)], "slime_farm": [(0, 1)]}
    state = position("workplaces", places=places, round_number=6, supers=tiles, options=SUPER)
    do(state, "use 1", "use 1")
    assert state.ep[0] == 1
    do(state, "gain 0/0/1", "use 1")
    assert stock(state, 0) == (5, 5, 6)
    assert len(state.hands[0]) == 1


def test_the_super_laboratory_lets_a_card_be_played() -> None:
    """R11.3: after a use, with the value of any own die there, cards just drawn too; k = 1 even with nothing to draw,
    but not for an empty hand, which could do nothing.
    """
    more = {"round_number": 4, "supers": ["super_laboratory"], "options": SUPER}
    dice = {"laboratory": [(0, 2), (0, 5)]}
    state = position("workplaces", 5, places=dice, pile="goblin_king imp orc", **more)  # type: ignore[arg-type]
    do(state, "use 2")
    assert decision(state) == {"kind": "super_lab", "dice": [2, 5]}
    assert listed(state) == ["skip", "play imp", "play goblin_king"]
    do(state, "play imp")
    assert names(state.demons[0]) == ["imp"]
    assert state.phase != "workplaces"
    skipped = position("workplaces", 5, places=dice, pile="goblin_king", hands={0: "imp"}, **more)  # type: ignore[arg-type]
    do(skipped, "skip")
    assert skipped.phase != "workplaces"
    nothing = position("workplaces", 5, places=dice, pile="", hands={0: "imp"}, **more)  # type: ignore[arg-type]
    assert listed(nothing) == ["skip", "use 1"]
    do(nothing, "use 1")
    assert listed(nothing) == ["skip", "play imp"]
    assert position("workplaces", 5, places=dice, pile="", **more).phase != "workplaces"  # type: ignore[arg-type]


def test_the_super_market_gives_two_more() -> None:
    """R11.4: 2 any after the trades and their draws, even with no trade."""
    more = {"round_number": 4, "supers": ["super_market"], "options": SUPER}
    state = position("workplaces", places={"market": [(0, 2)]}, **more)  # type: ignore[arg-type]
    do(state, "trade food card")
    assert types(do(state, "done")) == ["done", "draw"]
    assert decision(state) == {"kind": "gain", "count": 2}
    idle = position("workplaces", places={"market": [(0, 2)]}, stock={0: (0, 0, 0)}, **more)  # type: ignore[arg-type]
    assert decision(idle) == {"kind": "gain", "count": 2}
