"""Hell Village for human readers: the board as text, and each event as one line, exactly as printed."""

from __future__ import annotations

from random import Random
from textwrap import dedent
from typing import Any

import pytest

from engine.core import CHANCE, Scalar
from engine.hell_village import GAME
from engine.hell_village.text import WIDTH
from tests.engine.hell_village.table import decision, position, start


def drawn(text: str) -> str:
    """The expected text, written in the test with the indentation of the code."""
    return dedent(text).strip("\n")


def test_a_table_in_the_middle_of_a_match() -> None:
    """Payments to come, every workplace with its dice, the village with coordinates and edges, each seat's board, and
    the viewer's own cards.
    """
    state = position(
        "placement",
        dice={0: (2, 5), 1: (6,)},
        places={"human_realm": [(1, 4)], "evil_worship": [(2, 1)], "audience_room": [(0, 6), (2, 3)]},
        hands={0: "imp night_raid", 1: "witch"},
        demons={0: "orc human", 1: "warlock"},
        plans={2: "eclipse_rite"},
        village=[("night_school", 1, 0, 1), ("grave_garden", 2, 1, 0)],
        ep={0: -3, 2: 7},
        income={1: (2, 1)},
        knowledge={0: "strategy"},
        round_number=5,
        discard="dagon",
        supers=["super_market", "super_laboratory", "super_human_realm", "super_slime_factory"],
        options={"super_workplaces": True},
    )
    state.warlock[1] = (3,)
    assert GAME.draw(state.observation(0)) == drawn("""
        Hell Village, turn 0, round 5, placement
        seat 0 to place a die
        payment: round 5 asks Cult Uprising (2 sacrifice, 2 armor); round 6 asks Lean
          Season (3 food)
        super workplaces: Market from round 4, Laboratory from round 5, Human Realm from
          round 6, Slime Factory from round 7

          workplace                        spaces    dice (seat:value)
        0 Evil Worship                     no limit  2:1
        1 Human Realm                      1 of 1    1:4
        2 Weapons Factory                  0 of 1
        3 Slime Farm                       0 of 1
        4 Fairy Mine Mountain Range        0 of 1
        5 War Room                         0 of 1
        6 Laboratory (super)               0 of 1
        7 Market (super)                   0 of 1
        8 Cemetery                         0 of 1
        9 Audience Room                    no limit  0:6 2:3
        tile order 0 1 2; pile 66, discard pile 1

              0   1
            +---+
            | 2 |
          1 |rBc|
            | c |
            +---+---+
            | 2 | r |
          0 |=Ac|2Cr|
            | r | = |
            +---+---+
        A Start Land, B Night School of 1, C Grave Garden of 2
        edges: 2 EP, c card, r resource, = equal

        > seat 0: -3 EP; 4 sacrifice, 4 armor, 4 food; income 0 card, 0 resource
            hand 2; dice 2 5; demons Orc, Human
          seat 1: 0 EP; 4 sacrifice, 4 armor, 4 food; income 2 card, 1 resource
            hand 1; dice 6; on Warlock 3; demons Warlock; industries Night School
          seat 2: 7 EP; 4 sacrifice, 4 armor, 4 food; income 0 card, 0 resource
            hand 0; plans Eclipse Rite; industries Grave Garden
        your cards (seat 0), knowledge Strategy:
          Imp: demon, dice 1/2, cost 0-0-2, 3 EP
          Night Raid: plan, dice 1/2/3, cost 3-1-0, 4 EP
        """)


def test_the_table_before_and_after_the_match() -> None:
    """Before the deal chance is at work; dealt cards are shown to their seat; a finished match says so."""
    lines = GAME.draw(GAME.new(2).observation(None)).split("\n")
    assert lines[:3] == [
        "Hell Village, turn 0, setup",
        "chance decides",
        "payment: round 1 asks Peaceful Day (nothing)",
    ]
    assert "8 Cemetery                         closed" in lines
    assert not any("your cards" in line for line in lines)
    dealt = GAME.draw(start(2, "imp orc dagon witch ghost", knowledge="strategy demonology").observation(0)).split("\n")
    assert "seat 0 to keep dealt cards" in dealt
    assert "your cards (seat 0), knowledge Demonology or Strategy:" in dealt
    assert dealt[-1] == "  Witch: demon, dice 5/6, cost 3-0-4, 6 EP"
    over = position("close", 2, round_number=7, knowledge={0: "strategy", 1: "spy_network"})
    lines = GAME.draw(over.observation(None)).split("\n")
    assert lines[0] == "Hell Village after 0 turns: the match is over"
    assert "    hand 0; knowledge Spy Network" in lines


def test_a_wide_village_is_drawn_in_parts() -> None:
    """A village wider than the terminal is cut into parts, west to east; a turned card shows its edges turned."""
    row = [f"{card.id}" for card in GAME.tables.cards if card.kind == "industry"][:20]
    state = position("placement", dice={0: (1,)}, village=[(card, 0, x, 0) for x, card in enumerate(row, 1)])
    lines = GAME.draw(state.observation(None)).split("\n")
    assert max(map(len, lines)) <= WIDTH
    assert len([line for line in lines if line.startswith("  0 ")]) == 2
    upright = position("placement", dice={0: (1,)}, village=[("ash_mill", 0, 0, 1)])
    turned = position("placement", dice={0: (1,)}, village=[("ash_mill", 0, 0, 1)])
    turned.village = {(0, 1): (*turned.village[0, 1][:2], True)}
    assert "  1 |2B |" in GAME.draw(upright.observation(None)).split("\n")
    assert "  1 | B2|" in GAME.draw(turned.observation(None)).split("\n")


def test_the_pending_decision_is_named() -> None:
    """Each kind of decision has its words, and a random match with all options shows no other kind."""
    words = {}
    options: dict[str, Scalar] = {"super_workplaces": True, "industry_turn": "half"}
    for seed in range(12):
        state, rng = GAME.new(3, options), Random(seed)
        while state.to_act is not None:
            if state.to_act != CHANCE:
                line = GAME.draw(state.observation(None)).split("\n")[1]
                assert line.startswith(f"seat {state.to_act} to ")
                words[decision(state)["kind"]] = line
            if state.to_act == CHANCE:
                state.apply(state.sample_chance(rng))
                continue
            legal = state.legal_actions()
            wanted = [action for action in legal if action[0] == "play" or "audience_room" in action]
            state.apply(rng.choice(wanted if wanted and rng.random() < 0.6 else legal))
    kinds = {"keep", "gain", "place", "set", "use", "trade", "bury", "audience", "cost", "build", "payment", "discard"}
    assert kinds <= set(words)


LINES: list[tuple[dict[str, Any], str]] = [
    ({"type": "keep", "seat": 0}, "seat 0 has chosen what to keep"),
    (
        {"type": "keep", "seat": 0, "cards": ["imp", "orc"], "knowledge": "strategy"},
        "seat 0 keeps Imp, Orc and Strategy",
    ),
    ({"type": "stand", "seat": 1}, "seat 1 lets the dice stand"),
    ({"type": "reroll", "seat": 1}, "seat 1 rolls again"),
    ({"type": "skip", "seat": 1, "at": "market"}, "seat 1 makes no use of Market"),
    ({"type": "done", "seat": 1, "at": "cemetery"}, "seat 1 is done at Cemetery"),
    ({"type": "gain", "seat": 2, "sacrifice": 1, "armor": 0, "food": 2}, "seat 2 gains 1 sacrifice, 2 food"),
    ({"type": "pay", "seat": 2, "sacrifice": 0, "armor": 0, "food": 0}, "seat 2 pays nothing"),
    (
        {"type": "place", "seat": 0, "die": 2, "at": "market", "value": 2, "kick": None},
        "seat 0 places a 2 at Market",
    ),
    (
        {"type": "place", "seat": 0, "die": 4, "at": "human_realm", "value": 3, "kick": 1},
        "seat 0 places a 4 as a 3 at Human Realm, kicking die 2 there",
    ),
    (
        {"type": "place", "seat": 0, "die": 4, "at": "warlock", "value": 4, "kick": None},
        "seat 0 places a 4 on its Warlock",
    ),
    ({"type": "return", "seat": 1, "die": 3}, "seat 1 takes a die back, now a 3"),
    ({"type": "set", "seat": 1, "die": 3, "to": 6}, "seat 1 sets a 3 to 6"),
    ({"type": "use", "seat": 1, "value": 3, "at": "slime_farm"}, "seat 1 uses Slime Farm with value 3"),
    (
        {"type": "use", "seat": 1, "each": 1, "any": 2, "at": "war_room"},
        "seat 1 uses War Room: 1 of each kind and 2 of any",
    ),
    ({"type": "trade", "seat": 0, "give": "imp", "take": "food"}, "seat 0 trades Imp for food at the Market"),
    ({"type": "trade", "seat": 0, "give": "food", "take": "card"}, "seat 0 trades food for a card at the Market"),
    ({"type": "bury", "seat": 0, "card": "imp"}, "seat 0 buries Imp"),
    ({"type": "play", "seat": 0, "card": "will_o_the_wisp"}, "seat 0 plays Will O' the Wisp"),
    ({"type": "discard", "seat": 0, "card": "imp"}, "seat 0 discards Imp"),
    ({"type": "burn", "seat": 0, "card": "imp", "kind": "food"}, "seat 0 burns Imp for food"),
    ({"type": "build", "seat": 0, "x": -1, "y": 2}, "seat 0 builds at (-1, 2)"),
    ({"type": "build", "seat": 0, "x": -1, "y": 2, "turned": True}, "seat 0 builds at (-1, 2), turned"),
    ({"type": "order", "seat": 0, "side": "e"}, "seat 0 works off side e"),
    ({"type": "score", "seat": 0, "ep": 2}, "seat 0 gains 2 EP"),
    ({"type": "score", "seat": 0, "ep": -4}, "seat 0 loses 4 EP"),
    ({"type": "income", "seat": 0, "card": 1, "resource": 0}, "seat 0 steps up 1 card income"),
    ({"type": "draw", "seat": 0, "count": 1}, "seat 0 draws 1 card"),
    ({"type": "draw", "seat": 0, "count": 2, "cards": ["imp", "orc"]}, "seat 0 draws 2 cards: Imp, Orc"),
    ({"type": "deal", "seat": 0}, "seat 0 is dealt cards"),
    ({"type": "deal", "seat": 0, "cards": ["imp"]}, "seat 0 is dealt hell cards: Imp"),
    ({"type": "deal", "seat": 0, "knowledge": ["strategy"]}, "seat 0 is dealt knowledge cards: Strategy"),
    ({"type": "payments"}, "the payment cards are laid out"),
    ({"type": "reveal", "round": 3, "cards": ["lean_season"]}, "round 3 will ask Lean Season"),
    ({"type": "supers", "tiles": ["super_market"]}, "super workplaces: Market"),
    ({"type": "deck", "count": 9}, "9 hell cards are shuffled"),
    ({"type": "knowledge"}, "the knowledge cards are shuffled"),
    ({"type": "round", "round": 2}, "round 2 begins"),
    ({"type": "round", "round": 4, "super": "super_market"}, "round 4 begins; the super Market is laid"),
    ({"type": "roll", "dice": [[1, 2, 3], [4, 5, 6]]}, "all seats roll: 0: 1 2 3, 1: 4 5 6"),
    ({"type": "dice", "seat": 1, "faces": [2, 6]}, "seat 1 rolls 2 6"),
    ({"type": "tiles", "order": [1, 0]}, "tile order: seat 1, seat 0"),
    (
        {"type": "end", "scores": [21, 30], "knowledge": ["strategy", "spy_network"]},
        "the match ends: seat 0 21 with Strategy; seat 1 30 with Spy Network",
    ),
]


@pytest.mark.parametrize(("event", "line"), LINES, ids=[line for _, line in LINES])
def test_an_event_is_one_line(event: dict[str, Any], line: str) -> None:
    """What each kind of event reads like."""
    assert GAME.describe(event) == line


def test_every_kind_of_event_has_words() -> None:
    """No event of a match is printed as its bare type."""
    known = {event["type"] for event, _ in LINES}
    for seed in range(6):
        state, rng = GAME.new(4, {"super_workplaces": True}), Random(seed)
        while state.to_act is not None:
            action = state.sample_chance(rng) if state.to_act == CHANCE else rng.choice(state.legal_actions())
            for event in state.apply(action):
                assert event.type in known
