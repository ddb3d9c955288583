"""The legal actions of a seat, as section "Decisions" of RULES.md lists them, in its order."""

from __future__ import annotations

from collections.abc import Sequence

from engine.burn_my_village.actions import DRAW, TAKE_FREE, bribe_rows, buys_of
from engine.burn_my_village.components import TYPES
from engine.burn_my_village.counts import FIELD, SHIFTS, WILD_SHIFT, at_most
from engine.burn_my_village.position import Position
from engine.core import Action

SHIFT_0, SHIFT_1, SHIFT_2, SHIFT_3, SHIFT_4, SHIFT_5 = SHIFTS[: len(TYPES)]


def legal_actions(state: Position) -> Sequence[Action]:
    """Return every legal action of the seat to act. Return nothing while a chance is pending and at the end."""
    seat = state.to_act
    if not isinstance(seat, int):
        return ()
    hand = state.hands[seat]
    legal: list[Action] = [DRAW]
    free, one, two, three = state.stalls
    if free:
        legal.append(TAKE_FREE)
    if one:
        legal += buys_of(1, at_most(hand, 1))
    if two:
        legal += buys_of(2, at_most(hand, 2))
    if three:
        legal += buys_of(3, at_most(hand, 3))
    rows = bribe_rows(hand >> WILD_SHIFT)
    index = hand | state.bribed[seat]
    legal += rows[0][index >> SHIFT_0 & FIELD]
    legal += rows[1][index >> SHIFT_1 & FIELD]
    legal += rows[2][index >> SHIFT_2 & FIELD]
    legal += rows[3][index >> SHIFT_3 & FIELD]
    legal += rows[4][index >> SHIFT_4 & FIELD]
    legal += rows[5][index >> SHIFT_5 & FIELD]
    if state.rules.draw_only_if_forced and state.top == len(state.deck) and len(legal) > 1:
        del legal[0]
    return legal
