"""The Audience Room and playing a card: price, payment, and effects (R7.1-R7.6, R11.3)."""

from __future__ import annotations

from typing import Any

from engine.core import Event
from engine.hell_village import actions, board, piles, upkeep
from engine.hell_village.agenda import Step
from engine.hell_village.components import LABORATORY, Card, Extra
from engine.hell_village.demons import own_trigger, powers_of
from engine.hell_village.position import Position
from engine.hell_village.workplaces import own_dice

_ONE = (actions.gain(1, 0, 0), actions.gain(0, 1, 0), actions.gain(0, 0, 1))


def legal_audience(state: Position, step: Step) -> list[Any]:
    """Return skip, one resource, each playable design, then burns (R7.1)."""
    _, seat, value = step
    found: list[Any] = [actions.SKIP]
    count = state.rules.tables.audience_resource
    if count == 1:
        stock, limit, at = state.stock, state.rules.tables.stock_limit, 3 * seat
        # The list is sorted by its numbers, so food is first.
        found += [_ONE[kind] for kind in (2, 1, 0) if stock[at + kind] < limit]
    else:
        found += [split for split in board.gains(state, seat, count) if split != actions.gain(0, 0, 0)]
    if state.hands[seat]:
        found += playable(state, seat, (value,))
        if state.powers[seat].burns:
            found += upkeep.burns(state, seat)
    return found


def legal_super_lab(state: Position, step: Step) -> list[Any]:
    """Return skip, each playable design, then burns (R11.3)."""
    seat = step[1]
    found: list[Any] = [actions.SKIP, *playable(state, seat, own_dice(state, seat, LABORATORY))]
    if state.powers[seat].burns:
        found += upkeep.burns(state, seat)
    return found


def playable(state: Position, seat: int, dice: tuple[int, ...]) -> list[actions.Play]:
    """Return the play of each design in hand that shows one of these dice and that the seat can pay for (R7.2)."""
    cards = state.rules.tables.cards
    stock, at = state.stock, 3 * seat
    x, y, z = stock[at], stock[at + 1], stock[at + 2]
    discounts = state.powers[seat].discounts
    found = []
    for number in piles.designs(state, seat):
        card = cards[number]
        shown = card.dice
        for die in dice:
            if die in shown:
                break
        else:
            continue
        a, b, c = card.cost
        if discounts:
            if min(a, x) + min(b, y) + min(c, z) < price(state, seat, card):
                continue
        elif a > x or b > y or c > z:
            continue
        if card.kind == "industry" and len(state.industries[seat]) >= state.rules.tables.industry_limit:
            continue
        found.append(card.play)
    return found


def price(state: Position, seat: int, card: Card) -> int:
    """Return the number of resources to pay for the card, after discounts (R7.3)."""
    return max(0, card.total - state.powers[seat].discount(card.kind, card.total))


def choose_play(state: Position, out: list[Event], step: Step, action: Any) -> None:
    """Take a resource, play a card, or do nothing, in the Audience Room or the super Laboratory."""
    seat = step[1]
    if action[0] == "gain":
        upkeep.choose_gain(state, out, step, action)
    elif action[0] == "play":
        number = piles.leave_hand(state, seat, action.card)
        state.agenda.append(("played", seat, number))
        state.agenda.append(("cost", seat, number))


def legal_costs(state: Position, step: Step) -> tuple[actions.Pay, ...]:
    """Return the ways to pay the price with the printed resources (R7.3) that lead to different positions."""
    _, seat, number = step
    card = state.rules.tables.cards[number]
    stock = board.stock_of(state, seat)
    a, b, c = (min(printed, held) for printed, held in zip(card.cost, stock, strict=True))
    found = board.pay_splits(price(state, seat, card), a, b, c)
    if len(found) < 2 or not (card.gain_any or any(card.gain)):
        return found
    # What the plan gives may make two payments equal (R0.4).
    limit = state.rules.tables.stock_limit
    seen = set()
    distinct = []
    for action in found:
        _, x, y, z = action
        after = board.plus((stock[0] - x, stock[1] - y, stock[2] - z), card.gain, limit)
        result = board.after_gain(after, limit, card.gain_any)
        if result not in seen:
            seen.add(result)
            distinct.append(action)
    return tuple(distinct)


def played(state: Position, out: list[Event], step: Step) -> None:
    """Resolve a paid card: first demons in play give EP, then the card has its effect (R7.4)."""
    _, seat, number = step
    card = state.rules.tables.cards[number]
    powers = state.powers[seat]
    ep = powers.ep_for(card.kind)
    if state.rules.self_trigger:
        ep += own_trigger(card)
    board.score(state, out, seat, ep)
    draws = powers.draws_for(card.kind)
    if draws:
        state.agenda.append(("draw", seat, draws))
    if card.kind == "demon":
        state.demons[seat] = (*state.demons[seat], number)
        state.powers[seat] = powers_of(state.rules.tables, state.demons[seat])
    elif card.kind == "plan":
        state.plans[seat] = (*state.plans[seat], number)
        board.give(state, out, seat, Extra(card.gain, any=card.gain_any))
    else:
        state.agenda.append(("build", seat, number))
