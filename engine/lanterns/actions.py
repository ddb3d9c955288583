"""The actions of seats and of chance, each created once, and their JSON form.

The lists of exchanges, dedications and discards depend on few things. So each list is created when it is first needed
and shared from then on. The number of keys is bounded (128 x 128 exchanges, 4^7 dedications), and so is the number of
cells.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from itertools import combinations
from typing import Any, Final, Literal, NamedTuple

from engine.core import Action, MalformedAction, shown, shown_names
from engine.lanterns.cards import EACH, ONE, PILE, pack
from engine.lanterns.components import COLOUR_OF, COLOURS, FACES, OLDER_POOL, POOL, REACH, cell_at, cell_position


class Skip(NamedTuple):
    """Skip an optional step: exchange (R5) or dedicate (R6)."""

    type: Literal["skip"] = "skip"


class Exchange(NamedTuple):
    """Pay favor tokens and one card for a card of another colour (R5). The fields are colour letters."""

    give: str
    take: str
    type: Literal["exchange"] = "exchange"


class Dedicate(NamedTuple):
    """Return a set of cards for a token (R6). `cards` is the set in colour order."""

    cards: str
    type: Literal["dedicate"] = "dedicate"


class Discard(NamedTuple):
    """Return one card because of the limit (R7)."""

    card: str
    type: Literal["discard"] = "discard"


class Place(NamedTuple):
    """Put a tile from the hand on the lake (R8)."""

    tile: int
    x: int
    y: int
    rotation: int
    type: Literal["place"] = "place"


class Orient(NamedTuple):
    """Chance: the seat that the start tile's red side faces (R3.3)."""

    seat: int
    type: Literal["orient"] = "orient"


class Shuffle(NamedTuple):
    """Chance: the order of the 35 pool tiles (R3.4)."""

    order: tuple[int, ...]
    type: Literal["shuffle"] = "shuffle"


SKIP: Final = Skip()
DISCARDS: Final = {letter: Discard(letter) for letter in COLOURS}
EXCHANGES: Final = {(give, take): Exchange(give, take) for give in COLOURS for take in COLOURS if give != take}
ORIENTS: Final = tuple(Orient(seat) for seat in range(4))

_FOURS: Final = tuple(letter * 4 for letter in COLOURS)
_PAIRS: Final = tuple("".join(letter * 2 for letter in three) for three in combinations(COLOURS, 3))
KIND_OF_LENGTH: Final = {4: 0, 6: 1, 7: 2}
"""The kind of a set by its number of cards."""
DEDICATIONS: Final = {cards: Dedicate(cards) for cards in (*_FOURS, *_PAIRS, COLOURS)}
"""The action of each set by its cards in colour order. The sets have the order of the legal list."""
COST: Final = {cards: pack(cards) for cards in DEDICATIONS}
"""The cards of each set as packed cards."""


class _Placements(dict[int, tuple[Place, ...]]):
    """The placements of one tile by cell, one for each different rotation. Each entry is created when first needed."""

    def __init__(self, tile: int) -> None:
        super().__init__()
        self.tile = tile

    def __missing__(self, cell: int) -> tuple[Place, ...]:
        x, y = cell_position(cell)
        made = tuple(Place(self.tile, x, y, rotation) for rotation in FACES[self.tile].rotations)
        return self.setdefault(cell, made)


PLACEMENTS: Final = tuple(_Placements(face.tile) for face in FACES)
"""The placements of each tile by cell, in the order of rotations."""


class _ExchangeLists(dict[int, tuple[Action, ...]]):
    """Skip and all exchanges, by the key `presence(held) | presence(supply) >> 1`."""

    def __missing__(self, key: int) -> tuple[Action, ...]:
        given = [letter for letter, pile in zip(COLOURS, PILE, strict=True) if key & pile & EACH * 128]
        taken = [letter for letter, pile in zip(COLOURS, PILE, strict=True) if key & pile & EACH * 64]
        made = (SKIP, *(EXCHANGES[give, take] for give in given for take in taken if give != take))
        return self.setdefault(key, made)


class _DedicationLists(dict[int, tuple[Action, ...]]):
    """Skip and all sets that the seat holds, by the key `set_key(held)`."""

    def __missing__(self, key: int) -> tuple[Action, ...]:
        # The key has bit 5 of a colour's field for one card, bit 6 for two, bit 7 for four.
        enough = {1: 32, 2: 64, 4: 128}
        made = (
            SKIP,
            *(
                action
                for cards, action in DEDICATIONS.items()
                if all(key & ONE[COLOUR_OF[letter]] * enough[cards.count(letter)] for letter in set(cards))
            ),
        )
        return self.setdefault(key, made)


class _DiscardLists(dict[int, tuple[Action, ...]]):
    """One discard for each colour that the seat holds, by the key `presence(held)`."""

    def __missing__(self, key: int) -> tuple[Action, ...]:
        made = tuple(DISCARDS[letter] for letter, pile in zip(COLOURS, PILE, strict=True) if key & pile)
        return self.setdefault(key, made)


EXCHANGE_LISTS: Final = _ExchangeLists()
DEDICATION_LISTS: Final = _DedicationLists()
DISCARD_LISTS: Final = _DiscardLists()


def encode(action: Action) -> dict[str, Any]:
    """Return the action as a JSON object."""
    match action:
        case Place(tile, x, y, rotation):
            return {"type": "place", "tile": tile, "x": x, "y": y, "rotation": rotation}
        case Exchange(give, take):
            return {"type": "exchange", "give": give, "take": take}
        case Dedicate(cards):
            return {"type": "dedicate", "cards": cards}
        case Skip():
            return {"type": "skip"}
        case Discard(card):
            return {"type": "discard", "card": card}
        case Orient(seat):
            return {"type": "orient", "seat": seat}
        case Shuffle(order):
            return {"type": "shuffle", "order": list(order)}
    raise TypeError(f"expected an action of lanterns, got {action!r}")


_FIELDS: Final = {
    "skip": (),
    "exchange": ("give", "take"),
    "dedicate": ("cards",),
    "discard": ("card",),
    "place": ("tile", "x", "y", "rotation"),
    "orient": ("seat",),
    "shuffle": ("order",),
}


def decode(data: Mapping[str, Any]) -> Action:
    """Return the action that a JSON object names.

    The cards of a set may have any order. If a tile looks the same after half a turn, rotations 2 and 3 mean 0 and 1.
    Raises `MalformedAction` for all else that is not an action of this game.
    """
    kind = data.get("type")
    if not isinstance(kind, str) or kind not in _FIELDS:
        near = difflib.get_close_matches(kind, _FIELDS, n=1) if isinstance(kind, str) else []
        hint = f"did you mean {near[0]!r}?" if near else f"expected one of {', '.join(_FIELDS)}"
        raise MalformedAction(f"no action has the type {shown(kind)}: {hint}")
    expected = {"type", *_FIELDS[kind]}
    if data.keys() != expected:
        raise MalformedAction(f"{kind}: expected the fields {shown_names(expected)}, got {shown_names(data)}")
    match kind:
        case "skip":
            return SKIP
        case "exchange":
            return _exchange(data["give"], data["take"])
        case "dedicate":
            return _dedicate(data["cards"])
        case "discard":
            return DISCARDS[_colour(data["card"], "card")]
        case "place":
            return _place(data)
        case "orient":
            return ORIENTS[_integer(data["seat"], "seat", 0, len(ORIENTS) - 1)]
    return _shuffle(data["order"])


def _exchange(give: object, take: object) -> Exchange:
    pair = (_colour(give, "give"), _colour(take, "take"))
    if pair not in EXCHANGES:
        raise MalformedAction(f"exchange: expected two different colours, got {pair[0]!r} twice")
    return EXCHANGES[pair]


def _dedicate(cards: object) -> Dedicate:
    if isinstance(cards, str) and len(cards) in KIND_OF_LENGTH:
        action = DEDICATIONS.get("".join(sorted(cards)))  # colour order is alphabetical order
        if action is not None:
            return action
    raise MalformedAction(f"cards: expected a set such as 'BBBB', 'BBGGKK' or {COLOURS!r}, got {shown(cards)}")


def _place(data: Mapping[str, Any]) -> Place:
    tile = _integer(data["tile"], "tile", POOL[0], POOL[-1])
    x = _integer(data["x"], "x", -REACH, REACH)
    y = _integer(data["y"], "y", -REACH, REACH)
    rotation = _integer(data["rotation"], "rotation", 0, 3)
    return PLACEMENTS[tile][cell_at(x, y)][rotation % len(FACES[tile].rotations)]


def _shuffle(order: object) -> Shuffle:
    if isinstance(order, (list, tuple)) and all(type(tile) is int for tile in order):
        shuffle = Shuffle(tuple(order))
        if tuple(sorted(shuffle.order)) in (POOL, OLDER_POOL):
            return shuffle
    raise MalformedAction(f"order: expected all faces of the pool in some order, got {shown(order)}")


def _colour(value: object, name: str) -> str:
    if isinstance(value, str) and value in COLOUR_OF:
        return value
    raise MalformedAction(f"{name}: expected one of the colours {', '.join(COLOURS)}, got {shown(value)}")


def _integer(value: object, name: str, low: int, high: int) -> int:
    if type(value) is int and low <= value <= high:
        return value
    raise MalformedAction(f"{name}: expected an integer from {low} to {high}, got {shown(value)}")
