"""Playing a card in Hell Village: rules R7.1 to R7.6."""

from __future__ import annotations

from tests.engine.hell_village.table import (
    TABLES,
    audience,
    decision,
    do,
    listed,
    position,
    stock,
    types,
)


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
