"""The actions of a seat: bribe, buy and draw (R4 to R6), and the end of a match (R7).

`bribe`, `buy` and `draw` play one action and return what happened. They raise `IllegalAction`, and change nothing, if
the action is not allowed.
"""

from __future__ import annotations

from typing import Final

from engine.burn_my_village import scoring
from engine.burn_my_village.actions import BRIBES, BUYS, DRAW, Bribe, Buy
from engine.burn_my_village.choices import legal_actions
from engine.burn_my_village.components import CODES, FIRST_STALL, NAMES, SEATS, TOP_SPACE, WILD
from engine.burn_my_village.counts import (
    GUARD,
    GUARDS,
    SHIFTS,
    UNITS,
    WILD_SHIFT,
    as_json,
    pack_cards,
    remove_up_to,
)
from engine.burn_my_village.position import Position
from engine.core import Event

DRAWN: Final = tuple(
    tuple(Event("draw", {"seat": seat}, {seat: {"card": name}}) for name in NAMES) for seat in range(SEATS.stop)
)
"""The event of a draw, by seat and card code, created once."""


def bribe(state: Position, seat: int, action: Bribe) -> tuple[Event, ...]:
    """Put cards into a column, move the token up the track, and refill the stalls (R4)."""
    treasure, count, wilds, _ = action
    if action not in BRIBES:
        raise state.refusal(action, "no such bribe can ever be made")
    code = CODES[treasure]
    shift = SHIFTS[code]
    cost = (count << shift) + (wilds << WILD_SHIFT)
    # What everybody can see is checked first. A message must not depend on cards that its reader may not see.
    if not count and not state.bribed[seat] >> shift & GUARD:
        raise state.refusal(action, f"Wilds alone need a column of {treasure}")
    hand = state.hands[seat]
    if ((hand | GUARDS) - cost) & GUARDS != GUARDS:
        raise state.refusal(action, "the hand does not hold these cards")
    spend(state, seat, cost)
    state.columns[seat] += count << shift
    state.wilds[seat] += wilds << shift
    state.bribed[seat] |= GUARD << shift
    track = state.track
    start = track.index(code)
    space = min(TOP_SPACE, start + count + wilds)
    if space > start:
        track.insert(space, track.pop(start))
    bribed = Event(
        "bribe",
        {"seat": seat, "treasure": treasure, "cards": count, "wilds": wilds, "from": start, "to": space},
    )
    placed, stopped = refill(state, code)
    refilled = Event("refill", {"seat": seat, "placed": placed})
    return (bribed, refilled) if stopped else (bribed, refilled, end(state, seat, "refill"))


def refill(state: Position, code: int) -> tuple[list[list[object]], bool]:
    """Deal cards to the stalls until a card of the type or a Wild appears (R4.5 to R4.8).

    Return each dealt card with its stall, and whether such a card appeared.
    """
    stalls = state.stalls
    stall = state.next_stall
    placed: list[list[object]] = []
    stopped = False
    for card in state.deck[state.top :]:
        stalls[stall] += (card,)
        placed.append([stall, NAMES[card]])
        stall = stall - 1 if stall else FIRST_STALL
        if card in (code, WILD):
            stopped = True
            break
    state.top += len(placed)
    if state.rules.refill_continues:
        state.next_stall = stall
    return placed, stopped


def buy(state: Position, seat: int, action: Buy) -> tuple[Event, ...]:
    """Pay for a stall, take its cards, curse a type (R5)."""
    purchase = BUYS.get(action)
    if purchase is None:
        raise state.refusal(action, "no such purchase can ever be made")
    stall, cost, curse, pay = purchase
    goods = state.stalls[stall]
    if not goods:
        raise state.refusal(action, f"stall {stall} is empty")
    start = space = None
    if cost:
        hand = state.hands[seat]
        if ((hand | GUARDS) - cost) & GUARDS != GUARDS:
            raise state.refusal(action, "the hand does not hold these cards")
        spend(state, seat, cost)  # pay before taking the goods, since they cannot pay for themselves (R5.3)
        state.discards += cost
        track = state.track
        start = track.index(curse)
        space = max(0, start - stall)
        if space < start:
            track.insert(space, track.pop(start))
    taken = pack_cards(goods)
    state.hands[seat] += taken
    state.known[seat] += taken
    state.stalls[stall] = ()
    public = {
        "seat": seat,
        "stall": stall,
        "pay": pay,
        "curse": action.curse,
        "from": start,
        "to": space,
        "taken": [NAMES[card] for card in goods],
    }
    return (Event("buy", public),)


def draw(state: Position, seat: int) -> tuple[Event, ...]:
    """Take the first card of the deck. The match ends if there is none (R6)."""
    if state.top == len(state.deck):
        if state.rules.draw_only_if_forced and legal_actions(state)[0] is not DRAW:
            raise state.refusal(DRAW, "the deck is empty and something else can be done")
        return (end(state, seat, "empty_draw"),)
    card = state.deck[state.top]
    state.top += 1
    state.hands[seat] += UNITS[card]
    return (DRAWN[seat][card],)


def spend(state: Position, seat: int, cost: int) -> None:
    """Take cards from a hand. The cards that everybody knows are spent first (R9.2)."""
    state.hands[seat] -= cost
    if state.known[seat]:
        state.known[seat] = remove_up_to(state.known[seat], cost)


def end(state: Position, seat: int, cause: str) -> Event:
    """End the match: open the hands, and join their Treasures to the columns (R7)."""
    state.ended = cause
    state.to_act = None
    before = [as_json(hand) for hand in state.hands]
    joined = [scoring.joining(*pair) for pair in zip(state.hands, state.columns, strict=True)]
    for player, cards in enumerate(joined):
        state.hands[player] -= cards
        state.columns[player] += cards
    state.known = state.hands[:]  # hands are open now (R7.5)
    return Event("end", {"cause": cause, "seat": seat, "hands": before, "joined": [as_json(cards) for cards in joined]})
