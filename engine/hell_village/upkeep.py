"""Gaining, paying, the payment of a round, the hand limit and Salamander (R0.7, R7.11, R8, R9.1)."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from engine.core import Event
from engine.hell_village import actions, board, piles
from engine.hell_village.agenda import Step
from engine.hell_village.components import KINDS
from engine.hell_village.position import Position


def legal_gains(state: Position, step: Step) -> tuple[actions.Gain, ...]:
    """Return all splits that fit (R0.7)."""
    return board.gains(state, step[1], step[2])


def choose_gain(state: Position, out: list[Event], step: Step, action: actions.Gain) -> None:
    """Add the resources to the stock."""
    stock, at = state.stock, 3 * step[1]
    _, a, b, c = action
    stock[at] += a
    stock[at + 1] += b
    stock[at + 2] += c


def choose_pay(state: Position, out: list[Event], step: Step, action: actions.Pay) -> None:
    """Take the resources from the stock."""
    stock, at = state.stock, 3 * step[1]
    _, a, b, c = action
    stock[at] -= a
    stock[at + 1] -= b
    stock[at + 2] -= c


def can_burn(state: Position, seat: int) -> bool:
    """Return whether a burn is possible, whatever cards the seat holds (decisions marked B)."""
    return bool(state.powers[seat].burns and state.hands[seat] and board.total_room(state, seat))


def burns(state: Position, seat: int) -> list[Any]:
    """Return the burns of Salamander: each design in hand for each kind with room (R7.11)."""
    room = board.rooms(state, seat)
    cards = state.rules.tables.cards
    return [cards[number].burn[kind] for number in piles.designs(state, seat) for kind in range(3) if room[kind]]


def burn(state: Position, out: list[Event], seat: int, action: actions.Burn) -> None:
    """Discard the card and gain the resource. The decision stays open."""
    piles.discard(state, seat, action.card)
    gained = [0, 0, 0]
    gained[KINDS.index(action.kind)] = state.powers[seat].burns
    board.gain_kinds(state, out, seat, (gained[0], gained[1], gained[2]))


# --- payment of a round (R8) -----------------------------------------------------------------------------------------


def next_to_pay(state: Position, out: list[Event], step: Step) -> None:
    """Let the next seat in tile order owe what the cards of the round demand (R8.1)."""
    state.phase = "payment"
    index = step[1]
    if index == state.seats:
        state.phase = "end_of_round"
        state.agenda.append(("limits", 0))
        return
    state.agenda.append(("dues", index + 1))
    seat = state.order[index]
    owed = max(0, sum(demand(state)) - state.powers[seat].owed_less)
    if owed:
        state.agenda.append(("payment", seat, owed))


def demand(state: Position) -> tuple[int, int, int, int]:
    """Return the total demand of the payment cards of this round: each kind, and any kind."""
    a = b = c = d = 0
    payments = state.rules.tables.payments
    for name in state.payments[state.round - 1]:
        card = payments[name]
        a += card.kinds[0]
        b += card.kinds[1]
        c += card.kinds[2]
        d += card.any
    return a, b, c, d


@lru_cache(maxsize=4096)
def payments(asked: tuple[int, int, int, int], owed: int, a: int, b: int, c: int) -> tuple[actions.Pay, ...]:
    """Return all allowed payments with this stock of each kind (R8.2)."""
    x, y, z, free = asked
    found = []
    for p in range(min(a, x + free) + 1):
        over_p = max(0, p - x)
        for q in range(min(b, y + free) + 1):
            over_q = over_p + max(0, q - y)
            if over_q > free:
                break
            for r in range(min(c, z + free) + 1):
                if over_q + max(0, r - z) > free or p + q + r > owed:
                    break
                found.append(actions.pay(p, q, r))
    return tuple(found)


def legal_payments(state: Position, step: Step) -> tuple[Any, ...]:
    """Return all allowed payments, then burns."""
    _, seat, owed = step
    asked = demand(state)
    free = asked[3]
    a, b, c = state.stock[3 * seat : 3 * seat + 3]
    found = payments(asked, owed, min(a, asked[0] + free), min(b, asked[1] + free), min(c, asked[2] + free))
    if state.powers[seat].burns:
        return (*found, *burns(state, seat))
    return found


def choose_payment(state: Position, out: list[Event], step: Step, action: actions.Pay) -> None:
    """Pay. Each unpaid resource costs EP (R8.3)."""
    _, seat, owed = step
    choose_pay(state, out, step, action)
    unpaid = owed - action[1] - action[2] - action[3]
    board.score(state, out, seat, -unpaid * state.powers[seat].ep_per_unpaid)


# --- hand limit (R9.1) -----------------------------------------------------------------------------------------------


def next_to_discard(state: Position, out: list[Event], step: Step) -> None:
    """Let the next seat in tile order discard down to the hand limit."""
    index = step[1]
    if index == state.seats:
        state.agenda.append(("close",))
        return
    state.agenda.append(("limits", index + 1))
    state.agenda.append(("discard", state.order[index]))


def legal_discards(state: Position, step: Step) -> list[Any]:
    """Return each design in hand, then burns."""
    seat = step[1]
    cards = state.rules.tables.cards
    found: list[Any] = [cards[number].discard for number in piles.designs(state, seat)]
    if state.powers[seat].burns:
        found += burns(state, seat)
    return found


def choose_discard(state: Position, out: list[Event], step: Step, action: actions.Discard) -> None:
    """Discard the card. The decision is repeated while there are too many cards."""
    piles.discard(state, step[1], action.card)
    state.agenda.append(step)
