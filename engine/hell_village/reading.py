"""Read an action from JSON: the reverse of `engine.hell_village.actions.encode`, strict about every field."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from engine.core import MalformedAction, shown, shown_names
from engine.hell_village.actions import (
    Build,
    Burn,
    Bury,
    Deck,
    Dice,
    Discard,
    Done,
    Gain,
    Keep,
    KnowledgeDeck,
    Order,
    Pay,
    Payments,
    Place,
    Play,
    Reroll,
    Roll,
    SetDie,
    Skip,
    Stand,
    Supers,
    Tiles,
    Trade,
    Use,
    UseWarRoom,
    interned,
)
from engine.hell_village.components import KINDS, WORKPLACES, Tables

Reader = Callable[[Any, Tables], Any]


def _whole(low: int, high: int) -> Reader:
    def read(value: Any, tables: Tables) -> int:
        if type(value) is not int or not low <= value <= high:
            raise MalformedAction(f"expected a whole number from {low} to {high}, got {shown(value)}")
        return value

    return read


def _one_of(choices: Callable[[Tables], Any], what: str) -> Reader:
    def read(value: Any, tables: Tables) -> str:
        if type(value) is not str or value not in choices(tables):
            raise MalformedAction(f"expected {what}, got {shown(value)}")
        return value

    return read


def _list_of(entry: Reader) -> Reader:
    def read(value: Any, tables: Tables) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple):
            raise MalformedAction(f"expected a list, got {shown(value)}")
        return tuple(entry(one, tables) for one in value)

    return read


def _optional(reader: Reader) -> Reader:
    def read(value: Any, tables: Tables) -> Any:
        return None if value is None else reader(value, tables)

    return read


def _flag(value: Any, tables: Tables) -> bool:
    if type(value) is not bool:
        raise MalformedAction(f"expected true or false, got {shown(value)}")
    return value


_places = (*WORKPLACES, "warlock")
_amount = _whole(0, 1000)
_face = _whole(1, 6)
_seat = _whole(0, 4)
_card = _one_of(lambda tables: tables.numbers_of, "the id of a hell card")
_knowledge = _one_of(lambda tables: tables.knowledge, "the id of a knowledge card")
_kind = _one_of(lambda tables: KINDS, "a resource kind")
_amounts = dict.fromkeys(KINDS, _amount)

_FORMS: Final[dict[str, tuple[tuple[type[Any], dict[str, Reader]], ...]]] = {
    "keep": ((Keep, {"cards": _list_of(_card), "knowledge": _knowledge}),),
    "stand": ((Stand, {}),),
    "reroll": ((Reroll, {}),),
    "skip": ((Skip, {}),),
    "done": ((Done, {}),),
    "gain": ((Gain, _amounts),),
    "pay": ((Pay, _amounts),),
    "place": (
        (
            Place,
            {
                "die": _face,
                "at": _one_of(lambda tables: _places, "the id of a workplace or 'warlock'"),
                "value": _face,
                "kick": _optional(_whole(0, 99)),
            },
        ),
    ),
    "set": (
        (SetDie, {"die": _face, "to": _face}),
        (SetDie, {"die": _face, "to": _face, "owner": _seat}),
    ),
    "use": ((Use, {"value": _amount}), (UseWarRoom, {"each": _amount, "any": _amount})),
    "trade": (
        (
            Trade,
            {
                "give": _one_of(lambda tables: (*KINDS, *tables.numbers_of), "a resource kind or a hell card"),
                "take": _one_of(lambda tables: (*KINDS, "card"), "a resource kind or 'card'"),
            },
        ),
    ),
    "bury": ((Bury, {"card": _card}),),
    "play": ((Play, {"card": _card}),),
    "discard": ((Discard, {"card": _card}),),
    "burn": ((Burn, {"card": _card, "kind": _kind}),),
    "build": (
        (Build, {"x": _whole(-99, 99), "y": _whole(-99, 99)}),
        (Build, {"x": _whole(-99, 99), "y": _whole(-99, 99), "turned": _flag}),
    ),
    "order": ((Order, {"side": _one_of(lambda tables: ("n", "e", "s", "w"), "a side: n, e, s or w")}),),
    "payments": ((Payments, {"cards": _list_of(_one_of(lambda tables: tables.payments, "the id of a payment card"))}),),
    "supers": ((Supers, {"tiles": _list_of(_one_of(lambda tables: tables.supers, "the id of a super workplace"))}),),
    "deck": ((Deck, {"order": _list_of(_whole(0, 999))}),),
    "knowledge": ((KnowledgeDeck, {"order": _list_of(_knowledge)}),),
    "roll": ((Roll, {"dice": _list_of(_list_of(_face))}),),
    "tiles": ((Tiles, {"order": _list_of(_seat)}),),
    "dice": ((Dice, {"seat": _seat, "faces": _list_of(_face)}),),
}


def decode(data: Mapping[str, Any], tables: Tables) -> tuple[Any, ...]:
    """Return the action that a JSON object names. Raises `MalformedAction`, which says what was expected."""
    if not isinstance(data, Mapping):
        raise MalformedAction(f"expected an object, got {shown(data)}")
    kind = data.get("type")
    if type(kind) is not str or kind not in _FORMS:
        raise MalformedAction(f"expected a 'type' among {', '.join(_FORMS)}, got {shown(kind)}")
    fields = data.keys() - {"type"}
    for made, readers in _FORMS[kind]:
        if fields != readers.keys():
            continue
        values = [_read(name, reader, data[name], tables) for name, reader in readers.items()]
        if made is Keep:
            # The two cards are a set: both orders name the same action.
            values[0] = tuple(sorted(values[0], key=lambda card: tables.numbers_of[card][0]))
        if made in (Build, SetDie) and len(values) == 2:
            values.append(None)
        action: tuple[Any, ...] = made(kind, *values)
        return interned(action)
    forms = " or ".join("{" + ", ".join(readers) + "}" for _, readers in _FORMS[kind])
    raise MalformedAction(f"{kind!r} takes the fields {forms}, got {{{shown_names(fields)}}}")


def _read(name: str, reader: Reader, value: Any, tables: Tables) -> Any:
    try:
        return reader(value, tables)
    except MalformedAction as error:
        raise MalformedAction(f"{name!r}: {error}") from None
