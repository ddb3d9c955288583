"""One go: exchange, dedicate, discard down to the limit, place a tile, draw (R4 to R8).

`exchange`, `dedicate`, `discard` and `place` play one action of their step and return what happened. They raise
`IllegalAction`, and change nothing, if the action is not allowed.
"""

from __future__ import annotations

from bisect import bisect_left, insort

from engine.core import Action, Event
from engine.lanterns import lake
from engine.lanterns.actions import COST, KIND_OF_LENGTH, PLACEMENTS, SKIP, Place
from engine.lanterns.cards import ONE, count
from engine.lanterns.choices import dedications, discards, exchanges
from engine.lanterns.components import CARD_LIMIT, COLOUR_OF, EXCHANGE_PRICE, GENERIC_VALUE, cell_at
from engine.lanterns.events import dedicated, discarded, drawn, exchanged, placed, skipped
from engine.lanterns.position import Position
from engine.lanterns.steps import DEDICATE, DISCARD, EXCHANGE, OVER, PLACE


def exchange(state: Position, action: Action) -> tuple[Event, ...]:
    """Swap a card with the supply for favor tokens, or skip (R5)."""
    if action not in exchanges(state):
        raise state.refusal(action)
    state.turn += 1
    seat = state.seat
    if action == SKIP:
        go_on(state, DEDICATE)
        return skipped(seat, EXCHANGE)
    give, take, _type = action
    difference = ONE[COLOUR_OF[take]] - ONE[COLOUR_OF[give]]
    state.held[seat] += difference
    state.supply -= difference
    state.favor[seat] -= EXCHANGE_PRICE
    state.favor_supply += EXCHANGE_PRICE
    go_on(state, DEDICATE)
    return exchanged(seat, give, take)


def dedicate(state: Position, action: Action) -> tuple[Event, ...]:
    """Return a set of cards for a token, or skip (R6)."""
    if action not in dedications(state):
        raise state.refusal(action)
    state.turn += 1
    seat = state.seat
    if action == SKIP:
        go_on(state, DISCARD)
        return skipped(seat, DEDICATE)
    cards = action[0]
    state.held[seat] -= COST[cards]
    state.supply += COST[cards]
    kind = KIND_OF_LENGTH[len(cards)]
    tokens = state.dedications[kind]
    if tokens:
        value = tokens[0]
        state.dedications[kind] = tokens[1:]
    else:
        value = GENERIC_VALUE
        if state.generic_left is not None:
            state.generic_left -= 1
    state.taken[seat] += (value,)
    go_on(state, DISCARD)
    return dedicated(seat, cards, value)


def discard(state: Position, action: Action) -> tuple[Event, ...]:
    """Return one card because of the limit (R7)."""
    if action not in discards(state):
        raise state.refusal(action)
    state.turn += 1
    seat = state.seat
    letter = action[0]
    card = ONE[COLOUR_OF[letter]]
    state.held[seat] -= card
    state.supply += card
    events = discarded(seat, letter)
    if count(state.held[seat]) > CARD_LIMIT:
        return events
    if state.rules.limit_before_place:
        go_on(state, PLACE)
        return events
    return events + finish_placing(state)


def place(state: Position, action: Action) -> tuple[Event, ...]:
    """Put a tile on the lake, pay every seat, draw (R8)."""
    seat = state.seat
    hand = state.hands[seat]
    if type(action) is not Place or action.tile not in hand:
        raise state.refusal(action)
    cell = cell_at(action.x, action.y)
    frontier = state.frontier
    where = bisect_left(frontier, cell)
    # The last comparison also refuses coordinates that are too far out: `cell_at` gives them another cell's number.
    if where == len(frontier) or frontier[where] != cell or action not in PLACEMENTS[action.tile][cell]:
        raise state.refusal(action)
    state.turn += 1
    state.placements_left -= 1
    del frontier[where]
    left = list(hand)
    left.remove(action.tile)
    state.hands[seat] = tuple(left)
    code = 4 * action.tile + action.rotation
    bonus, favor = lake.lay(state, cell, code)
    events = placed(action, seat, bonus, favor, lake.pay_facing(state, code))
    if not state.rules.limit_before_place and count(state.held[seat]) > CARD_LIMIT:
        state.step = DISCARD
        return events
    return events + finish_placing(state)


def finish_placing(state: Position) -> tuple[Event, ...]:
    """Draw a tile for the placing seat, if there is one, and end its go (R8.6)."""
    seat = state.seat
    events: tuple[Event, ...] = ()
    if state.stack:
        tile = state.stack[0]
        state.stack = state.stack[1:]
        hand = list(state.hands[seat])
        insort(hand, tile)
        state.hands[seat] = tuple(hand)
        events = drawn(seat, tile)
    state.seat = (seat + 1) % state.rules.seats
    go_on(state, EXCHANGE)
    return events


def go_on(state: Position, step: str) -> None:
    """Move to the next step that has a choice, beginning with this step of the current go (R4.2, R4.3)."""
    while True:
        seat = state.seat
        if step == EXCHANGE:
            if state.favor[seat] >= EXCHANGE_PRICE and len(exchanges(state)) > 1:
                state.step = EXCHANGE
                return
            step = DEDICATE
        if step == DEDICATE:
            if len(dedications(state)) > 1:
                state.step = DEDICATE
                return
            step = DISCARD
        if step == DISCARD and state.rules.limit_before_place and count(state.held[seat]) > CARD_LIMIT:
            state.step = DISCARD
            return
        if state.placements_left:
            state.step = PLACE
            return
        # A final go ends here. All seats placed equally often, so the first final go is the start seat's (R10.1).
        state.seat = (seat + 1) % state.rules.seats
        if state.seat == state.start_seat:
            state.step = OVER
            return
        step = EXCHANGE
