"""The conventions of Hell Village (R0): what is offered, what is asked, what is applied without asking."""

from __future__ import annotations

from tests.engine.hell_village.table import (
    TABLES,
    chance,
    decision,
    deck,
    do,
    hand,
    listed,
    number_of,
    position,
    stock,
    types,
)


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
