"""The data of one full position: where everything is, and the agenda of what is still to happen.

This module has no rules. `flow` and the modules that it calls read and change a position. `state` makes it an
`engine.core.State`.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

from engine.core import CHANCE, Action, Actor, Game
from engine.hell_village.agenda import Step, opening
from engine.hell_village.demons import Powers, powers_of
from engine.hell_village.ruleset import Ruleset

Spot = tuple[int, int]


class Unsure(NamedTuple):
    """A shown copy whose pile number the other seats do not know (R12.3)."""

    card: str
    most: tuple[tuple[int, int], ...]
    """Each pile number that it may have had, and how many unsure cards of the seat, up to this one, can have had it."""
    pile: int
    """The pile number that it had. Only its seat knows it."""


_COPIED = (
    "order", "ep", "stock", "income", "dice", "warlock", "workplaces", "hands", "demons", "plans", "industries",
    "powers", "dealt", "returned", "knowledge", "knowledge_dealt", "shown", "unsure", "agenda",
)  # fmt: skip
"""The lists that `clone` copies. Their entries are immutable."""

_SHARED = (
    "game", "rules", "seats", "turn", "round", "phase", "village", "pile", "top", "discard", "pile_number", "numbers",
    "payments", "payments_gone", "face_up", "supers", "to_act", "legal",
)  # fmt: skip
"""The values that are never changed in place, only replaced."""


class Position:
    """One position, hidden cards included."""

    __slots__ = (*_COPIED, *_SHARED)

    game: Game
    rules: Ruleset
    seats: int
    turn: int
    """The number of decisions so far."""
    round: int
    """0 during the setup, then 1 to the last round."""
    phase: str
    order: list[int]
    """The seats in tile order (R3.4)."""
    ep: list[int]
    stock: list[int]
    """Three numbers for each seat."""
    income: list[int]
    """Two numbers for each seat: card, resource."""
    dice: list[tuple[int, ...]]
    """The dice in each hand, ascending."""
    warlock: list[tuple[int, ...]]
    workplaces: list[tuple[tuple[int, int], ...]]
    """(owner, value) of each die in the order of placement (R5.5)."""
    hands: list[tuple[int, ...]]
    """The card numbers in each hand, ascending."""
    demons: list[tuple[int, ...]]
    plans: list[tuple[int, ...]]
    industries: list[tuple[int, ...]]
    powers: list[Powers]
    village: dict[Spot, tuple[int, int, bool]]
    """(card number, owner, turned) by position, in the order of building, without the start land."""
    pile: tuple[int, ...]
    top: int
    """The number of cards that have been drawn from `pile`."""
    discard: tuple[int, ...]
    pile_number: int
    """The number of the current pile (R12.3), or 0 before the first one."""
    numbers: bytes
    """The pile number of each card."""
    dealt: list[tuple[int, ...]]
    """The cards dealt to each seat at setup."""
    returned: list[tuple[int, ...]]
    """The cards that each seat gave back at setup (R2.7)."""
    knowledge: list[str | None]
    """The knowledge card that each seat kept."""
    knowledge_dealt: list[tuple[str, ...]]
    payments: tuple[tuple[str, ...], ...]
    """The payment cards of each round. Empty before they are drawn, and for a round that is over."""
    payments_gone: tuple[str, ...]
    face_up: int
    """The payment cards of the rounds up to this one are open."""
    supers: tuple[str, ...]
    shown: list[tuple[str, ...]]
    """The cards that each seat has shown and that certainly were of the first pile (R12.4)."""
    unsure: list[tuple[Unsure, ...]]
    """The cards that each seat has shown and whose pile number the others do not know (R12.3)."""
    agenda: list[Step]
    to_act: Actor
    legal: tuple[Action, ...] | None
    """The legal list of the pending decision, or `None` until it is needed."""

    def __init__(self, game: Game, rules: Ruleset) -> None:
        """Begin a match before the first chance."""
        tables, seats = rules.tables, rules.seats
        self.game, self.rules, self.seats = game, rules, seats
        self.turn = self.round = 0
        self.phase = "setup"
        self.order = list(range(seats))
        self.ep = [tables.start_ep] * seats
        self.stock = list(tables.start_stock) * seats
        self.income = list(tables.start_income) * seats
        self.dice, self.warlock = [()] * seats, [()] * seats
        self.workplaces = [()] * len(rules.spaces)
        self.hands, self.demons, self.plans, self.industries = [()] * seats, [()] * seats, [()] * seats, [()] * seats
        self.powers = [powers_of(tables, ())] * seats
        self.village = {}
        self.pile, self.top, self.discard = (), 0, ()
        self.pile_number, self.numbers = 0, bytes([1]) * len(tables.cards)
        self.dealt, self.returned, self.knowledge_dealt = [()] * seats, [()] * seats, [()] * seats
        self.knowledge = [None] * seats
        self.payments, self.payments_gone, self.face_up = (), (), 1
        self.supers = ()
        self.shown, self.unsure = [()] * seats, [()] * seats
        self.agenda = opening(rules)
        self.to_act = CHANCE
        self.legal = ()

    def clone(self) -> Self:
        """Return an independent copy."""
        copy: Self = _new(type(self))
        copy.game = self.game
        copy.rules = self.rules
        copy.seats = self.seats
        copy.turn = self.turn
        copy.round = self.round
        copy.phase = self.phase
        copy.village = self.village
        copy.pile = self.pile
        copy.top = self.top
        copy.discard = self.discard
        copy.pile_number = self.pile_number
        copy.numbers = self.numbers
        copy.payments = self.payments
        copy.payments_gone = self.payments_gone
        copy.face_up = self.face_up
        copy.supers = self.supers
        copy.to_act = self.to_act
        copy.legal = self.legal
        copy.order = self.order[:]
        copy.ep = self.ep[:]
        copy.stock = self.stock[:]
        copy.income = self.income[:]
        copy.dice = self.dice[:]
        copy.warlock = self.warlock[:]
        copy.workplaces = self.workplaces[:]
        copy.hands = self.hands[:]
        copy.demons = self.demons[:]
        copy.plans = self.plans[:]
        copy.industries = self.industries[:]
        copy.powers = self.powers[:]
        copy.dealt = self.dealt[:]
        copy.returned = self.returned[:]
        copy.knowledge = self.knowledge[:]
        copy.knowledge_dealt = self.knowledge_dealt[:]
        copy.shown = self.shown[:]
        copy.unsure = self.unsure[:]
        copy.agenda = self.agenda[:]
        return copy

    def essence(self) -> tuple[Any, ...]:
        """Return everything that can differ between positions of one match, to compare two of them (R0.4)."""
        return (
            self.to_act, self.turn, self.round, self.phase, self.village, self.pile, self.top, self.discard,
            self.pile_number, self.numbers, self.payments, self.payments_gone, self.face_up, self.supers, self.order,
            self.ep, self.stock, self.income, self.dice, self.warlock, self.workplaces, self.hands, self.demons,
            self.plans, self.industries, self.knowledge, self.knowledge_dealt, self.dealt, self.returned, self.shown,
            self.unsure, self.agenda,
        )  # fmt: skip


_new = object.__new__
