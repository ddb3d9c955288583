"""The two chances that begin a match: which seat the red side faces, and how the tiles are dealt (R3)."""

from __future__ import annotations

from random import Random

from engine.core import Action, Event
from engine.lanterns.actions import ORIENTS, Orient, Shuffle
from engine.lanterns.cards import ONE
from engine.lanterns.components import COLOURS, SHOWN, START_CELL, START_TILE, STEPS
from engine.lanterns.events import dealt, oriented
from engine.lanterns.go import go_on
from engine.lanterns.position import Position
from engine.lanterns.steps import EXCHANGE, SETUP


def chance_key(state: Position) -> str:
    """Return the name of the pending chance. Raises `LookupError` after the setup: nothing later is random."""
    if state.step != SETUP:
        raise LookupError(f"no chance is pending in step {state.step}")
    return "orient" if state.start_seat is None else "shuffle"


def sample(state: Position, rng: Random) -> Action:
    """Return one outcome of the pending chance, all equally likely (R3.3, R3.4)."""
    if chance_key(state) == "orient":
        return ORIENTS[rng.randrange(state.seats)]
    order = list(state.rules.pool)
    rng.shuffle(order)
    return Shuffle(tuple(order))


def apply(state: Position, action: Action) -> tuple[Event, ...]:
    """Play an outcome of the pending chance."""
    return orient(state, action) if state.start_seat is None else deal(state, action)


def orient(state: Position, action: Action) -> tuple[Event, ...]:
    """Turn the start tile's red side to the start seat (R3.3)."""
    if type(action) is not Orient or action.seat not in range(state.seats):
        raise state.refusal(action)
    seat = action.seat
    rotation = (state.rules.sides[seat] - 1) % 4
    state.start_seat = state.seat = seat
    state.lake[START_CELL] = 4 * START_TILE + rotation
    state.frontier = sorted(START_CELL + step for step in STEPS)
    return oriented(seat, rotation)


def deal(state: Position, action: Action) -> tuple[Event, ...]:
    """Deal hands, stack, removed tiles, and a first card for every seat (R3.4, R3.5)."""
    if type(action) is not Shuffle or sorted(action.order) != list(state.rules.pool):
        raise state.refusal(action)
    rules, order = state.rules, action.order
    in_hands = rules.hand * rules.seats
    hands = [order[first : first + rules.hand] for first in range(0, in_hands, rules.hand)]
    state.hands = [tuple(sorted(hand)) for hand in hands]
    state.stack = order[in_hands : in_hands + rules.stack]
    state.removed = tuple(sorted(order[in_hands + rules.stack :]))
    shown = SHOWN[state.lake[START_CELL]]
    first_cards = [shown[side] for side in rules.sides]
    for seat, colour in enumerate(first_cards):
        state.supply -= ONE[colour]
        state.held[seat] += ONE[colour]
    go_on(state, EXCHANGE)
    return dealt([COLOURS[colour] for colour in first_cards], state.hands)
