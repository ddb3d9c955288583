"""What all seats know about hidden cards in Hell Village: rules R12."""

from __future__ import annotations

from tests.engine.hell_village.table import (
    chance,
    deck,
    do,
    hand,
    listed,
    position,
    start,
)


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


def test_an_empty_pile_is_shuffled_when_a_card_is_needed_or_at_once() -> None:
    """R0.9, option `reshuffle`: after the last card of the pile is drawn, the discard pile waits for the next draw, or
    becomes the pile at once. With an empty discard pile nothing happens.
    """
    steps = [("bury", 0, 9), ("draw", 1, 2)]
    state = position(steps, 2, pile="imp orc", discard="witch ghost", hands={0: "human"})
    assert (state.to_act, state.observation(0)["pile"], state.pile_number) == (0, 0, 1)
    at_once = {"reshuffle": "when_empty"}
    state = position(steps, 2, pile="imp orc", discard="witch ghost", hands={0: "human"}, options=at_once)
    assert (state.to_act, state.chance_key) == ("chance", "deck:2")
    chance(state, deck(pool=sorted(state.discard)))
    assert (state.to_act, state.observation(0)["pile"], state.pile_number) == (0, 2, 2)
    for pile, discard in (("imp orc", ""), ("imp orc dagon", "witch")):
        state = position(steps, 2, pile=pile, discard=discard, hands={0: "human"}, options=at_once)
        assert (state.to_act, state.pile_number) == (0, 1)


def test_shown_cards_of_the_first_pile_are_counted() -> None:
    """R12.4: which cards of the first pile a seat has shown is open, whoever they were dealt to."""
    state = start(3, "imp orc dagon witch ghost  human medusa warlock mammon minotaur")
    do(state, "keep imp orc demonology", "keep human medusa soul_hoard")
    do(state, listed(state)[0])
    kept = {card for held in state.hands for card in held}
    state.agenda = [("bury", 1, 9), ("draw", 1, 2), ("deck", 1)]
    chance(state, deck("dagon goblin", pool=[card for card in range(76) if card not in kept]))
    do(state, "bury dagon", "bury human")
    for viewer in (None, 0, 1, 2):
        shown = [table["shown_from_first_pile"] for table in state.observation(viewer)["tables"]]
        assert shown == [[], ["dagon", "human"], []]
