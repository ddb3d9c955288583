"""The setup and the course of a round of Hell Village: rules R2 to R4, and how a round is cleared away."""

from __future__ import annotations

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
    do,
    faces,
    listed,
    names,
    position,
    roll,
    start,
    stock,
    tiles,
)


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
