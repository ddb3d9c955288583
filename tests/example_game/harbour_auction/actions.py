"""The actions of a seat (`Lay`) and of chance (`Deal`, `Crate`), and their JSON form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from engine.core import Action, MalformedAction, shown


class Deal(NamedTuple):
    """Chance: all cards of the match in the order in which seat 0, seat 1, ... and the pile aside get them."""

    cards: tuple[int, ...]


class Crate(NamedTuple):
    """Chance: the value of the crate of this round."""

    worth: int


class Lay(NamedTuple):
    """Lay one card face down."""

    card: int


# Each action is created once. `decode` and `legal_actions` return the same object, which is fast to compare.
LAYS = {card: Lay(card) for card in range(1, 18)}
CRATES = {worth: Crate(worth) for worth in range(1, 7)}


def encode(action: Action) -> dict[str, Any]:
    """Return the action as a JSON object."""
    match action:
        case Deal(cards):
            return {"type": "deal", "cards": list(cards)}
        case Crate(worth):
            return {"type": "crate", "worth": worth}
        case Lay(card):
            return {"type": "lay", "card": card}
    raise ValueError(f"expected an action of Harbour Auction, got {action!r}")


def decode(data: Mapping[str, Any]) -> Action:
    """Return the action that a JSON object names. A bot may have written anything, so check everything."""
    # `len(data)` rejects extra fields. `type(...) is int` rejects true, which is an integer in Python.
    match data:
        case {"type": "lay", "card": card} if len(data) == 2 and type(card) is int and card in LAYS:
            return LAYS[card]
        case {"type": "crate", "worth": worth} if len(data) == 2 and type(worth) is int and worth in CRATES:
            return CRATES[worth]
        case {"type": "deal", "cards": list(cards)} if len(data) == 2 and {*map(type, cards)} == {int}:
            return Deal(tuple(cards))
    raise MalformedAction(f'expected {{"type":"lay","card":1 to 17}}, got {shown(dict(data))}')
