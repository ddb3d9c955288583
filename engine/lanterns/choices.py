"""The legal actions of each step of a go, in the order of the table of decisions in RULES.md."""

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
    """Return every legal action of the seat to act. Return nothing while a chance is pending and at the end."""
    step = state.step
    if step == PLACE:
        actions: list[Action] = []
        add = actions.extend  # twice as fast as one iterator over all cells
        last = -1
        for tile in state.hands[state.seat]:  # ascending, so two copies of a face are neighbours
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
    """Return skip and every exchange that the cards of seat and supply allow (R5)."""
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
