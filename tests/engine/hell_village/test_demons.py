"""The effect of each of the 28 demons, by the table of demons in RULES.md."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from engine.core import Scalar
from engine.hell_village import GAME
from engine.hell_village.components import KINDS
from tests.engine.hell_village.table import (
    TABLES,
    chance,
    decision,
    deck,
    do,
    faces,
    hand,
    listed,
    number_of,
    position,
    roll,
    stock,
    types,
)


def values(demons: str, die: int, at: str, seats: int = 4, **more: Any) -> list[int]:
    """The values with which seat 0 may place the die at a workplace."""
    state = position("placement", seats, dice={0: (die,)}, demons={0: demons}, **more)
    places = [action for action in state.legal_actions() if action[0] == "place" and action[2] == at]
    return [action[3] for action in places]


def audience(value: int, hands: str, demons: str, **more: Any) -> Any:
    """Seat 0 has one die in the Audience Room."""
    return position("workplaces", places={"audience_room": [(0, value)]}, hands={0: hands}, demons={0: demons}, **more)


def price(card: str, demons: str) -> int:
    """What the card costs seat 0 with these demons."""
    value = TABLES.cards[number_of(card)].dice[0]
    state = audience(value, card, demons, stock={0: (9, 9, 9)})
    events = do(state, f"play {card}")
    if len(events) == 1:  # asked for the kinds
        found: int = decision(state)["price"]
        return found
    return sum(events[1].public[kind] for kind in KINDS)


def test_every_demon_has_its_test() -> None:
    """The name of each demon in the table stands in a test of its own."""
    text = Path(__file__).read_text("utf-8")
    demons = [card.id for card in TABLES.cards if card.kind == "demon"]
    assert len(demons) == 28
    assert [name for name in demons if f"def test_{name}" not in text] == []


def test_demons_head() -> None:
    """Draws 1 after an own industry and all its rewards; nothing for a plan, nor for another seat's industry."""
    state = audience(1, "bone_quarry", "demons_head")
    do(state, "play bone_quarry", "build 0,1")
    assert len(state.hands[0]) == 1
    plan = audience(2, "night_raid", "demons_head")
    do(plan, "play night_raid")
    assert hand(plan, 0) == []
    other = position(
        "workplaces", places={"audience_room": [(1, 1)]}, hands={1: "bone_quarry"}, demons={0: "demons_head"}
    )
    do(other, "play bone_quarry", "build 0,1")
    assert hand(other, 0) == hand(other, 1) == []


@pytest.mark.parametrize(("option", "result"), [("replace", 6), ("minus_one", 5)])
def test_imp(option: str, result: int) -> None:
    """May roll each returned die again, once: the roll replaces the lowered value, or is lowered with the option."""
    more: dict[str, Any] = {"places": {"market": [(1, 5)]}, "demons": {1: "imp"}, "options": {"imp_reroll": option}}
    state = position("placement", 2, dice={0: (1,)}, **more)
    do(state, "1@marketx0")
    assert (state.to_act, listed(state)) == (1, ["stand", "reroll"])
    do(state, "reroll")
    assert state.chance_key.startswith("imp:")
    chance(state, faces(1, 6))
    assert state.dice[1] == (result,)
    stood = position("placement", 2, dice={0: (1,)}, **more)
    do(stood, "1@marketx0", "stand")
    assert stood.dice[1] == (4,)


def test_orc() -> None:
    """Slime Farm: one up or down for free, within 1 to 6."""
    assert values("orc", 6, "slime_farm") == [5, 6]
    assert values("orc", 6, "laboratory") == [6]


def test_old_dragon() -> None:
    """Laboratory: one up or down for free, and nowhere else."""
    assert values("old_dragon", 1, "laboratory") == [1, 2]
    assert values("old_dragon", 1, "market") == [1]


def test_will_o_the_wisp() -> None:
    """Owes one less, once, never below nothing."""
    payments = ("tithe_of_souls", "tax_collector", "border_patrol", "lean_season", "cult_uprising")
    more: dict[str, Any] = {
        "demons": {0: "will_o_the_wisp"},
        "payments": (*payments, "tithe_of_souls", "tax_collector"),
    }
    state = position("payment", 2, round_number=7, **more)
    assert decision(state) == {"kind": "payment", "owed": 6}
    first = position("payment", 2, round_number=1, **more)
    assert first.ep == [0, 0]
    assert stock(first, 0) == (4, 4, 4)


def test_fanatic() -> None:
    """Human Realm: a 4 placed as a 3 kicks a 4."""
    full = {"human_realm": [(1, 4)]}
    assert values("fanatic", 4, "human_realm", 2, places=full) == [3]
    assert values("orc", 4, "human_realm", 2, places=full) == []


def test_gold_gargoyle() -> None:
    """May roll all its three dice again before the tiles are given, once; the tiles go by the new sum."""
    state = position("roll", 2, demons={0: "gold_gargoyle"})
    chance(state, roll((1, 1, 2), (4, 4, 4)))
    assert listed(state) == ["stand", "reroll"]
    do(state, "reroll")
    chance(state, faces(0, 5, 5, 6))
    assert state.order == [0, 1]
    assert state.dice[0] == (5, 5, 6)
    stood = position("roll", 2, demons={0: "gold_gargoyle"})
    chance(stood, roll((1, 1, 2), (4, 4, 4)))
    do(stood, "stand")
    assert stood.order == [1, 0]


def test_kerberos() -> None:
    """Workplaces 1 to 9: N resources for N pips, if the stock holds them; not at Evil Worship."""
    assert values("kerberos", 2, "market") == [1, 2, 3, 4, 5, 6]
    assert values("kerberos", 2, "market", stock={0: (1, 1, 1)}) == [1, 2, 3, 4, 5]
    assert values("kerberos", 2, "audience_room", stock={0: (0, 0, 0)}) == [2]
    assert values("kerberos", 2, "evil_worship") == [2]
    state = position("placement", 2, dice={0: (2,)}, demons={0: "kerberos mammon"}, stock={0: (2, 0, 0)})
    do(state, "2@market=5")  # 3 is free with Mammon
    assert stock(state, 0) == (0, 0, 0)
    assert state.workplaces[7] == ((0, 5),)


def test_ghost() -> None:
    """Slime Farm: 2 armor with a use, also with two dice; none without a use."""
    places = {"slime_farm": [(0, 1), (0, 1)]}
    state = position("workplaces", 4, places=places, demons={0: "ghost"})
    do(state, "use 2")
    assert stock(state, 0) == (4, 6, 6)
    skipped = position("workplaces", 4, places=places, demons={0: "ghost"})
    do(skipped, "skip")
    assert stock(skipped, 0) == (4, 4, 4)


def test_black_steel_golem() -> None:
    """Weapons Factory: one up or down for free."""
    assert values("black_steel_golem", 3, "weapons_factory") == [2, 3, 4]


def test_goblin() -> None:
    """Human Realm: 2 food, for which the workplace is worth using with a full row of sacrifices."""
    state = position("workplaces", stock={0: (12, 0, 0)}, places={"human_realm": [(0, 3)]}, demons={0: "goblin"})
    assert listed(state) == ["skip", "use 1"]
    do(state, "use 1")
    assert stock(state, 0) == (12, 0, 2)


def test_goblin_king() -> None:
    """1 EP for every other own card played: nothing for itself, nothing for another seat's."""
    state = position(
        "workplaces",
        places={"audience_room": [(0, 5), (0, 2), (1, 3)]},
        hands={0: "goblin_king imp", 1: "human"},
        stock={0: (9, 9, 9), 1: (4, 4, 4)},
    )
    do(state, "play goblin_king")
    assert state.ep[0] == 0
    do(state, "play imp")
    assert state.ep[0] == 1
    do(state, "play human")
    assert state.ep == [1, 0, 0]


def test_goblin_tank() -> None:
    """Weapons Factory: 2 sacrifices, together with Minotaur's cards."""
    state = position("workplaces", places={"weapons_factory": [(0, 1)]}, demons={0: "goblin_tank minotaur"})
    do(state, "use 1")
    assert stock(state, 0) == (6, 5, 4)
    assert len(state.hands[0]) == 2


def test_cyclops() -> None:
    """Own industries cost 1 less: three ways to pay 2 of 1/1/1; demons and plans cost the same."""
    state = audience(1, "bone_quarry", "cyclops")
    do(state, "play bone_quarry")
    assert listed(state) == ["pay 0/1/1", "pay 1/0/1", "pay 1/1/0"]
    assert price("night_raid", "cyclops") == 4
    assert price("imp", "cyclops") == 2


def test_salamander() -> None:
    """A card for a resource, then a card that was too dear; a full row is not offered."""
    state = audience(1, "imp witch", "salamander", stock={0: (4, 12, 1)})
    assert "play imp" not in listed(state)
    assert [action for action in listed(state) if "burn witch" in action] == ["burn witch sacrifice", "burn witch food"]
    do(state, "burn witch food")
    assert "play imp" in listed(state)


def test_cult_guru() -> None:
    """Human Realm: 1 EP with a use, 2 with the super tile."""
    places = {"human_realm": [(0, 1)]}
    state = position("workplaces", places=places, demons={0: "cult_guru"})
    do(state, "use 1")
    assert state.ep[0] == 1
    options: dict[str, Scalar] = {"super_workplaces": True}
    both = position(
        "workplaces", places=places, demons={0: "cult_guru"}, round_number=4, supers=["super_human_realm"],
        options=options,
    )  # fmt: skip
    do(both, "use 1")
    assert both.ep[0] == 2


def test_jack_o_lantern() -> None:
    """Audience Room: a 5 placed as a 6 plays Dagon."""
    state = position("placement", dice={0: (5,)}, demons={0: "jack_o_lantern"}, hands={0: "dagon"})
    do(state, "5@audience_room=6")
    assert "play dagon" in listed(state)


def test_dagon() -> None:
    """3 EP for every other own demon, nothing for a plan or itself; 4 with Goblin King."""
    state = audience(6, "dagon", "")
    do(state, "play dagon")
    assert state.ep[0] == 0
    demon = audience(1, "imp", "dagon goblin_king")
    do(demon, "play imp")
    assert demon.ep[0] == 4
    plan = audience(2, "night_raid", "dagon")
    do(plan, "play night_raid")
    assert plan.ep[0] == 0


def test_dullahan() -> None:
    """Evil Worship sets up to two dice, never the same one twice."""
    state = position("placement", dice={0: (1, 2, 4)}, demons={0: "dullahan"})
    do(state, "4@evil_worship")
    assert decision(state) == {"kind": "set", "dice": [1, 2], "count": 2}
    do(state, "set 1>6")
    assert listed(state) == ["stand", "set 2>1", "set 2>3", "set 2>4", "set 2>5", "set 2>6"]
    do(state, "set 2>6", "gain 0/0/1")
    assert state.dice[0] == (6, 6)
    one = position("placement", dice={0: (1, 4)}, demons={0: "dullahan"})
    do(one, "4@evil_worship", "set 1>2")
    assert decision(one)["kind"] == "gain"


def test_human() -> None:
    """Own plans cost 2 less."""
    assert price("night_raid", "human") == 2
    assert price("bone_quarry", "human") == 3


def test_basilisk() -> None:
    """1 EP for an own industry, nothing for another seat's."""
    state = position(
        "workplaces",
        places={"audience_room": [(0, 1), (1, 2)]},
        hands={0: "bone_quarry", 1: "gloom_orchard"},
        demons={0: "basilisk"},
    )
    do(state, "play bone_quarry")
    assert state.ep[0] == 1
    do(state, "build -1,0")
    do(state, "play gloom_orchard")
    assert state.ep[0] == 1


def test_behemoth() -> None:
    """A printed cost over 7 is 2 less; with Human a plan of 8 costs 4."""
    assert price("warlock", "behemoth") == 7
    assert price("chapel_siege", "behemoth") == 6
    assert price("chapel_siege", "behemoth human") == 4
    assert price("dagon", "behemoth") == 7


def test_jewel_gargoyle() -> None:
    """1 EP for an unpaid resource, not 2."""
    state = position("payment", 2, round_number=2, stock={0: (1, 0, 0), 1: (0, 0, 0)}, demons={0: "jewel_gargoyle"})
    do(state, "pay 0/0/0")
    assert state.ep == [-3, -6]


def test_witch() -> None:
    """Slime Farm: 2 of any kind in one choice, after the food."""
    state = position("workplaces", places={"slime_farm": [(0, 1)]}, demons={0: "witch"})
    assert types(do(state, "use 1")) == ["use", "gain"]
    assert decision(state) == {"kind": "gain", "count": 2}
    assert len(listed(state)) == 6


def test_warlock() -> None:
    """A die here gives 4 any at once; not a second one in the same round, but again in the next."""
    state = position("placement", dice={0: (1, 2)}, demons={0: "warlock"})
    do(state, "1@warlock", "gain 0/0/4")
    assert "2@warlock" not in listed(state)
    do(state, "2@market", "done")
    while state.phase != "placement" or state.to_act != 0:
        action = state.legal_actions()[0] if state.to_act != "chance" else roll((1, 1, 1), (1, 1, 2), (1, 1, 3))
        state.apply(action)
    assert "1@warlock" in listed(state)


def test_mammon() -> None:
    """Market: a 2 placed as a 3 makes three trades."""
    state = position("placement", dice={0: (2,)}, demons={0: "mammon"})
    do(state, "2@market=3")
    assert decision(state) == {"kind": "trade", "left": 3, "owed": 0}


def test_minotaur() -> None:
    """Weapons Factory: draws 2, shuffling in between if it must."""
    state = position(
        "workplaces",
        places={"weapons_factory": [(0, 1)]},
        demons={0: "minotaur"},
        pile="imp",
        discard="orc witch ghost",
    )
    do(state, "use 1")
    assert state.chance_key == "deck:2"
    chance(state, deck("witch", pool=sorted(state.discard)))
    assert hand(state, 0) == ["imp", "witch"]


def test_medusa() -> None:
    """1 EP for each own die kicked by another seat; with `kick_own` for own kicks too."""
    places = {"market": [(1, 6)], "laboratory": [(1, 6)]}
    state = position("placement", 2, dice={0: (1, 1)}, places=places, demons={1: "medusa"})
    do(state, "1@marketx0", "5@human_realm", "1@laboratoryx0")
    assert state.ep[1] == 2
    own: dict[str, Scalar] = {"kick_own": True}
    mine = position("placement", 2, dice={0: (1,)}, places={"market": [(0, 6)]}, demons={0: "medusa"}, options=own)
    do(mine, "1@marketx0")
    assert (mine.ep[0], mine.dice[0]) == (1, (5,))
    kicker = position("placement", 2, dice={0: (1,)}, places={"market": [(1, 6)]}, demons={0: "medusa"})
    do(kicker, "1@marketx0")
    assert kicker.ep == [0, 0]


def test_dullahan_may_set_dice_in_any_hands() -> None:
    """R5.9, A31, option `dullahan_dice`: with `any` up to two dice in any hands, named with their owner; no die
    twice. A seat without Dullahan sets one of its own, as always.
    """
    options = {"dullahan_dice": "any"}
    dice = {0: (1, 2), 1: (5,), 2: (2, 2)}
    state = position("placement", 3, dice=dice, demons={0: "dullahan"}, options=options)
    do(state, "1@evil_worship")
    assert decision(state) == {"kind": "set", "dice": [[0, 2], [1, 5], [2, 2], [2, 2]], "count": 2}
    assert len(listed(state)) == 1 + 3 * 5
    for viewer in (None, 0, 1):
        seen = json.loads(json.dumps(state.observation(viewer)))
        sample = GAME.belief(seen).sample(Random(1))
        assert sample.observation(viewer) == seen == state.observation(viewer)
        assert sample.legal_actions() == state.legal_actions()
    first = GAME.decode({"type": "set", "die": 5, "to": 1, "owner": 1})
    (event,) = state.apply(first)
    assert event.seen_by(2) == {"type": "set", "seat": 0, "owner": 1, "die": 5, "to": 1}
    assert GAME.describe(event.seen_by(2)) == "seat 0 sets a 5 of seat 1 to 1"
    assert decision(state) == {"kind": "set", "dice": [[0, 2], [2, 2], [2, 2]], "count": 1}
    state.apply(GAME.decode({"type": "set", "die": 2, "to": 6, "owner": 2}))
    assert state.dice == [(2,), (1,), (2, 6)]
    assert decision(state)["kind"] == "gain"
    state = position("placement", 3, dice=dice, options=options)
    do(state, "1@evil_worship")
    assert decision(state) == {"kind": "set", "dice": [2], "count": 1}
    state = position("placement", 3, dice={0: (1,), 1: (5,)}, demons={0: "dullahan"}, options=options)
    do(state, "1@evil_worship")
    assert decision(state) == {"kind": "set", "dice": [[1, 5]], "count": 1}
