"""The actions of the game. Each is created once. They are listed from tables, and read from and written to JSON."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import chain, combinations, combinations_with_replacement
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from engine.burn_my_village.components import CODES, COMPONENTS, NAMES, PER_TYPE, STALLS, TYPES, WILD
from engine.burn_my_village.counts import GUARD, UNITS, as_codes
from engine.core import Action, MalformedAction, shown


class Draw(NamedTuple):
    """Take the first card of the deck, or end the match if the deck is empty (R6)."""

    type: Literal["draw"] = "draw"


class Buy(NamedTuple):
    """Pay for a stall, take its cards, and curse a type (R5)."""

    stall: int
    pay: tuple[tuple[str, int], ...]
    """Each card name that is paid with its count, in canonical order."""
    curse: str | None
    type: Literal["buy"] = "buy"


class Bribe(NamedTuple):
    """Put cards of one type, and Wilds, into the seat's own column (R4)."""

    treasure: str
    cards: int
    wilds: int
    type: Literal["bribe"] = "bribe"


class Track(NamedTuple):
    """Chance: the order of the six types on the track, space 0 first (R2.1)."""

    order: tuple[str, ...]
    type: Literal["track"] = "track"


class Shuffle(NamedTuple):
    """Chance: the order of the deck, first card first (R2.3)."""

    order: tuple[str, ...]
    type: Literal["shuffle"] = "shuffle"


BribeRows: TypeAlias = tuple[tuple[tuple[Bribe, ...], ...], ...]

_MOST_WILDS: Final[int] = COMPONENTS["wild_cards"]["in_box"]

DRAW: Final = Draw()
BRIBES: Final = {
    bribe: bribe
    for treasure in TYPES
    for cards in range(PER_TYPE + 1)
    for wilds in range(_MOST_WILDS + 1)
    if (bribe := Bribe(treasure, cards, wilds)) and cards + wilds
}
"""Every bribe that can ever be made: each maps to the one object that represents it."""


class Purchase(NamedTuple):
    """The costs and effects of a `Buy`."""

    stall: int
    cost: int
    """The payment as a multiset."""
    curse: int
    """The code of the cursed type, or -1 at stall 0."""
    pay: dict[str, int]
    """The payment as JSON. Events share it, so nobody may change it."""


def _every_buy() -> dict[Buy, Purchase]:
    buys = {Buy(0, (), None): Purchase(0, 0, -1, {})}
    for stall in range(1, STALLS):
        for codes in combinations_with_replacement(range(len(NAMES)), stall):
            pay = _payment(codes)
            for curse in codes:
                if curse != WILD:
                    cost = sum(UNITS[code] for code in codes)
                    buys[Buy(stall, pay, NAMES[curse])] = Purchase(stall, cost, curse, dict(pay))
    return buys


def _payment(codes: tuple[int, ...]) -> tuple[tuple[str, int], ...]:
    return tuple((NAMES[code], codes.count(code)) for code in dict.fromkeys(codes))


BUYS: Final = _every_buy()
"""Every purchase that can ever be made, in the order of the rules, with its costs and effects."""

TAKE_FREE: Final = next(iter(BUYS))
_INTERNED_BUYS: Final = {buy: buy for buy in BUYS}
_BUYS_BY_PAYMENT: Final[dict[tuple[int, ...], tuple[Buy, ...]]] = {
    codes: tuple(
        _INTERNED_BUYS[Buy(stall, _payment(codes), NAMES[curse])] for curse in dict.fromkeys(codes) if curse != WILD
    )
    for stall in range(1, STALLS)
    for codes in combinations_with_replacement(range(len(NAMES)), stall)
}


@cache
def buys_of(stall: int, purse: int) -> tuple[Buy, ...]:
    """Return every purchase at a stall, in order, from a hand in which no name counts more than the stall's price.

    `counts.at_most` cuts a hand to one of few values, so the cache stays small.
    """
    # `combinations` of a sorted list are in lexicographic order. The first of equal ones is kept.
    payments = dict.fromkeys(combinations(as_codes(purse), stall))
    return tuple(chain.from_iterable([_BUYS_BY_PAYMENT[payment] for payment in payments]))


@cache
def bribe_rows(wilds: int) -> BribeRows:
    """Return one row for each type, for a hand with this number of Wilds. A row lists the bribes of the type, in order.

    The index into a row is the number of Treasures of the type in hand, plus `counts.GUARD` if the seat has a column of
    the type (R4.1, R4.2).
    """

    def bribes(treasure: str, cards: int, has_column: bool) -> tuple[Bribe, ...]:
        return tuple(
            BRIBES[Bribe(treasure, k, w)]
            for k in range(0 if has_column else 1, cards + 1)
            for w in range(wilds + 1)
            if k + w
        )

    def row(treasure: str, has_column: bool) -> tuple[tuple[Bribe, ...], ...]:
        return tuple(bribes(treasure, cards, has_column) for cards in range(PER_TYPE + 1))

    gap = ((),) * (GUARD - PER_TYPE - 1)
    return tuple(row(treasure, False) + gap + row(treasure, True) for treasure in TYPES)


def encode(action: Action) -> dict[str, Any]:
    """Return the action as a JSON object.

    >>> encode(Buy(2, (("axe", 1), ("wild", 1)), "axe"))
    {'type': 'buy', 'stall': 2, 'pay': {'axe': 1, 'wild': 1}, 'curse': 'axe'}
    """
    if isinstance(action, Bribe):
        return {"type": "bribe", "treasure": action.treasure, "cards": action.cards, "wilds": action.wilds}
    if isinstance(action, Buy):
        return {"type": "buy", "stall": action.stall, "pay": dict(action.pay), "curse": action.curse}
    if isinstance(action, Track | Shuffle):
        return {"type": action.type, "order": list(action.order)}
    if isinstance(action, Draw):
        return {"type": "draw"}
    raise TypeError(f"expected an action of burn_my_village, got {action!r}")


_FIELDS: Final = {
    "draw": ((), ()),
    "buy": (("stall",), ("pay", "curse")),
    "bribe": (("treasure", "cards"), ("wilds",)),
    "track": (("order",), ()),
    "shuffle": (("order",), ()),
}
"""The required and the optional fields of each type."""


def decode(data: Mapping[str, Any]) -> Action:
    """Return the action that a JSON object names. It is the shared object if the action can ever be legal.

    >>> decode({"type": "bribe", "cards": 2, "treasure": "axe"})
    Bribe(treasure='axe', cards=2, wilds=0, type='bribe')
    """
    kind = data.get("type")
    if not isinstance(kind, str) or kind not in _FIELDS:
        raise MalformedAction(f"expected a type among {', '.join(_FIELDS)}, got {shown(kind)}")
    required, optional = _FIELDS[kind]
    for name in required:
        if name not in data:
            raise MalformedAction(f"expected a field {name!r} in a {kind}")
    for name in data:
        if name != "type" and name not in required and name not in optional:
            raise MalformedAction(f"unknown field {shown(name)} in a {kind}: expected {', '.join(required + optional)}")
    if kind == "draw":
        return DRAW
    if kind == "buy":
        return _read_buy(data)
    if kind == "bribe":
        bribe = Bribe(
            _one_of(TYPES, data["treasure"], "treasure"),
            _number(data["cards"], "cards"),
            _number(data.get("wilds", 0), "wilds"),
        )
        return BRIBES.get(bribe, bribe)
    order = data["order"]
    if not isinstance(order, list):
        raise MalformedAction(f"expected a list as order, got {shown(order)}")
    if kind == "track":
        return Track(tuple(_one_of(TYPES, name, "order") for name in order))
    return Shuffle(tuple(_one_of(NAMES, name, "order") for name in order))


def _read_buy(data: Mapping[str, Any]) -> Buy:
    stall = _number(data["stall"], "stall")
    if stall >= STALLS:
        raise MalformedAction(f"expected a stall from 0 to {STALLS - 1}, got {shown(stall)}")
    pay = data.get("pay", {})
    if not isinstance(pay, Mapping):
        raise MalformedAction(f"expected an object of counts as pay, got {shown(pay)}")
    for name, count in pay.items():
        _one_of(NAMES, name, "pay")
        _number(count, f"pay of {name}")
    curse = data.get("curse")
    if curse is not None:
        _one_of(TYPES, curse, "curse")
    buy = Buy(stall, tuple((name, pay[name]) for name in NAMES if pay.get(name)), curse)
    return _INTERNED_BUYS.get(buy, buy)


def _one_of(names: tuple[str, ...], value: object, what: str) -> str:
    if not isinstance(value, str) or value not in CODES or value not in names:
        raise MalformedAction(f"expected one of {', '.join(names)} as {what}, got {shown(value)}")
    return value


def _number(value: object, what: str) -> int:
    # A boolean is an int in Python, but not in JSON.
    if type(value) is not int or value < 0:
        raise MalformedAction(f"expected a whole number of at least 0 as {what}, got {shown(value)}")
    return value
