"""The actions of seats and of chance as small immutable tuples, and their JSON form.

The first field of every action is its `type`, so actions of different types are never equal. The functions in lower
case (`gain`, `place`, ...) return interned actions: always the same object for the same arguments.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final, NamedTuple, TypeVar


class Keep(NamedTuple):
    """Keep these hell cards and this knowledge card from the dealt ones (R2.6)."""

    type: str
    cards: tuple[str, ...]
    knowledge: str


class Stand(NamedTuple):
    """Leave the dice as they are."""

    type: str


class Reroll(NamedTuple):
    """Roll again (Gold Gargoyle: all own dice; Imp: the returned die)."""

    type: str


class Skip(NamedTuple):
    """Do not use a workplace, or a die in the Audience Room."""

    type: str


class Done(NamedTuple):
    """Stop trading or burying."""

    type: str


class Gain(NamedTuple):
    """Take these numbers of resources by kind."""

    type: str
    sacrifice: int
    armor: int
    food: int


class Pay(NamedTuple):
    """Pay these numbers of resources by kind."""

    type: str
    sacrifice: int
    armor: int
    food: int


class Place(NamedTuple):
    """Place a die from the hand at a workplace or on the Warlock, with a value. `kick` is the index of a kicked die."""

    type: str
    die: int
    at: str
    value: int
    kick: int | None


class SetDie(NamedTuple):
    """Turn a die in a hand to a face (R5.9). `owner` is `None` unless the rules let a seat set dice of others."""

    type: str
    die: int
    to: int
    owner: int | None


class Use(NamedTuple):
    """Use a workplace with this value."""

    type: str
    value: int


class UseWarRoom(NamedTuple):
    """Take `each` of every kind and `any` of any kind from the War Room (R6.6)."""

    type: str
    each: int
    any: int


class Trade(NamedTuple):
    """Give a resource kind or a card (its id), and take a kind or `"card"` (R6.8)."""

    type: str
    give: str
    take: str


class Bury(NamedTuple):
    """Discard a card in the Cemetery (R6.9)."""

    type: str
    card: str


class Play(NamedTuple):
    """Play a card from the hand (R7)."""

    type: str
    card: str


class Discard(NamedTuple):
    """Discard a card above the hand limit (R9.1)."""

    type: str
    card: str


class Burn(NamedTuple):
    """Salamander: discard a card for a resource (R7.11)."""

    type: str
    card: str
    kind: str


class Build(NamedTuple):
    """Put the industry at this position. `turned` is `None` unless the rules let cards be turned."""

    type: str
    x: int
    y: int
    turned: bool | None


class Order(NamedTuple):
    """Resolve the match on this side next (R7.10)."""

    type: str
    side: str


class Payments(NamedTuple):
    """Chance: the payment cards of round 2 to the last round (R2.2)."""

    type: str
    cards: tuple[str, ...]


class Supers(NamedTuple):
    """Chance: the super workplaces in the order of their rounds (R2.3)."""

    type: str
    tiles: tuple[str, ...]


class Deck(NamedTuple):
    """Chance: the order of a pile of hell cards by number, top first."""

    type: str
    order: tuple[int, ...]


class KnowledgeDeck(NamedTuple):
    """Chance: the order of the knowledge cards (R2.5)."""

    type: str
    order: tuple[str, ...]


class Roll(NamedTuple):
    """Chance: the dice of every seat, faces ascending (R3.2)."""

    type: str
    dice: tuple[tuple[int, ...], ...]


class Tiles(NamedTuple):
    """Chance: the seats in tile order when sums are tied (R3.4)."""

    type: str
    order: tuple[int, ...]


class Dice(NamedTuple):
    """Chance: the new faces of the dice that one seat rolls again."""

    type: str
    seat: int
    faces: tuple[int, ...]


_Made = TypeVar("_Made", bound=tuple[Any, ...])
_INTERNED: dict[tuple[Any, ...], Any] = {}


def _intern(action: _Made) -> _Made:
    made: _Made = _INTERNED.setdefault(action, action)
    return made


def interned(action: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the interned object for this action, or the action itself if this module never created it.

    Actions that bots make up are not stored, so that bots cannot make the table of actions grow.
    """
    return _INTERNED.get(action, action)  # type: ignore[no-any-return]


STAND: Final = _intern(Stand("stand"))
REROLL: Final = _intern(Reroll("reroll"))
SKIP: Final = _intern(Skip("skip"))
DONE: Final = _intern(Done("done"))


@cache
def gain(sacrifice: int, armor: int, food: int) -> Gain:
    """Return the interned `Gain`."""
    return _intern(Gain("gain", sacrifice, armor, food))


@cache
def pay(sacrifice: int, armor: int, food: int) -> Pay:
    """Return the interned `Pay`."""
    return _intern(Pay("pay", sacrifice, armor, food))


@cache
def place(die: int, at: str, value: int, kick: int | None = None) -> Place:
    """Return the interned `Place`."""
    return _intern(Place("place", die, at, value, kick))


@cache
def set_die(die: int, to: int, owner: int | None = None) -> SetDie:
    """Return the interned `SetDie`."""
    return _intern(SetDie("set", die, to, owner))


@cache
def use(value: int) -> Use:
    """Return the interned `Use`."""
    return _intern(Use("use", value))


@cache
def use_war_room(each: int, any_kind: int) -> UseWarRoom:
    """Return the interned `UseWarRoom`."""
    return _intern(UseWarRoom("use", each, any_kind))


@cache
def trade(give: str, take: str) -> Trade:
    """Return the interned `Trade`."""
    return _intern(Trade("trade", give, take))


@cache
def bury(card: str) -> Bury:
    """Return the interned `Bury`."""
    return _intern(Bury("bury", card))


@cache
def play(card: str) -> Play:
    """Return the interned `Play`."""
    return _intern(Play("play", card))


@cache
def discard(card: str) -> Discard:
    """Return the interned `Discard`."""
    return _intern(Discard("discard", card))


@cache
def burn(card: str, kind: str) -> Burn:
    """Return the interned `Burn`."""
    return _intern(Burn("burn", card, kind))


@cache
def build(x: int, y: int, turned: bool | None = None) -> Build:
    """Return the interned `Build`."""
    return _intern(Build("build", x, y, turned))


@cache
def order(side: str) -> Order:
    """Return the interned `Order`."""
    return _intern(Order("order", side))


@cache
def keep(cards: tuple[str, ...], knowledge: str) -> Keep:
    """Return the interned `Keep`."""
    return _intern(Keep("keep", cards, knowledge))


def encode(action: tuple[Any, ...]) -> dict[str, Any]:
    """Return the action as a JSON object."""
    data: dict[str, Any] = action._asdict()  # type: ignore[attr-defined]
    for optional in ("turned", "owner"):
        if optional in data and data[optional] is None:
            del data[optional]
    for name, value in data.items():
        if type(value) is tuple:
            data[name] = [list(entry) if type(entry) is tuple else entry for entry in value]
    return data
