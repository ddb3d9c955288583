"""The components and the setup of Please Don't Burn My Village!: rules R1 and R2."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

from engine.burn_my_village import GAME
from engine.burn_my_village.actions import DRAW, Shuffle, Track
from engine.burn_my_village.components import COMPONENTS, NAMES, TYPES
from engine.core import CHANCE, IllegalAction
from tests.engine.burn_my_village.positions import (
    bribe,
    buy,
    column,
    dealt,
    hand,
    letters,
    market,
    names,
    position,
    set_up,
    track,
)

TREASURES = "14A 14F 14S 14B 14C 14R"


def test_the_components() -> None:
    """R1.1 to R1.6: six types in order, 84 treasures in equal parts, 20 Wilds in the box, six spaces with rising
    values of which one is 4, four stalls priced by their number.
    """
    assert TYPES == ("axe", "feather", "scroll", "sword", "crown", "relic")
    assert (*TYPES, "wild") == NAMES
    assert COMPONENTS["treasure_cards"]["total"] == 6 * COMPONENTS["treasure_cards"]["per_type"] == 84
    assert COMPONENTS["wild_cards"]["in_box"] == 20
    for text, values in COMPONENTS["track"]["choices"].items():
        assert text == "".join(map(str, values))
        assert len(values) == COMPONENTS["track"]["spaces"] == 6
        assert values == sorted(values)
        assert set(values) == {1, 2, 3, 4}
        assert values.count(4) == 1
    assert COMPONENTS["stalls"]["prices"] == {"0": 0, "1": 1, "2": 2, "3": 3}
    state = GAME.new(2)
    assert state.observation(None)["values"] == [1, 1, 2, 2, 3, 4]
    assert Counter(state.deck) == {**dict.fromkeys(range(6), 14), 6: 8}


def test_what_lies_in_front_of_a_seat() -> None:
    """R1.7: one column a type; the discard pile is one for all."""
    state = position(["AAF", "S"], "AAA", stalls={1: "C", 2: "R"})
    for action in (bribe("A1+0"), buy(1, "S", "S"), bribe("A1+0"), DRAW):
        state.apply(action)
    assert column(state, 0) == "A2+0"
    assert letters(state.discards) == "S"


def test_the_track_is_drawn_first() -> None:
    """R2.1: an even order of the six types, entry 0 on space 0; nothing else is accepted."""
    state = GAME.new(2)
    assert (state.to_act, state.chance_key) == (CHANCE, "track")
    rng = Random(1)
    lowest = Counter(GAME.new(2).sample_chance(rng)[0][0] for _ in range(3000))
    assert set(lowest) == set(TYPES)
    assert all(420 < count < 580 for count in lowest.values())
    wrong: list[Any] = [Track(names("AFSBC")), Track(names("AFSBCC")), Shuffle(names("AFSBCR")), DRAW]
    for action in wrong:
        with pytest.raises(IllegalAction):
            state.apply(action)
    (event,) = state.apply(Track(names("RAFSBC")))
    assert event.seen_by(None) == {"type": "track", "order": list(names("RAFSBC"))}
    assert track(state) == "RAFSBC"
    assert state.chance_key == "shuffle"


@pytest.mark.parametrize("choice", ["scaled", "trimmed", "all"])
@pytest.mark.parametrize("start", [0, 1, 2])
@pytest.mark.parametrize("seats", GAME.seats)
def test_decks_after_setup(choice: str, start: int, seats: int) -> None:
    """R2.2, R2.3, R2.6: Wilds by option and seats; hands and market leave the deck that the table of sizes says."""
    state = dealt(seats, 1, {"wilds": choice, "market_start": start})
    wilds = COMPONENTS["wilds_used"][choice][str(seats)]
    assert len(state.deck) == 84 + wilds
    seen = state.observation(None)
    assert seen["wilds"] == wilds
    assert seen["deck"] == COMPONENTS["deck_after_setup"][choice][f"market_start_{start}"][str(seats)]
    assert [len(goods) for goods in state.stalls] == [start] * 4


def test_a_shuffle_must_be_of_the_used_cards() -> None:
    """R2.3: another multiset is refused and changes nothing; an even shuffle puts every name first in proportion."""
    state = GAME.new(2)
    state.apply(Track(names("AFSBCR")))
    before = state.clone()
    for text in (f"{TREASURES} 7W", f"{TREASURES} 9W", "15A 13F 14S 14B 14C 14R 8W"):
        with pytest.raises(IllegalAction):
            state.apply(Shuffle(names(text)))
    assert state == before
    rng = Random(1)
    first = Counter(GAME.encode(state.sample_chance(rng))["order"][0] for _ in range(4000))
    assert 260 < first["wild"] < 440  # 8 of 92 is 348
    assert all(500 < first[name] < 720 for name in TYPES)  # 14 of 92 is 609


def test_hands_then_market_then_seat_0() -> None:
    """R2.4, R2.5, R2.7: seven cards a seat in order, then the market row by row; Wilds there stop nothing."""
    first = names("7A 7F 7S W B W C R A F S")
    order = [*first, *rest_of(first, 12)]
    state = GAME.new(3, {"market_start": 2})
    state.apply(Track(names("AFSBCR")))
    events = state.apply(Shuffle(tuple(order)))
    assert [hand(state, seat) for seat in range(3)] == ["A" * 7, "F" * 7, "S" * 7]
    assert market(state) == {3: "WR", 2: "BA", 1: "WF", 0: "CS"}
    assert state.to_act == 0
    assert [event.type for event in events] == ["shuffle", "deal", "deal", "deal", "market"]
    assert events[0].seen_by(0) == {"type": "shuffle", "cards": 96}
    assert events[2].seen_by(1)["cards"] == {"feather": 7}
    assert "cards" not in events[2].seen_by(0)
    assert events[4].seen_by(None)["placed"][:2] == [[3, "wild"], [2, "sword"]]


def rest_of(dealt_names: tuple[str, ...], wilds: int) -> list[str]:
    """The pack without these cards."""
    pack = list(names(f"{TREASURES} {wilds}W"))
    for name in dealt_names:
        pack.remove(name)
    return pack


def test_the_whole_setup_by_letters() -> None:
    """R2.1 to R2.4 with four seats: hands in seat order from one deck."""
    state = set_up(4, "RCBSFA", f"{TREASURES} 16W")
    assert [hand(state, seat) for seat in range(4)] == ["A" * 7, "A" * 7, "F" * 7, "F" * 7]
    assert track(state) == "RCBSFA"
