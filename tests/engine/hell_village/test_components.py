"""The components of Hell Village: rules R1."""

from __future__ import annotations

from engine.hell_village import GAME
from tests.engine.hell_village.table import (
    TABLES,
    listed,
    position,
)


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
