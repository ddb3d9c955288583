"""The two chances that begin a match: the track, then the deck, hands and market (R2)."""

from __future__ import annotations

from random import Random

from engine.burn_my_village.actions import Shuffle, Track
from engine.burn_my_village.components import CODES, FIRST_STALL, NAMES, TYPES
from engine.burn_my_village.counts import as_json, pack_cards
from engine.burn_my_village.position import Position
from engine.core import CHANCE, Action, Event


def chance_key(state: Position) -> str:
    """Return the name of the pending chance: `track`, then `shuffle`. Raises `LookupError` if none is pending."""
    if state.to_act != CHANCE:
        raise LookupError("no chance is pending")
    return "shuffle" if state.track else "track"


def sample(state: Position, rng: Random) -> Action:
    """Return an order of the six types, or later of the whole deck. All orders are equally likely."""
    if chance_key(state) == "track":
        return Track(tuple(rng.sample(TYPES, len(TYPES))))
    deck = list(state.deck)
    rng.shuffle(deck)
    return Shuffle(tuple([NAMES[code] for code in deck]))


def apply(state: Position, action: Action) -> tuple[Event, ...]:
    """Play an outcome of the pending chance (R2)."""
    if state.to_act is None:
        raise state.refusal(action, "the match is over")
    if chance_key(state) == "track":
        if not isinstance(action, Track) or sorted(action.order) != sorted(TYPES):
            raise state.refusal(action, "the order of all six types is to be drawn first")
        state.track = [CODES[name] for name in action.order]
        return (Event("track", {"order": list(action.order)}),)
    if not isinstance(action, Shuffle) or sorted(action.order) != sorted([NAMES[code] for code in state.deck]):
        raise state.refusal(action, "a shuffle of all used cards is due")
    state.deck = tuple([CODES[name] for name in action.order])
    return _set_up(state)


def _set_up(state: Position) -> tuple[Event, ...]:
    """Deal the hands and the first market (R2.4, R2.5)."""
    events = [Event("shuffle", {"cards": len(state.deck)})]
    count = state.rules.hand_at_start
    for seat in range(state.seats):
        state.hands[seat] = pack_cards(state.deck[state.top : state.top + count])
        state.top += count
        events.append(Event("deal", {"seat": seat, "count": count}, {seat: {"cards": as_json(state.hands[seat])}}))
    placed: list[list[object]] = []
    for _ in range(state.rules.market_start):
        for stall in range(FIRST_STALL, -1, -1):
            state.stalls[stall] += (state.deck[state.top],)
            placed.append([stall, NAMES[state.deck[state.top]]])
            state.top += 1
    events.append(Event("market", {"placed": placed}))
    state.to_act = 0
    return tuple(events)
