"""One seat's EP, stock and income, and the ways to split resources over the kinds."""

from __future__ import annotations

from functools import lru_cache

from engine.core import Event
from engine.hell_village import actions
from engine.hell_village.components import Extra, Kinds
from engine.hell_village.position import Position


@lru_cache(maxsize=512)
def _scored(seat: int, ep: int) -> Event:
    return Event("score", {"seat": seat, "ep": ep})


@lru_cache(maxsize=2048)
def _amounts(kind: str, seat: int, a: int, b: int, c: int) -> Event:
    return Event(kind, {"seat": seat, "sacrifice": a, "armor": b, "food": c})


def score(state: Position, out: list[Event], seat: int, ep: int) -> None:
    """Change the EP of the seat by this number."""
    if ep:
        state.ep[seat] += ep
        out.append(_scored(seat, ep))


def rooms(state: Position, seat: int) -> Kinds:
    """Return the room in the seat's stock for each kind (R0.6)."""
    limit = state.rules.tables.stock_limit
    stock = state.stock
    at = 3 * seat
    return (limit - stock[at], limit - stock[at + 1], limit - stock[at + 2])


def total_room(state: Position, seat: int) -> int:
    """Return the room in the seat's stock, summed over the kinds."""
    stock = state.stock
    at = 3 * seat
    return 3 * state.rules.tables.stock_limit - stock[at] - stock[at + 1] - stock[at + 2]


def gain_kinds(state: Position, out: list[Event], seat: int, kinds: Kinds) -> None:
    """Give the seat these numbers of resources. What has no room is lost (R0.6)."""
    limit = state.rules.tables.stock_limit
    stock = state.stock
    at = 3 * seat
    a, b, c = kinds
    a = min(a, limit - stock[at])
    b = min(b, limit - stock[at + 1])
    c = min(c, limit - stock[at + 2])
    if a or b or c:
        stock[at] += a
        stock[at + 1] += b
        stock[at + 2] += c
        out.append(_amounts("gain", seat, a, b, c))


def pay_event(seat: int, a: int, b: int, c: int) -> Event:
    """Return the event of an automatic payment."""
    return _amounts("pay", seat, a, b, c)


def gain_event(seat: int, a: int, b: int, c: int) -> Event:
    """Return the event of an automatic split."""
    return _amounts("gain", seat, a, b, c)


def take_income_steps(state: Position, out: list[Event], seat: int, card: int, resource: int) -> None:
    """Increase the seat's income. Steps beyond the end of a row are lost (R0.6)."""
    limit = state.rules.tables.income_limit
    income = state.income
    card = min(card, limit - income[2 * seat])
    resource = min(resource, limit - income[2 * seat + 1])
    if card or resource:
        income[2 * seat] += card
        income[2 * seat + 1] += resource
        out.append(Event("income", {"seat": seat, "card": card, "resource": resource}))


def give(state: Position, out: list[Event], seat: int, extra: Extra) -> None:
    """Give the seat all of this in the order of R0.8: kinds and EP now, then (as next steps) cards, then any kind."""
    gain_kinds(state, out, seat, extra.kinds)
    score(state, out, seat, extra.ep)
    if extra.any:
        state.agenda.append(("gain", seat, extra.any))
    if extra.draw:
        state.agenda.append(("draw", seat, extra.draw))


@lru_cache(maxsize=4096)
def gain_splits(count: int, a: int, b: int, c: int) -> tuple[actions.Gain, ...]:
    """Return all ways to take exactly `count` resources with this room for each kind."""
    return tuple(
        actions.gain(x, y, count - x - y)
        for x in range(min(a, count) + 1)
        for y in range(min(b, count - x) + 1)
        if count - x - y <= c
    )


def gains(state: Position, seat: int, count: int) -> tuple[actions.Gain, ...]:
    """Return all splits of `count` resources of any kind. The count is first cut to the total room (R0.7)."""
    a, b, c = rooms(state, seat)
    count = min(count, a + b + c)
    return gain_splits(count, min(a, count), min(b, count), min(c, count))


@lru_cache(maxsize=4096)
def pay_splits(count: int, a: int, b: int, c: int) -> tuple[actions.Pay, ...]:
    """Return all ways to pay exactly `count` resources with at most `a`, `b` and `c` of each kind."""
    return tuple(
        actions.pay(x, y, count - x - y)
        for x in range(min(a, count) + 1)
        for y in range(min(b, count - x) + 1)
        if count - x - y <= c
    )


def after_gain(stock: Kinds, limit: int, count: int) -> tuple[Kinds, int]:
    """Return the stock after a gain of `count` of any kind if only one split fits, else the stock and the open count.

    Two uses of a workplace with the same result lead to the same position (R0.4).
    """
    a, b, c = limit - stock[0], limit - stock[1], limit - stock[2]
    count = min(count, a + b + c)
    splits = gain_splits(count, min(a, count), min(b, count), min(c, count))
    if count == 0 or len(splits) > 1:
        return stock, count
    _, x, y, z = splits[0]
    return (stock[0] + x, stock[1] + y, stock[2] + z), 0


def stock_of(state: Position, seat: int) -> Kinds:
    """Return the seat's stock as a tuple."""
    a, b, c = state.stock[3 * seat : 3 * seat + 3]
    return (a, b, c)


def plus(stock: Kinds, more: Kinds, limit: int) -> Kinds:
    """Return both together, cut to the length of a row."""
    return (min(limit, stock[0] + more[0]), min(limit, stock[1] + more[1]), min(limit, stock[2] + more[2]))
