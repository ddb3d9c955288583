"""One full position of Hell Village: what lies where, and the agenda of what is still to happen.

The agenda is a stack of steps, the next one last. A step is a tuple: its name, then the seat that it concerns (if any)
and plain numbers or words. Three kinds of steps there are: automatic ones, chances, and decisions. All that is pending
is in the agenda, and all of it is public, so an observation that holds the agenda is complete.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from engine.core import CHANCE, Action, Actor, Event, IllegalAction, State, Viewer, shown
from engine.hell_village import actions, flow, observation, scoring
from engine.hell_village.demons import Powers, powers_of
from engine.hell_village.ruleset import Ruleset

if TYPE_CHECKING:
    from engine.hell_village.game import HellVillage

Step = tuple[Any, ...]
Spot = tuple[int, int]

_COPIED = (
    "order", "ep", "stock", "income", "dice", "warlock", "workplaces", "hands", "demons", "plans", "industries",
    "powers", "dealt", "returned", "knowledge", "knowledge_dealt", "shown", "agenda",
)  # fmt: skip
"""Lists that `clone` copies; all that they hold is immutable."""

_SHARED = (
    "_game", "rules", "_seats", "turn", "round", "phase", "village", "pile", "top", "discard", "pile_number", "numbers",
    "payments", "payments_gone", "face_up", "supers", "actor", "_legal",
)  # fmt: skip
"""Values that are never changed in place, only replaced."""


class HellState(State):
    """A position; see the module's docstring. Change it through `apply` alone."""

    __slots__ = (*_COPIED, *_SHARED)

    _game: HellVillage
    rules: Ruleset
    _seats: int
    turn: int
    """Decisions so far."""
    round: int
    """0 during setup, then 1 to the last."""
    phase: str
    order: list[int]
    """Seats in tile order (R3.4)."""
    ep: list[int]
    stock: list[int]
    """Three numbers a seat."""
    income: list[int]
    """Two numbers a seat: card, resource."""
    dice: list[tuple[int, ...]]
    """Dice in hand, ascending."""
    warlock: list[tuple[int, ...]]
    workplaces: list[tuple[tuple[int, int], ...]]
    """(owner, value) of each die in the order of placement (R5.5)."""
    hands: list[tuple[int, ...]]
    """Card numbers, ascending."""
    demons: list[tuple[int, ...]]
    plans: list[tuple[int, ...]]
    industries: list[tuple[int, ...]]
    powers: list[Powers]
    village: dict[Spot, tuple[int, int, bool]]
    """(card number, owner, turned) by position, in the order of building; the start land is not in it."""
    pile: tuple[int, ...]
    top: int
    """How many cards of `pile` have been drawn."""
    discard: tuple[int, ...]
    pile_number: int
    """Number of the present pile (R12.3); 0 before the first is made."""
    numbers: bytes
    """The pile number of each card."""
    dealt: list[tuple[int, ...]]
    """The cards dealt to each seat at setup."""
    returned: list[tuple[int, ...]]
    """The cards that each seat gave back at setup (R2.7)."""
    knowledge: list[str | None]
    """The kept knowledge card."""
    knowledge_dealt: list[tuple[str, ...]]
    payments: tuple[tuple[str, ...], ...]
    """Payment cards of each round; empty before they are drawn, and empty for a round that is over."""
    payments_gone: tuple[str, ...]
    face_up: int
    """Payment cards of the rounds up to this one lie open."""
    supers: tuple[str, ...]
    shown: list[int]
    """R12.4: at `viewer * seats + seat` the cards of the first pile not dealt to the viewer that the seat has shown."""
    agenda: list[Step]
    actor: Actor
    _legal: tuple[Action, ...] | None

    def __init__(self, game: HellVillage, rules: Ruleset) -> None:
        """The position before the first chance."""
        tables, seats = rules.tables, rules.seats
        self._game, self.rules, self._seats = game, rules, seats
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
        self.shown = [0] * (seats * seats)
        self.agenda = flow.opening(rules)
        self.actor = CHANCE
        self._legal = ()

    @property
    def game(self) -> HellVillage:
        """The rule set, with its tables."""
        return self._game

    @property
    def seats(self) -> int:
        """Number of seats."""
        return self._seats

    @property
    def to_act(self) -> Actor:
        """The seat to act, `CHANCE`, or `None` after the last round."""
        return self.actor

    def legal_actions(self) -> tuple[Action, ...]:
        """Every allowed action in the order of the decisions table (RULES.md)."""
        legal = self._legal
        if legal is None:
            legal = self._legal = flow.legal(self)
        return legal

    def apply(self, action: Action) -> tuple[Event, ...]:
        """Play an action of the seat to act or of chance. Raises `IllegalAction` and changes nothing if not allowed."""
        seat = self.actor
        if seat == CHANCE:
            flow.check_chance(self, action)
            out: list[Event] = []
            flow.settle_chance(self, out, action)
        else:
            legal = self._legal
            if legal is None:
                legal = self.legal_actions()
            if action not in legal:
                raise IllegalAction(
                    f"expected one of the {len(legal)} legal actions of seat {seat}, got {shown(action, 200)}"
                )
            assert isinstance(seat, int)
            out = [action_event(seat, action, flow.workplace_of(self))]
            self.turn += 1
            flow.choose(self, out, action)
        flow.advance(self, out)
        return tuple(out)

    @property
    def chance_key(self) -> str:
        """The name of the pending chance; `LookupError` when none is pending."""
        if self.actor != CHANCE:
            raise LookupError(f"no chance is pending: {self.actor} is to act")
        return flow.chance_key(self)

    def sample_chance(self, rng: Random) -> Action:
        """One outcome of the pending chance."""
        if self.actor != CHANCE:
            raise LookupError(f"no chance is pending: {self.actor} is to act")
        return flow.sample_chance(self, rng)

    def observation(self, viewer: Viewer) -> dict[str, Any]:
        """All that one viewer may know, as fresh JSON data (RULES.md, Observation)."""
        return observation.observe(self, viewer)

    def scores(self) -> tuple[float, ...]:
        """EP with all cards in play, and at the end the knowledge cards too (R10.1, R10.4)."""
        return scoring.scores(self)

    def ranks(self) -> tuple[int, ...]:
        """Rank of each seat, 0 is best (R10.3)."""
        return scoring.ranks(self)

    def clone(self) -> HellState:
        """An independent copy."""
        copy: HellState = _new(HellState)
        copy._game = self._game
        copy.rules = self.rules
        copy._seats = self._seats
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
        copy.actor = self.actor
        copy._legal = self._legal
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
        copy.agenda = self.agenda[:]
        return copy

    def essence(self) -> tuple[Any, ...]:
        """All that differs between positions of one match, to compare two of them (R0.4)."""
        return (
            self.actor, self.turn, self.round, self.phase, self.village, self.pile, self.top, self.discard,
            self.pile_number, self.numbers, self.payments, self.payments_gone, self.face_up, self.supers, self.order,
            self.ep, self.stock, self.income, self.dice, self.warlock, self.workplaces, self.hands, self.demons,
            self.plans, self.industries, self.knowledge, self.knowledge_dealt, self.dealt, self.returned, self.shown,
            self.agenda,
        )  # fmt: skip


_new = object.__new__


_events: dict[tuple[int, Action, str | None], Event] = {}


def action_event(seat: int, action: Action, at: str | None) -> Event:
    """The event of a seat's action, with the workplace where that is not in it.

    What a seat keeps at setup is for its own eyes.
    """
    event = _events.get((seat, action, at))
    if event is None:
        fields = actions.encode(action)
        kind = fields.pop("type")
        if at is not None:
            fields["at"] = at
        if kind == "keep":  # made anew each time: there are too many to keep them all
            return Event(kind, {"seat": seat}, {seat: fields})
        event = _events[seat, action, at] = Event(kind, {"seat": seat, **fields})
    return event
