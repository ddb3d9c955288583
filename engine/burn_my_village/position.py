"""The data of one full position, hidden cards included.

No rule is in here: `choices`, `turns` and `setup` read and change a position, and `engine.burn_my_village.state` gives
it the form that `engine.core` asks for.
"""

from __future__ import annotations

from typing import Self

from engine.burn_my_village.components import FIRST_STALL, STALLS, Rules
from engine.core import CHANCE, Action, Actor, Game, IllegalAction, shown


class Position:
    """One position. Cards are codes (`components.NAMES`), multisets are integers (`counts`).

    Everybody may read every attribute. Only the rules and the builders of positions (`belief`, tests) change them.
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
    """Turns played."""
    track: list[int]
    """Type code on each space, lowest first; empty before R2.1."""
    stalls: list[tuple[int, ...]]
    next_stall: int
    deck: tuple[int, ...]
    """The deck as shuffled, shared between clones; before R2.3 all used cards, unshuffled."""
    top: int
    """Place of the deck's first card in `deck`."""
    hands: list[int]
    known: list[int]
    """R9.1 for each seat."""
    columns: list[int]
    """Treasures in each seat's columns."""
    wilds: list[int]
    """Wilds in each seat's columns, counted in the field of the column's type."""
    bribed: list[int]
    """The guard bit of each type of which the seat has a column."""
    discards: int
    ended: str | None
    """Cause of the end (R7.1), else None."""

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
        """Equal in all that matters from here on: cards that have left the deck don't count."""
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
