"""Points, knowledge cards and ranks (R10)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from engine.core import ranks_from_scores
from engine.hell_village.position import Position

COUNTS: Final[dict[str, Callable[[Position, int], int]]] = {
    "demons_in_play": lambda state, seat: len(state.demons[seat]),
    "plans_in_play": lambda state, seat: len(state.plans[seat]),
    "industries_owned": lambda state, seat: len(state.industries[seat]),
    "sacrifice_left": lambda state, seat: state.stock[3 * seat],
    "armor_left": lambda state, seat: state.stock[3 * seat + 1],
    "food_left": lambda state, seat: state.stock[3 * seat + 2],
    "cards_in_hand": lambda state, seat: len(state.hands[seat]),
    "card_income": lambda state, seat: state.income[2 * seat],
    "resource_income": lambda state, seat: state.income[2 * seat + 1],
    "sets_demon_plan_industry": lambda state, seat: min(
        len(state.demons[seat]), len(state.plans[seat]), len(state.industries[seat])
    ),
}
"""What a knowledge card can count (R10.2), by its name in the tables."""


def knowledge_ep(state: Position, seat: int, name: str) -> int:
    """Return the EP that a knowledge card would give the seat now (R10.2)."""
    card = state.rules.tables.knowledge[name]
    return min(card.cap, card.each * COUNTS[card.count](state, seat))


def scores(state: Position) -> tuple[float, ...]:
    """Return the points of each seat. The knowledge card counts only at the end (R10.1, R10.4)."""
    cards = state.rules.tables.cards
    found = []
    for seat in range(state.seats):
        ep = state.ep[seat]
        for group in (state.demons, state.plans, state.industries):
            for number in group[seat]:
                ep += cards[number].ep
        name = state.knowledge[seat]
        if state.to_act is None and name is not None:
            ep += knowledge_ep(state, seat, name)
        found.append(ep)
    return tuple(found)


def ranks(state: Position) -> tuple[int, ...]:
    """Return the rank of each seat. Ties are shared, or broken by the resources left (R10.3)."""
    points: list[Any] = list(scores(state))
    if state.rules.tie_by_resources:
        points = [(ep, sum(state.stock[3 * seat : 3 * seat + 3])) for seat, ep in enumerate(points)]
    return ranks_from_scores(points)
