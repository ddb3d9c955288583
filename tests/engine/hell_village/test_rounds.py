"""The rules of Hell Village by number, R0 to R4: conventions, components, setup, roll and income."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path
from random import Random

import pytest

from engine.core import CHANCE, IllegalAction
from engine.hell_village import GAME
from engine.hell_village.actions import Deck, Payments, Supers
from tests.engine.hell_village.table import (
    E1_PAYMENTS,
    TABLES,
    chance,
    decision,
    deck,
    do,
    faces,
    hand,
    listed,
    names,
    number_of,
    position,
    roll,
    start,
    stock,
    tiles,
    types,
)


def test_every_rule_has_its_test() -> None:
    """Each rule number of RULES.md, and each worked example, is named in the docstring of some test of this game."""
    rules = files("engine.hell_village").joinpath("RULES.md").read_text("utf-8")
    wanted = set(re.findall(r"^- (R\d+\.\d+|E\d+) ", rules, re.MULTILINE))
    assert len(wanted) > 80
    tests = "".join(path.read_text("utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    said = set(re.findall(r"\b(R\d+\.\d+|E\d+)\b", " ".join(re.findall(r'"""(.*?)"""', tests, re.DOTALL))))
    assert sorted(wanted - said) == []


# R0 conventions


def test_kinds_come_in_their_order() -> None:
    """R0.1: sacrifice, armor, food; n any is split as the seat likes (R0.3: numbers ascending)."""
    state = position([("gain", 0, 2)])
    assert listed(state) == ["gain 0/0/2", "gain 0/1/1", "gain 0/2/0", "gain 1/0/1", "gain 1/1/0", "gain 2/0/0"]
    do(state, "gain 1/0/1")
    assert stock(state, 0) == (5, 4, 5)


def test_copies_are_interchangeable() -> None:
    """R0.2: actions name a design, and the lowest-numbered copy in hand is taken."""
    state = position("limits", hands={0: "imp orc night_raid night_raid dagon witch ghost"})
    low, high = TABLES.numbers_of["night_raid"]
    assert listed(state).count("discard night_raid") == 1
    do(state, "discard night_raid")
    assert state.discard == (low,)
    assert high in state.hands[0]


def test_legal_actions_are_listed_in_order() -> None:
    """R0.3: place actions by die, workplace and value, cards by number."""
    state = position("placement", 2, dice={0: (1, 2), 1: (6,)}, demons={0: "mammon"})
    dice = [action.split("@")[0] for action in listed(state)]
    assert dice == sorted(dice)
    assert [action for action in listed(state) if action.startswith("2@market")] == [
        "2@market=1", "2@market", "2@market=3",
    ]  # fmt: skip
    assert listed(position("limits", hands={0: "witch imp orc dagon ghost human medusa"})) == [
        f"discard {name}" for name in ("imp", "orc", "ghost", "dagon", "human", "witch", "medusa")
    ]


def test_equal_results_are_offered_once() -> None:
    """R0.4: of actions that lead to equal positions, forced steps included, only the first is legal."""
    witch = position("workplaces", stock={0: (12, 12, 10)}, places={"slime_farm": [(0, 5)]}, demons={0: "witch"})
    assert listed(witch) == ["skip", "use 1"]  # 1 food and 2 of any fill the stock as 2 food do
    # A shuffle before the last gain is a chance in between: the uses stay different.
    full = {"stock": {0: (12, 10, 12)}, "places": {"weapons_factory": [(0, 5)]}, "demons": {0: "minotaur"}}
    super_factory = {"supers": ["super_weapons_factory"], "options": {"super_workplaces": True}, "round_number": 5}
    assert listed(position("workplaces", **full, **super_factory)) == ["skip", "use 1"]  # type: ignore[arg-type]
    shuffled = position("workplaces", **full, **super_factory, pile="imp", discard="orc")  # type: ignore[arg-type]
    assert listed(shuffled) == ["skip", "use 1", "use 2"]
    market = position(
        "workplaces",
        stock={0: (12, 11, 12)},
        places={"market": [(0, 1)]},
        round_number=5,
        supers=["super_market"],
        options={"super_workplaces": True},
    )
    # Trading into the last room is filled up again by the super tile, as if nothing had been traded.
    assert listed(market) == ["done", "trade sacrifice card"]
    cards = position(
        "workplaces",
        stock={0: (11, 11, 11)},
        hands={0: "imp"},
        places={"market": [(0, 1)]},
        round_number=5,
        supers=["super_market"],
        options={"super_workplaces": True},
    )
    # Whatever Imp is given for, the other two kinds are filled up afterwards.
    assert [action for action in listed(cards) if "imp" in action] == ["trade imp sacrifice", "trade imp card"]


def test_equal_orders_of_matches_are_not_asked() -> None:
    """R0.4, R0.5: two classes whose order cannot matter are worked off without a question."""
    full = {0: (12, 12, 12), 1: (12, 12, 12), 2: (12, 12, 12)}
    village = [("night_school", 1, 0, 1), ("grave_garden", 2, 1, 0)]
    state = position([("build", 0, number_of("cinder_bakery"))], village=village, stock=full)
    do(state, "build 1,1")
    assert state.to_act is None or decision(state)["kind"] != "order"
    assert [state.income[2 * seat : 2 * seat + 2] for seat in range(3)] == [[1, 1], [1, 0], [0, 1]]


def test_a_seat_is_asked_only_if_open_facts_leave_a_choice() -> None:
    """R0.5: a single split is applied without a turn; a hand of cards that do not fit is asked all the same."""
    state = position([("gain", 0, 2)], stock={0: (12, 12, 4)})
    assert state.to_act is None
    assert stock(state, 0) == (12, 12, 6)
    assert state.turn == 0
    state = position("workplaces", places={"audience_room": [(0, 6)]}, stock={0: (12, 12, 12)}, hands={0: "imp"})
    assert listed(state) == ["skip"]
    state = position("workplaces", places={"audience_room": [(0, 6)]}, stock={0: (12, 12, 12)})
    assert decision(state)["kind"] == "payment"


def test_surplus_is_lost() -> None:
    """R0.6: a stock row holds 12, an income row 6."""
    state = position([("reward", 0, "card", 2)], income={0: (5, 0)})
    assert state.income[:2] == [6, 0]
    assert len(state.hands[0]) == 2
    state = position("workplaces", stock={0: (4, 11, 4)}, places={"slime_farm": [(0, 1)]}, demons={0: "ghost"})
    do(state, "use 1")
    assert stock(state, 0) == (4, 12, 5)


def test_a_free_gain_is_cut_to_the_room() -> None:
    """R0.7: n is cut to the total room first; with no room nothing happens."""
    state = position([("gain", 0, 4)], stock={0: (12, 11, 11)})
    assert stock(state, 0) == (12, 12, 12)
    state = position([("gain", 0, 4)], stock={0: (12, 10, 11)})
    assert stock(state, 0) == (12, 12, 12)
    assert stock(position([("gain", 0, 4)], stock={0: (12, 12, 12)}), 0) == (12, 12, 12)


def test_gains_of_one_cause_come_in_order() -> None:
    """R0.8: kinds, EP, draws, then all resources of any kind in one choice."""
    state = position(
        "workplaces",
        places={"human_realm": [(0, 2)], "weapons_factory": [(0, 2)]},
        demons={0: "cult_guru goblin minotaur goblin_tank"},
        round_number=7,
        supers=["super_weapons_factory"],
        options={"super_workplaces": True},
    )
    assert types(do(state, "use 2")) == ["use", "gain", "score"]
    assert types(do(state, "use 2")) == ["use", "gain", "draw"]
    assert decision(state) == {"kind": "gain", "count": 1}


def test_an_empty_pile_is_renewed_in_the_middle_of_a_draw() -> None:
    """R0.9: the discard pile becomes the pile by chance; with both empty the rest of the draw is lost."""
    state = position([("draw", 0, 4)], pile="imp", discard="orc dagon")
    assert hand(state, 0) == ["imp"]
    assert state.chance_key == "deck:2"
    chance(state, deck(pool=sorted(state.discard)))
    assert hand(state, 0) == ["imp", "orc", "dagon"]
    assert (state.pile_number, state.discard, state.to_act) == (2, (), None)
    state = position([("draw", 0, 1)], pile="", discard="orc")  # already empty before the first card
    assert state.chance_key == "deck:2"


def test_ep_is_one_number_that_may_be_negative() -> None:
    """R0.10: EP fall below zero, and there is no end at 50."""
    state = position("payment", stock=dict.fromkeys(range(3), (0, 0, 0)), ep={0: 1, 1: 60, 2: 0})
    assert state.ep == [-7, 52, -8]  # tax_collector asks 4


def test_limits_come_from_the_table() -> None:
    """R0.11: the lengths of rows and the number of industries are what the table says."""
    assert (TABLES.stock_limit, TABLES.income_limit, TABLES.industry_limit) == (12, 6, 8)


# R1 components


def test_the_cards_are_complete() -> None:
    """R1.1, R1.2: three dice a seat; 76 cards, 28 demons once, 12 plans twice, 24 industries; copies are adjacent."""
    cards = TABLES.cards
    assert TABLES.dice_per_seat == 3
    assert [card.number for card in cards] == list(range(76))
    assert {kind: sum(card.kind == kind for card in cards) for kind in ("demon", "plan", "industry")} == {
        "demon": 28, "plan": 24, "industry": 24,
    }  # fmt: skip
    assert {len(TABLES.numbers_of[card.id]) for card in cards if card.kind == "plan"} == {2}
    assert all(TABLES.numbers_of[card.id] == (card.number,) for card in cards if card.kind != "plan")
    assert all(cards[a].id == cards[a + 1].id for a in range(28, 52, 2))


def test_the_other_things_are_complete() -> None:
    """R1.3: ten payment cards of which one asks nothing, ten knowledge cards, five tiles, five super workplaces."""
    assert len(TABLES.payments) == len(TABLES.knowledge) == 10
    assert [name for name, card in TABLES.payments.items() if sum(card.kinds) + card.any == 0] == ["peaceful_day"]
    assert len(TABLES.tiles) == len(TABLES.supers) == 5


def test_workplaces_hold_what_the_table_says() -> None:
    """R1.4, R1.5: ten workplaces by number, two without limit, the Cemetery closed with two seats, one Slime Farm."""
    seen = GAME.new(2).observation(None)["workplaces"]
    assert next(iter(seen)) == "evil_worship"
    assert list(seen)[9] == "audience_room"
    assert seen["evil_worship"]["spaces"] is None is seen["audience_room"]["spaces"]
    assert seen["cemetery"]["spaces"] == 0
    assert GAME.new(5).observation(None)["workplaces"]["war_room"]["spaces"] == 2
    assert [name for name in seen if "slime" in name] == ["slime_farm"]
    assert not any("cemetery" in action for action in listed(position("placement", 2, dice={0: (3,)})))


def test_every_value_of_the_table_has_a_mark() -> None:
    """R1.6: each table and each card says where its values come from."""
    from engine.hell_village.components import read_built_in

    data = read_built_in()
    marks = {"T", "F", "C"}
    for group in ("demons", "plans", "industries"):
        for card in data["hell_cards"][group]:
            source = card["source"]
            assert set(source.values() if isinstance(source, dict) else source) <= marks
    for part in ("constants", "counts", "limits"):
        assert all(entry["source"] in marks for entry in data[part].values())


# R2 setup


def test_seats_start_alike() -> None:
    """R2.1: stock 4/4/4, no income, no EP."""
    table = GAME.new(3).observation(None)["tables"][2]
    assert table["stock"] == {"sacrifice": 4, "armor": 4, "food": 4}
    assert table["income"] == {"card": 0, "resource": 0}
    assert table["ep"] == 0


def test_payments_are_drawn_and_turned_up_one_round_ahead() -> None:
    """E1 (R2.2, R9.2): rounds 1 and 2 are open at the start, round r + 2 after round r, both cards of round 7 after
    round 5; two cards stay unseen.
    """
    state = GAME.new(2)
    with pytest.raises(IllegalAction):
        state.apply(Payments("payments", (*E1_PAYMENTS[:5], "angelic_raid", "common_levy")))  # not in table order
    events = chance(state, Payments("payments", E1_PAYMENTS))
    assert [event.seen_by(0) for event in events] == [
        {"type": "payments"},
        {"type": "reveal", "round": 2, "cards": ["tithe_of_souls"]},
    ]
    assert state.observation(0)["payments"] == {
        "1": ["peaceful_day"], "2": ["tithe_of_souls"], "3": [None], "4": [None], "5": [None], "6": [None],
        "7": [None, None],
    }  # fmt: skip
    rng = Random(1)
    revealed = {}
    while state.to_act is not None:
        actor, number = state.to_act, state.round
        action = state.sample_chance(rng) if actor == CHANCE else state.legal_actions()[0]
        for event in state.apply(action):
            if event.type == "reveal":
                revealed[number] = event.public["cards"]
    assert revealed == {
        1: ["tax_collector"], 2: ["border_patrol"], 3: ["cult_uprising"], 4: ["lean_season"],
        5: ["common_levy", "angelic_raid"],
    }  # fmt: skip
    seen = {"peaceful_day", *E1_PAYMENTS}
    assert set(state.observation(None)["payments_gone"]) == seen
    assert set(TABLES.payments) - seen == {"marching_legion", "feast_of_shades"}


def test_super_workplaces_are_laid_out() -> None:
    """R2.3: with the option, four of the five tiles lie open at rounds 4 to 7."""
    state = GAME.new(2, {"super_workplaces": True})
    chance(state, Payments("payments", E1_PAYMENTS))
    assert state.chance_key == "supers"
    with pytest.raises(IllegalAction):
        state.apply(Supers("supers", ("super_market",)))
    four = ("super_market", "super_laboratory", "super_human_realm", "super_slime_factory")
    chance(state, Supers("supers", four))
    assert state.observation(None)["super_workplaces"] == dict(zip("4567", four, strict=True))
    assert GAME.new(2).observation(None)["super_workplaces"] == {}


def test_five_cards_are_dealt_to_each_seat() -> None:
    """R2.4: the top five to seat 0, the next five to seat 1; the rest stays in the deck."""
    state = start(2, "imp orc dagon witch ghost  human medusa warlock mammon minotaur")
    assert names(state.dealt[0]) == ["imp", "orc", "ghost", "dagon", "witch"]
    assert names(state.dealt[1]) == ["human", "warlock", "mammon", "minotaur", "medusa"]
    assert len(state.pile) == 66
    with pytest.raises(IllegalAction):
        GAME.new(2).apply(Deck("deck", tuple(range(76))))


def test_two_knowledge_cards_are_dealt_to_each_seat() -> None:
    """R2.5: the first two to seat 0, the next two to seat 1."""
    state = start(2, knowledge="strategy demonology spy_network soul_hoard")
    assert state.observation(0)["me"]["knowledge"] == ["demonology", "strategy"]
    assert state.observation(1)["me"]["knowledge"] == ["soul_hoard", "spy_network"]


def test_what_a_seat_keeps_is_its_secret() -> None:
    """E2 (R2.6): 7 multisets of two dealt cards, each with both knowledge cards; others see only that it has chosen."""
    state = start(2, "imp orc dagon night_raid night_raid", knowledge="strategy demonology")
    assert len(listed(state)) == 14
    assert listed(state)[0] == "keep imp orc demonology"
    assert listed(state)[-1] == "keep night_raid night_raid strategy"
    assert decision(state) == {"kind": "keep"}
    (event,) = do(state, "keep imp night_raid strategy")
    assert event.seen_by(0) == {"type": "keep", "seat": 0, "cards": ["imp", "night_raid"], "knowledge": "strategy"}
    assert event.seen_by(1) == {"type": "keep", "seat": 0} == event.seen_by(None)
    assert [table["kept"] for table in state.observation(1)["tables"]] == [True, False]
    assert state.to_act == 1
    assert (
        GAME.decode({"type": "keep", "cards": ["orc", "imp"], "knowledge": "demonology"})
        in start(2, "imp orc dagon night_raid night_raid", knowledge="strategy demonology").legal_actions()
    )


def test_cards_not_kept_go_back() -> None:
    """R2.7: they are shuffled with the undealt ones: 76 - 2 x seats cards; the other knowledge card is gone."""
    state = start(3)
    do(state, listed(state)[0])
    do(state, listed(state)[0])
    do(state, listed(state)[0])
    assert state.chance_key == "deck:1"
    action = state.sample_chance(Random(1))
    assert len(action[1]) == 70
    assert not set(action[1]) & {card for held in state.hands for card in held}
    chance(state, action)
    me = state.observation(0)["me"]
    assert len(me["returned"]) == 3
    assert me["removed_knowledge"] not in me["knowledge"]


def test_the_village_starts_with_the_start_land() -> None:
    """R2.8: it lies at 0, 0 and belongs to nobody."""
    assert GAME.new(2).observation(None)["village"] == [
        {"card": "start_land", "x": 0, "y": 0, "owner": None, "turned": False}
    ]


# R3, R4 roll and income


def test_a_round_has_six_phases() -> None:
    """R3.1: seven rounds of roll, income, placement, workplaces, payment and end of round."""
    state, rng = GAME.new(2), Random(3)
    phases: dict[int, list[str]] = {}
    while state.to_act is not None:
        action = state.sample_chance(rng) if state.to_act == CHANCE else rng.choice(state.legal_actions())
        state.apply(action)
        seen = phases.setdefault(state.round, [])
        if state.phase not in seen:
            seen.append(state.phase)
    order = ["roll", "income", "placement", "workplaces", "payment", "end_of_round", "over"]
    assert set(phases) == set(range(8))
    assert all(seen == [phase for phase in order if phase in seen] for number, seen in phases.items() if number)


def test_all_dice_are_rolled_openly() -> None:
    """R3.2, R3.5, R2.9: three ascending dice for each seat, in hand with the faces rolled; one tile for each seat."""
    state = position("roll", 2)
    for wrong in (roll((1, 2, 3)), roll((3, 2, 1), (1, 1, 1)), roll((1, 2, 7), (1, 1, 1))):
        with pytest.raises(IllegalAction):
            state.apply(wrong)
    chance(state, roll((1, 2, 3), (4, 5, 6)))
    assert state.order == [1, 0]
    assert state.observation(None)["tables"][0]["dice"] == [1, 2, 3]


def test_higher_sums_come_first_and_ties_are_drawn() -> None:
    """E3 (R3.4, R4.1): four seats, three of them tied; the seat on tile 4 draws 2 and gains 2 any."""
    state = position("roll", 4)
    chance(state, roll((1, 6, 6), (4, 4, 5), (1, 2, 3), (2, 5, 6)))
    assert state.chance_key == "tiles:3"
    with pytest.raises(IllegalAction):
        state.apply(tiles(0, 1, 2, 3))
    drawn = {state.sample_chance(Random(seed))[1] for seed in range(100)}
    assert len(drawn) == 6
    chance(state, tiles(3, 0, 1, 2))
    assert state.order == [3, 0, 1, 2]
    while state.to_act != 2:
        do(state, listed(state)[0])
    assert len(state.hands[2]) == 2
    assert decision(state) == {"kind": "gain", "count": 2}
    assert len(listed(state)) == 6


def test_gold_gargoyles_roll_before_the_tiles() -> None:
    """R3.3: in seat order every seat with Gold Gargoyle may roll all its dice again; the second result stands."""
    state = position("roll", 2, demons={1: "gold_gargoyle"})
    chance(state, roll((4, 5, 6), (1, 1, 1)))
    assert (state.to_act, listed(state)) == (1, ["stand", "reroll"])
    do(state, "reroll")
    assert state.chance_key == "gargoyle:3:1"
    chance(state, faces(1, 6, 6, 6))
    assert state.order == [1, 0]
    assert state.phase != "roll"


def test_income_comes_in_tile_order() -> None:
    """E4 (R4.1, R0.6): cards first, then resources, cut to the room; a forced split is not asked."""
    state = position(
        "income", 3, order=(2, 0, 1), income={1: (1, 2)}, stock={1: (11, 12, 10)}, dice={0: (1,), 1: (1,), 2: (1,)}
    )
    assert (state.to_act, decision(state)) == (0, {"kind": "gain", "count": 1})
    assert len(listed(state)) == 3
    assert [len(held) for held in state.hands] == [1, 0, 1]
    do(state, "gain 1/0/0")
    assert len(state.hands[1]) == 2
    assert stock(state, 1) == (12, 12, 12)
    assert (state.phase, state.to_act) == ("placement", 2)
