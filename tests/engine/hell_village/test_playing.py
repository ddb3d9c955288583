"""The rules of Hell Village by number, R7 to R12: playing cards, payment, the end, super workplaces, hidden cards."""

from __future__ import annotations

import pytest

from engine.core import Scalar
from engine.hell_village.state import HellState
from engine.hell_village.village import matched
from tests.engine.hell_village.table import (
    TABLES,
    chance,
    decision,
    deck,
    do,
    hand,
    income,
    listed,
    names,
    number_of,
    position,
    start,
    stock,
    types,
)

# R7 Audience Room and playing a card


def audience(value: int, seats: int = 3, **more: object) -> HellState:
    """Seat 0 has a die of this value in the Audience Room."""
    return position("workplaces", seats, places={"audience_room": [(0, value)]}, **more)  # type: ignore[arg-type]


def test_an_audience_die_does_one_thing() -> None:
    """R7.1: nothing, 1 any, or a card that shows exactly this value; dice are not added."""
    state = position("workplaces", places={"audience_room": [(0, 1), (0, 2)]}, hands={0: "imp cinder_bakery"})
    assert listed(state) == ["skip", "gain 0/0/1", "gain 0/1/0", "gain 1/0/0", "play imp"]
    do(state, "gain 1/0/0")
    assert decision(state) == {"kind": "audience", "die": 2}
    do(state, "play imp")
    assert state.phase != "workplaces"


def test_a_card_must_be_affordable() -> None:
    """R7.2: the cost is paid from stock, and a seat owns at most 8 industries."""
    assert "play dagon" in listed(audience(6, hands={0: "dagon"}))
    assert "play dagon" not in listed(audience(6, hands={0: "dagon"}, stock={0: (12, 12, 2)}))
    village = [(TABLES.cards[number].id, 0, 0, number) for number in range(60, 68)]
    assert "play bone_quarry" not in listed(audience(1, hands={0: "bone_quarry"}, village=village))
    assert "play bone_quarry" in listed(audience(1, hands={0: "bone_quarry"}, village=village[:7]))


def test_discounts_leave_the_kinds_to_the_seat() -> None:
    """E10 (R7.1, R7.3, R7.6): Human makes a plan 2 cheaper; the seat chooses what it pays of the printed cost; then
    the plan yields.
    """
    state = audience(2, hands={0: "night_raid arms_smuggling"}, demons={0: "human"})
    assert listed(state) == ["skip", "gain 0/0/1", "gain 0/1/0", "gain 1/0/0", "play night_raid"]
    do(state, "play night_raid")
    assert decision(state) == {"kind": "cost", "card": "night_raid", "price": 2}
    assert listed(state) == ["pay 1/1/0", "pay 2/0/0"]
    do(state, "pay 1/1/0")
    assert stock(state, 0) == (3, 3, 6)


def test_discounts_add_up() -> None:
    """R7.3: Human and Behemoth take 4 off a plan of 8; a price is never below 0, and the full discount is taken."""
    state = audience(4, hands={0: "chapel_siege"}, demons={0: "human behemoth"}, stock={0: (2, 2, 0)})
    do(state, "play chapel_siege")
    assert stock(state, 0) == (0, 0, 0)
    assert decision(state) == {"kind": "gain", "count": 3}


def test_a_play_goes_in_order() -> None:
    """R7.4: card, cost, EP of demons in play, what the card does, and Demon's Head last; no card triggers itself."""
    state = audience(
        3,
        hands={0: "cinder_bakery"},
        demons={0: "demons_head goblin_king dagon basilisk"},
        stock={0: (1, 1, 2)},
    )
    assert types(do(state, "play cinder_bakery")) == ["play", "pay", "score"]
    assert state.ep[0] == 2  # Goblin King 1, Basilisk 1
    # The bakery's west meets the start land's card; the card of Demon's Head comes after that of the match.
    assert types(do(state, "build 1,0"))[:4] == ["build", "income", "draw", "draw"]
    state = audience(5, hands={0: "goblin_king"})
    do(state, "play goblin_king")
    assert state.ep[0] == 0


def test_a_card_triggers_itself_only_with_the_option() -> None:
    """R7.4: with `self_trigger` Goblin King and Dagon count the play of themselves."""
    for name, value, ep in (("goblin_king", 5, 1), ("dagon", 6, 3), ("basilisk", 4, 0)):
        state = audience(value, hands={0: name}, options={"self_trigger": True})
        do(state, f"play {name}")
        assert state.ep[0] == ep


def test_a_demon_works_at_once() -> None:
    """R7.5: it lies open before the seat and acts in this round too."""
    state = position("workplaces", places={"audience_room": [(0, 5), (0, 5)]}, hands={0: "goblin_king ember_forge"})
    do(state, "play goblin_king", "play ember_forge")
    assert state.observation(None)["tables"][0]["demons"] == ["goblin_king"]
    assert state.ep[0] == 1


def test_a_plan_lies_open_and_yields() -> None:
    """R7.6: the printed resources are gained now."""
    state = audience(6, hands={0: "eclipse_rite"}, stock={0: (5, 2, 3)})
    do(state, "play eclipse_rite")
    assert decision(state) == {"kind": "gain", "count": 2}
    do(state, "gain 0/2/0")
    assert stock(state, 0) == (0, 2, 0)
    assert state.observation(None)["tables"][0]["plans"] == ["eclipse_rite"]


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


# R8 payment


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


# R9, R10 end of a round and of the match


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


def test_a_round_is_cleared_away() -> None:
    """R9.2: dice go home, the payment card leaves, and the card of round r + 2 is turned up."""
    state = position("close", 2, places={"market": [(0, 3)]}, dice={1: (2,)}, round_number=3)
    seen = state.observation(None)
    assert (seen["round"], seen["to_act"]) == (4, "chance")
    assert seen["payments"]["3"] == []
    assert seen["payments"]["5"] == ["cult_uprising"]
    assert "tax_collector" in seen["payments_gone"]
    assert not any(place["dice"] for place in seen["workplaces"].values())
    assert not any(table["dice"] for table in seen["tables"])


def test_the_final_score() -> None:
    """E14 (R10, R10.1, R10.2): EP, printed EP of all cards in play, and the knowledge card; ranks share ties."""
    state = position(
        "close", 3, round_number=7, ep={0: -3, 1: 30, 2: 21},
        demons={0: "imp orc"}, plans={0: "eclipse_rite"}, village=[("bone_quarry", 0, 0, 1)],
        knowledge={0: "balanced_rule", 1: "spy_network", 2: "secret_archive"},
    )  # fmt: skip
    assert state.to_act is None
    assert state.scores() == (21, 30, 21)
    assert state.ranks() == (1, 0, 1)
    assert state.observation(None)["knowledge"] == ["balanced_rule", "spy_network", "secret_archive"]


@pytest.mark.parametrize(
    ("name", "ep"),
    [
        ("demonology", 4), ("strategy", 2), ("town_planning", 2), ("soul_hoard", 8), ("armory_hoard", 3),
        ("larder_hoard", 0), ("secret_archive", 2), ("tribute_ledger", 8), ("spy_network", 2), ("balanced_rule", 3),
    ],
)  # fmt: skip
def test_knowledge_cards_count_up_to_their_cap(name: str, ep: int) -> None:
    """R10.2: `ep_each` times what they count, at most the cap."""
    state = position(
        "close", 2, round_number=7, demons={0: "imp orc"}, plans={0: "eclipse_rite"}, hands={0: "ghost witch"},
        village=[("bone_quarry", 0, 0, 1)], stock={0: (11, 3, 0)}, income={0: (1, 6)}, knowledge={0: name},
    )  # fmt: skip
    assert state.scores()[0] == 3 + 3 + 13 + 2 + ep


def test_ties_are_shared_or_broken_by_resources() -> None:
    """R10.3: with the option `final_tie` more resources left rank better."""
    more = {"round_number": 7, "stock": {0: (1, 1, 1), 1: (2, 2, 2)}}
    more["knowledge"] = {0: "spy_network", 1: "strategy"}
    assert position("close", 2, **more).ranks() == (0, 0)  # type: ignore[arg-type]
    assert position("close", 2, **more, options={"final_tie": "resources"}).ranks() == (1, 0)  # type: ignore[arg-type]


def test_scores_before_the_end() -> None:
    """R10.4: EP and the cards in play, without knowledge."""
    assert position("placement", dice={0: (1,)}, ep={0: 2}, demons={0: "imp"}).scores() == (5, 0, 0)


# R11 super workplaces

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


# R12 hidden information


def test_hands_are_secret() -> None:
    """R12.1: other seats and spectators see sizes; the seat sees its hand, its knowledge and what it gave back."""
    state = position("placement", 2, dice={0: (1,)}, hands={0: "imp", 1: "witch orc"}, knowledge={1: "strategy"})
    for viewer in (0, None):
        text = str(state.observation(viewer))
        assert "witch" not in text
        assert "strategy" not in text
    assert "me" not in state.observation(None)
    assert [card["card"] for card in state.observation(1)["me"]["hand"]] == ["orc", "witch"]
    assert state.observation(0)["tables"][1]["hand_size"] == 2


def test_pile_numbers_tell_where_cards_come_from() -> None:
    """R12.3: a card carries the number of the pile in which it last lay; how many of each a seat holds is open, and so
    is which cards have been shuffled again.
    """
    state = position([("draw", 1, 2), ("draw", 0, 2)], 2, pile="imp", discard="orc witch ghost")
    chance(state, deck("witch", pool=sorted(state.discard)))
    assert [sorted(hand(state, seat)) for seat in range(2)] == [["imp", "witch"], ["ghost", "orc"]]
    seen = state.observation(1)
    assert [table["cards_by_pile"] for table in seen["tables"]] == [{"1": 1, "2": 1}, {"2": 2}]
    assert seen["recycled"] == {"2": ["orc", "ghost", "witch"]}
    assert seen["pile_number"] == 2
    assert seen["me"]["hand"] == [{"card": "orc", "pile": 2}, {"card": "ghost", "pile": 2}]
    # Each shuffle makes a pile of its own number.
    state = position([("draw", 1, 1), ("discard", 0), ("draw", 0, 1)], 2, pile="", discard="orc",
                     hands={0: "witch ghost imp dagon human medusa"})  # fmt: skip
    chance(state, deck(pool=sorted(state.discard)))
    do(state, "discard orc")
    chance(state, deck(pool=sorted(state.discard)))
    assert (state.observation(0)["tables"][1]["cards_by_pile"], state.pile_number) == ({"3": 1}, 3)


def test_shown_cards_of_the_first_pile_are_counted() -> None:
    """R12.4: for each viewer what another seat has shown that was not dealt to that viewer."""
    state = start(3, "imp orc dagon witch ghost  human medusa warlock mammon minotaur")
    do(state, "keep imp orc demonology", "keep human medusa soul_hoard")
    do(state, listed(state)[0])
    kept = {card for held in state.hands for card in held}
    state.agenda = [("bury", 1, 9), ("draw", 1, 2), ("deck", 1)]
    chance(state, deck("dagon goblin", pool=[card for card in range(76) if card not in kept]))
    do(state, "bury dagon", "bury human")
    assert state.observation(0)["me"]["shown_from_first_pile"] == {"1": 1, "2": 0}  # dagon was dealt to seat 0
    assert state.observation(2)["me"]["shown_from_first_pile"] == {"0": 0, "1": 2}
