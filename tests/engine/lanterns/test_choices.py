"""The cached lists of sets and exchanges agree with simple counting."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.lanterns.actions import DEDICATIONS
from engine.lanterns.choices import dedications, exchanges
from engine.lanterns.components import COLOURS
from engine.lanterns.go import go_on
from tests.engine.lanterns.matches import slow
from tests.engine.lanterns.table import start


@slow
@given(st.lists(st.integers(0, 8), min_size=7, max_size=7).filter(lambda counts: sum(counts) >= 11))
def test_eleven_cards_contain_a_set(counts: list[int]) -> None:
    """I14: whoever holds eleven cards holds a set; so a seat over the limit was always offered a dedication."""
    state = start(2, 0)
    state.held[0] = sum(number << 8 * colour for colour, number in enumerate(counts))
    go_on(state, "exchange")
    assert state.step == "dedicate"


@given(st.lists(st.integers(0, 8), min_size=7, max_size=7))
def test_sets_are_found_as_by_counting(counts: list[int]) -> None:
    """R6.1: the kept lists of sets agree with plain counting, in the order of the table."""
    state = start(2, 0)
    state.held[0] = sum(number << 8 * colour for colour, number in enumerate(counts))
    held = dict(zip(COLOURS, counts, strict=True))
    expected = [cards for cards in DEDICATIONS if all(held[letter] >= cards.count(letter) for letter in cards)]
    assert [action.cards for action in dedications(state)[1:]] == expected  # type: ignore[attr-defined]


@given(
    st.lists(st.integers(0, 4), min_size=7, max_size=7),
    st.lists(st.integers(0, 4), min_size=7, max_size=7),
)
def test_exchanges_are_found_as_by_counting(mine: list[int], supply: list[int]) -> None:
    """R5.1: the kept lists of exchanges agree with plain counting, in the order of the table."""
    state = start(2, 0)
    state.held[0] = sum(number << 8 * colour for colour, number in enumerate(mine))
    state.supply = sum(number << 8 * colour for colour, number in enumerate(supply))
    expected = [
        (COLOURS[give], COLOURS[take])
        for give in range(7)
        for take in range(7)
        if give != take and mine[give] and supply[take]
    ]
    assert [action[:2] for action in exchanges(state)[1:]] == expected
