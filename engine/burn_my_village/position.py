"""The data of one full position, hidden cards included.

This module has no rules. `choices`, `turns` and `setup` read and change a position. `state` makes it an
`engine.core.State`.
"""

from __future__ import annotations

from typing import Self

from engine.burn_my_village.components import FIRST_STALL, STALLS, Rules
from engine.core import CHANCE, Action, Actor, Game, IllegalAction, shown


class Position:
    """One position. Cards are codes (`components.NAMES`), multisets are integers (`counts`).

    Any code may read the attributes. Only the rules, `belief` and tests change them.
    """

    __slots__ = (
        "bribed",
        "columns",
        "deck",
        "discards",
        "ended",
        "game",
        "hands",
        "known",
        "next_stall",
        "rules",
        "seats",
        "stalls",
        "to_act",
        "top",
        "track",
        "turn",
        "wilds",
    )

    game: Game
    rules: Rules
    seats: int
    to_act: Actor
    turn: int
    """The number of turns so far."""
    track: list[int]
    """The type code on each space, lowest first. Empty before R2.1."""
    stalls: list[tuple[int, ...]]
    next_stall: int
    deck: tuple[int, ...]
    """The shuffled deck, shared between clones. Before R2.3: all cards in play, unshuffled."""
    top: int
    """The index of the deck's first card in `deck`."""
    hands: list[int]
    known: list[int]
    """The cards of each seat that everybody knows (R9.1)."""
    columns: list[int]
    """The Treasures in each seat's columns."""
    wilds: list[int]
    """The Wilds in each seat's columns, counted in the field of the column's type."""
    bribed: list[int]
    """The guard bit of each type of which the seat has a column."""
    discards: int
    ended: str | None
    """The cause of the end (R7.1), or `None` before it."""

    def __init__(self, game: Game, seats: int, rules: Rules) -> None:
        self.game = game
        self.rules = rules
        self.seats = seats
        self.to_act = CHANCE
        self.turn = 0
        self.track = []
        self.stalls = [()] * STALLS
        self.next_stall = FIRST_STALL
        self.deck = rules.pack
        self.top = 0
        self.hands = [0] * seats
        self.known = [0] * seats
        self.columns = [0] * seats
        self.wilds = [0] * seats
        self.bribed = [0] * seats
        self.discards = 0
        self.ended = None

    def clone(self) -> Self:
        """Return an independent copy."""
        other: Self = _new(type(self))
        other.game = self.game
        other.rules = self.rules
        other.seats = self.seats
        other.to_act = self.to_act
        other.turn = self.turn
        other.track = self.track[:]
        other.stalls = self.stalls[:]
        other.next_stall = self.next_stall
        other.deck = self.deck
        other.top = self.top
        other.hands = self.hands[:]
        other.known = self.known[:]
        other.columns = self.columns[:]
        other.wilds = self.wilds[:]
        other.bribed = self.bribed[:]
        other.discards = self.discards
        other.ended = self.ended
        return other

    def __eq__(self, other: object) -> bool:
        """Compare all that can matter from now on. Cards that have left the deck do not matter."""
        if not isinstance(other, Position):
            return NotImplemented
        return self._essence() == other._essence()

    __hash__ = None  # type: ignore[assignment]

    def _essence(self) -> tuple[object, ...]:
        return (
            (self.game.key, self.rules, self.seats, self.to_act, self.turn, self.track, self.stalls, self.next_stall),
            (self.deck[self.top :], self.hands, self.known, self.columns, self.wilds, self.discards, self.ended),
        )

    def refusal(self, action: Action, why: str) -> IllegalAction:
        """Return the error that says why the action is not played."""
        return IllegalAction(f"{shown(action, 200)} is not allowed: {why}")


_new = object.__new__
