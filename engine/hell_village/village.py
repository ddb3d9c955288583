"""The shared village: where an industry may be built, which edges match, and how matches are rewarded (R7.7-R7.10)."""

from __future__ import annotations

from typing import Any, Final

from engine.core import Event
from engine.hell_village import actions, board
from engine.hell_village.agenda import Step
from engine.hell_village.components import SIDES, Tables
from engine.hell_village.position import Position

START: Final = (0, 0)
STEPS: Final = {"n": (0, 1), "e": (1, 0), "s": (0, -1), "w": (-1, 0)}
OPPOSITE: Final = {"n": "s", "e": "w", "s": "n", "w": "e"}
REWARDS: Final = ("ep2", "card", "resource")
_ORDERS: Final = {side: actions.order(side) for side in SIDES}


def edge(edges: tuple[str, ...], side: str, turned: bool) -> str:
    """Return the symbol on a side of a card. A turned card shows the symbol of the opposite side."""
    return edges[SIDES.index(OPPOSITE[side] if turned else side)]


def matched(mine: str, other: str) -> str | None:
    """Return the reward of two touching edges, or `None` (R7.8).

    >>> matched("card", "equal"), matched("ep2", "ep2"), matched("equal", "equal"), matched("blank", "equal")
    ('card', 'ep2', None, None)
    """
    if mine in REWARDS and other in (mine, "equal"):
        return mine
    if mine == "equal" and other in REWARDS:
        return other
    return None


def empty_neighbours(state: Position) -> list[tuple[int, int]]:
    """Return the empty positions that share an edge with a card, sorted by (x, y)."""
    taken = state.village.keys() | {START}
    return sorted({(x + dx, y + dy) for x, y in taken for dx, dy in STEPS.values()} - taken)


def legal_builds(state: Position, step: Step) -> list[actions.Build]:
    """Return every empty neighbouring position. With the option `industry_turn`: upright, then turned (R7.7)."""
    spots = empty_neighbours(state)
    if not state.rules.industry_turn:
        return [actions.build(x, y) for x, y in spots]
    n, e, s, w = state.rules.tables.cards[step[2]].edges
    ways = (False,) if (n, e) == (s, w) else (False, True)
    return [actions.build(x, y, turned) for x, y in spots for turned in ways]


def choose_build(state: Position, out: list[Event], step: Step, action: actions.Build) -> None:
    """Build the card and score its ep2 sides at once. Other matches are resolved later (R7.10)."""
    _, seat, number = step
    _, x, y, turned = action
    state.village = {**state.village, (x, y): (number, seat, bool(turned))}
    state.industries[seat] = (*state.industries[seat], number)
    rest = ""
    for side in SIDES:
        symbol = symbol_at(state, x, y, side)
        if symbol == "ep2":
            owner = neighbour_owner(state, x, y, side)
            ep = state.rules.tables.match_ep
            if owner == seat:
                board.score(state, out, seat, 2 * ep)
            else:
                board.score(state, out, seat, ep)
                if owner is not None:
                    board.score(state, out, owner, ep)
        elif symbol:
            rest += side
    if rest:
        state.agenda.append(("order", seat, x, y, rest))


def card_at(state: Position, spot: tuple[int, int]) -> tuple[tuple[str, ...], int | None, bool] | None:
    """Return the edges and owner of the card at a position and whether it is turned, or `None`."""
    if spot == START:
        return state.rules.tables.start_edges, None, False
    if spot not in state.village:
        return None
    number, owner, turned = state.village[spot]
    return state.rules.tables.cards[number].edges, owner, turned


def symbol_at(state: Position, x: int, y: int, side: str) -> str | None:
    """Return what the side of the card at (x, y) earns with its neighbour."""
    mine = card_at(state, (x, y))
    dx, dy = STEPS[side]
    other = card_at(state, (x + dx, y + dy))
    if mine is None or other is None:
        return None
    return matched(edge(mine[0], side, mine[2]), edge(other[0], OPPOSITE[side], other[2]))


def neighbour_owner(state: Position, x: int, y: int, side: str) -> int | None:
    """Return the owner of the card on that side. The start land has no owner."""
    dx, dy = STEPS[side]
    other = card_at(state, (x + dx, y + dy))
    return other[1] if other else None


def legal_orders(state: Position, step: Step) -> list[Any]:
    """Return one side for each pair (symbol, owner of the neighbour), the first in the order n, e, s, w (R7.10)."""
    _, _, x, y, sides = step
    classes: dict[tuple[str | None, int | None], str] = {}
    for side in sides:
        classes.setdefault((symbol_at(state, x, y, side), neighbour_owner(state, x, y, side)), side)
    return [_ORDERS[side] for side in classes.values()]


def choose_order(state: Position, out: list[Event], step: Step, action: actions.Order) -> None:
    """Reward one side: first the playing seat, then the neighbour's owner, or one seat twice (R7.9)."""
    _, seat, x, y, sides = step
    side = action.side
    rest = sides.replace(side, "")
    if rest:
        state.agenda.append(("order", seat, x, y, rest))
    symbol = symbol_at(state, x, y, side)
    owner = neighbour_owner(state, x, y, side)
    if owner == seat:
        state.agenda.append(("reward", seat, symbol, 2))
        return
    if owner is not None:
        state.agenda.append(("reward", owner, symbol, 1))
    state.agenda.append(("reward", seat, symbol, 1))


def reward(state: Position, out: list[Event], step: Step) -> None:
    """Give a step of income, then the card or the resource itself, each `times` times (R7.9)."""
    _, seat, symbol, times = step
    tables: Tables = state.rules.tables
    if symbol == "card":
        steps, count = tables.match_card
        board.take_income_steps(state, out, seat, steps * times, 0)
        state.agenda.append(("draw", seat, count * times))
    else:
        steps, count = tables.match_resource
        board.take_income_steps(state, out, seat, 0, steps * times)
        state.agenda.append(("gain", seat, count * times))
