"""What a seat may choose in each step of its go, in the order of the rules' table of decisions."""

from __future__ import annotations

from collections.abc import Sequence

from engine.core import Action
from engine.lanterns.actions import (
    DEDICATION_LISTS,
    DISCARD_LISTS,
    EXCHANGE_LISTS,
    KIND_OF_LENGTH,
    PLACEMENTS,
    SKIP,
)
from engine.lanterns.cards import presence, set_key
from engine.lanterns.position import Position
from engine.lanterns.steps import DEDICATE, DISCARD, EXCHANGE, PLACE


def legal_actions(state: Position) -> Sequence[Action]:
    """Every allowed action, in the order of the rules' table of decisions; empty for chance and at the end."""
    step = state.step
    if step == PLACE:
        actions: list[Action] = []
        add = actions.extend  # four at a time: twice as fast as chaining the cells into one iterator
        last = -1
        for tile in state.hands[state.seat]:  # ascending, so the two copies of a face are neighbours
            if tile != last:
                for placements in map(PLACEMENTS[tile].__getitem__, state.frontier):
                    add(placements)
                last = tile
        return actions
    if step == DEDICATE:
        return dedications(state)
    if step == EXCHANGE:
        return exchanges(state)
    if step == DISCARD:
        return discards(state)
    return ()


def exchanges(state: Position) -> tuple[Action, ...]:
    """Return skip and every exchange that can be made with these cards (R5)."""
    return EXCHANGE_LISTS[presence(state.held[state.seat]) | presence(state.supply) >> 1]


def dedications(state: Position) -> tuple[Action, ...]:
    """Return skip and every dedication (R6)."""
    actions = DEDICATION_LISTS[set_key(state.held[state.seat])]
    if state.generic_left == 0:
        return tuple(
            action for action in actions if action == SKIP or state.dedications[KIND_OF_LENGTH[len(action[0])]]
        )
    return actions


def discards(state: Position) -> tuple[Action, ...]:
    """Return one discard for each colour held (R7)."""
    return DISCARD_LISTS[presence(state.held[state.seat])]
