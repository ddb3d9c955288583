"""The data of one full position: the lake, the supply, what each seat has, and the current step.

This module has no rules. `choices`, `setup`, `go` and `lake` read and change a position. `state` makes it an
`engine.core.State`.
"""

from __future__ import annotations

from typing import Self

from engine.core import CHANCE, Action, Actor, Game, IllegalAction, shown
from engine.lanterns.ruleset import Ruleset
from engine.lanterns.steps import DISCARD, OVER, SETUP


class Position:
    """One position, hidden tiles included.

    Cards are packed integers (see `cards`). The lake maps cells to codes in the order of placing (see `components`).
    `frontier` holds the empty cells beside the lake, ascending.
    """

    __slots__ = (
        "dedications",
        "favor",
        "favor_supply",
        "frontier",
        "game",
        "generic_left",
        "hands",
        "held",
        "lake",
        "placements_left",
        "removed",
        "rules",
        "seat",
        "seats",
        "stack",
        "start_seat",
        "step",
        "supply",
        "taken",
        "turn",
    )

    def __init__(self, game: Game, rules: Ruleset) -> None:
        """Begin a match before the start tile is turned."""
        self.game = game
        self.rules = rules
        self.seats = seats = rules.seats
        self.step = SETUP
        self.turn = 0
        self.seat = 0
        self.start_seat: int | None = None
        self.placements_left = rules.placements
        self.supply = rules.supply
        self.held = [0] * seats
        self.favor_supply = rules.favor
        self.favor = [0] * seats
        self.dedications = list(rules.dedications)
        self.generic_left = rules.generic
        self.taken: list[tuple[int, ...]] = [()] * seats
        self.lake: dict[int, int] = {}
        self.frontier: list[int] = []
        self.hands: list[tuple[int, ...]] = [()] * seats
        self.stack: tuple[int, ...] = ()
        self.removed: tuple[int, ...] = ()

    @property
    def to_act(self) -> Actor:
        """The seat whose go it is, `CHANCE` during the setup, `None` after the final goes."""
        step = self.step
        if step == SETUP:
            return CHANCE
        return None if step == OVER else self.seat

    @property
    def final(self) -> bool:
        """Whether the final goes have begun (R10.1)."""
        # If the limit is checked after placing, the discards after the very last placement belong to that placement.
        return self.placements_left == 0 and (self.rules.limit_before_place or self.step != DISCARD)

    def clone(self) -> Self:
        """Return an independent copy."""
        copy: Self = _new(type(self))
        copy.game = self.game
        copy.rules = self.rules
        copy.seats = self.seats
        copy.step = self.step
        copy.turn = self.turn
        copy.seat = self.seat
        copy.start_seat = self.start_seat
        copy.placements_left = self.placements_left
        copy.supply = self.supply
        copy.held = self.held[:]
        copy.favor_supply = self.favor_supply
        copy.favor = self.favor[:]
        copy.dedications = self.dedications[:]
        copy.generic_left = self.generic_left
        copy.taken = self.taken[:]
        copy.lake = self.lake.copy()
        copy.frontier = self.frontier[:]
        copy.hands = self.hands[:]
        copy.stack = self.stack
        copy.removed = self.removed
        return copy

    def refusal(self, action: Action) -> IllegalAction:
        """Return the error that says why the action is refused."""
        who = f"seat {self.seat}" if self.step not in (SETUP, OVER) else "nobody"
        return IllegalAction(f"{shown(action, 200)} is not allowed: {who} is to act, in step {self.step}")


_new = object.__new__
