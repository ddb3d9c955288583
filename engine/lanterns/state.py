"""One full position of Lanterns and the steps of a go."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Sequence
from random import Random
from typing import TYPE_CHECKING, Any, Final

from engine.core import CHANCE, Action, Actor, Event, IllegalAction, State, Viewer, shown
from engine.lanterns import scoring, setup
from engine.lanterns.actions import (
    COST,
    DEDICATION_LISTS,
    DISCARD_LISTS,
    EXCHANGE_LISTS,
    KIND_OF_LENGTH,
    PLACEMENTS,
    SKIP,
    Place,
)
from engine.lanterns.cards import ONE, PILE, count, presence, set_key
from engine.lanterns.components import (
    CARD_LIMIT,
    COLOUR_OF,
    COLOURS,
    EXCHANGE_PRICE,
    GENERIC_VALUE,
    SHOWN,
    STEPS,
    cell_at,
)
from engine.lanterns.events import dedicated, discarded, drawn, exchanged, placed, skipped
from engine.lanterns.observation import observe
from engine.lanterns.ruleset import Ruleset
from engine.lanterns.steps import DEDICATE, DISCARD, EXCHANGE, OVER, PLACE, SETUP

if TYPE_CHECKING:
    from engine.lanterns.game import Lanterns

# (step to the neighbour, side of the new tile, side of the neighbour that it touches) for N, E, S, W (R2.3).
_TOUCHING: Final = tuple((step, side, (side + 2) % 4) for side, step in enumerate(STEPS))


class LanternsState(State):
    """One full position of Lanterns.

    Cards are packed integers (see `cards`), the lake maps cells to codes in order of placing (see `components`), and
    `frontier` holds the empty cells beside it, ascending. Treat all of it as read-only; `apply` changes it.
    """

    __slots__ = (
        "_game",
        "dedications",
        "favor",
        "favor_supply",
        "frontier",
        "generic_left",
        "hands",
        "held",
        "lake",
        "placements_left",
        "removed",
        "rules",
        "seat",
        "stack",
        "start_seat",
        "step",
        "supply",
        "taken",
        "turn",
    )

    def __init__(self, game: Lanterns, rules: Ruleset) -> None:
        """A fresh match, before the start tile is turned."""
        seats = rules.seats
        self._game = game
        self.rules = rules
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
    def game(self) -> Lanterns:
        """Lanterns."""
        return self._game

    @property
    def seats(self) -> int:
        """Number of seats."""
        return self.rules.seats

    @property
    def to_act(self) -> Actor:
        """The seat of the go, chance during setup, `None` when the final goes are over."""
        step = self.step
        if step == SETUP:
            return CHANCE
        return None if step == OVER else self.seat

    @property
    def final(self) -> bool:
        """Are we in the final goes (R10.1)."""
        # Where the limit is checked after placing, the discards after the very last placement still belong to it.
        return self.placements_left == 0 and (self.rules.limit_before_place or self.step != DISCARD)

    def clone(self) -> LanternsState:
        """An independent copy."""
        copy = LanternsState.__new__(LanternsState)
        copy._game = self._game
        copy.rules = self.rules
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

    # What may be done

    def legal_actions(self) -> Sequence[Action]:
        """Every allowed action, in the order of the rules' table of decisions; empty for chance and at the end."""
        step = self.step
        if step == PLACE:
            actions: list[Action] = []
            add = actions.extend  # four at a time: twice as fast as chaining the cells into one iterator
            last = -1
            for tile in self.hands[self.seat]:  # ascending, so the two copies of a face are neighbours
                if tile != last:
                    for placements in map(PLACEMENTS[tile].__getitem__, self.frontier):
                        add(placements)
                    last = tile
            return actions
        if step == DEDICATE:
            return self._dedications()
        if step == EXCHANGE:
            return self._exchanges()
        if step == DISCARD:
            return DISCARD_LISTS[presence(self.held[self.seat])]
        return ()

    def _exchanges(self) -> tuple[Action, ...]:
        return EXCHANGE_LISTS[presence(self.held[self.seat]) | presence(self.supply) >> 1]

    def _dedications(self) -> tuple[Action, ...]:
        actions = DEDICATION_LISTS[set_key(self.held[self.seat])]
        if self.generic_left == 0:
            return tuple(
                action for action in actions if action == SKIP or self.dedications[KIND_OF_LENGTH[len(action[0])]]
            )
        return actions

    # What an action does

    def apply(self, action: Action) -> tuple[Event, ...]:
        """Play one action and return what happened; raises `IllegalAction`, changing nothing, if it is not allowed."""
        return _APPLY[self.step](self, action)

    def refusal(self, action: Action) -> IllegalAction:
        """The error that says why the action is not played."""
        who = f"seat {self.seat}" if self.step not in (SETUP, OVER) else "nobody"
        return IllegalAction(f"{shown(action, 200)} is not allowed: {who} is to act, in step {self.step}")

    def _apply_exchange(self, action: Action) -> tuple[Event, ...]:
        if action not in self._exchanges():
            raise self.refusal(action)
        self.turn += 1
        seat = self.seat
        if action == SKIP:
            self._go_on(DEDICATE)
            return skipped(seat, EXCHANGE)
        give, take, _type = action
        difference = ONE[COLOUR_OF[take]] - ONE[COLOUR_OF[give]]
        self.held[seat] += difference
        self.supply -= difference
        self.favor[seat] -= EXCHANGE_PRICE
        self.favor_supply += EXCHANGE_PRICE
        self._go_on(DEDICATE)
        return exchanged(seat, give, take)

    def _apply_dedicate(self, action: Action) -> tuple[Event, ...]:
        if action not in self._dedications():
            raise self.refusal(action)
        self.turn += 1
        seat = self.seat
        if action == SKIP:
            self._go_on(DISCARD)
            return skipped(seat, DEDICATE)
        cards = action[0]
        self.held[seat] -= COST[cards]
        self.supply += COST[cards]
        kind = KIND_OF_LENGTH[len(cards)]
        tokens = self.dedications[kind]
        if tokens:
            value = tokens[0]
            self.dedications[kind] = tokens[1:]
        else:
            value = GENERIC_VALUE
            if self.generic_left is not None:
                self.generic_left -= 1
        self.taken[seat] += (value,)
        self._go_on(DISCARD)
        return dedicated(seat, cards, value)

    def _apply_discard(self, action: Action) -> tuple[Event, ...]:
        if action not in self.legal_actions():
            raise self.refusal(action)
        self.turn += 1
        seat = self.seat
        letter = action[0]
        card = ONE[COLOUR_OF[letter]]
        self.held[seat] -= card
        self.supply += card
        events = discarded(seat, letter)
        if count(self.held[seat]) > CARD_LIMIT:
            return events
        if self.rules.limit_before_place:
            self._go_on(PLACE)
            return events
        return events + self._finish_placing()

    def _apply_place(self, action: Action) -> tuple[Event, ...]:
        seat = self.seat
        hand = self.hands[seat]
        if type(action) is not Place or action.tile not in hand:
            raise self.refusal(action)
        cell = cell_at(action.x, action.y)
        frontier = self.frontier
        where = bisect_left(frontier, cell)
        # The last comparison also refuses coordinates so far out that they run into another cell's number.
        if where == len(frontier) or frontier[where] != cell or action not in PLACEMENTS[action.tile][cell]:
            raise self.refusal(action)
        self.turn += 1
        self.placements_left -= 1
        del frontier[where]
        left = list(hand)
        left.remove(action.tile)
        self.hands[seat] = tuple(left)
        code = 4 * action.tile + action.rotation
        bonus, favor = self._join(cell, code)
        events = placed(action, seat, bonus, favor, self._pay_facing(code))
        if not self.rules.limit_before_place and count(self.held[seat]) > CARD_LIMIT:
            self.step = DISCARD
            return events
        return events + self._finish_placing()

    def _join(self, cell: int, code: int) -> tuple[str, int]:
        """Lay a tile on the lake and pay its matches (R8.2 to R8.4): letters of the bonus cards, favor tokens."""
        seat, supply, lake, frontier = self.seat, self.supply, self.lake, self.frontier
        platforms = self.rules.platforms
        mine = self.held[seat]
        shown = SHOWN[code]
        bonus = ""
        matches = favor = 0
        for step, side, touching_side in _TOUCHING:
            beside = cell + step
            neighbour = lake.get(beside)
            if neighbour is None:
                spot = bisect_left(frontier, beside)
                if spot == len(frontier) or frontier[spot] != beside:
                    frontier.insert(spot, beside)
                continue
            colour = shown[side]
            if SHOWN[neighbour][touching_side] == colour:
                matches += 1
                if platforms[neighbour]:
                    favor += 1
                if supply & PILE[colour]:  # a missing card is not made up for (R9.1), but its favor is paid (R9.3)
                    supply -= ONE[colour]
                    mine += ONE[colour]
                    bonus += COLOURS[colour]
        lake[cell] = code
        if matches:
            if platforms[code]:
                favor += matches if self.rules.favor_per_match else 1
            favor = min(favor, self.favor_supply)  # R9.4
            self.favor_supply -= favor
            self.favor[seat] += favor
            self.held[seat] = mine
            self.supply = supply
        return bonus, favor

    def _pay_facing(self, code: int) -> list[str | None]:
        """Give every seat, from the placing one on, the card that faces it (R8.5): by seat a letter, or None."""
        rules, held, supply = self.rules, self.held, self.supply
        shown, sides = SHOWN[code], rules.sides
        gains: list[str | None] = [None] * rules.seats
        for owner in rules.clockwise[self.seat]:
            colour = shown[sides[owner]]
            if supply & PILE[colour]:
                supply -= ONE[colour]
                held[owner] += ONE[colour]
                gains[owner] = COLOURS[colour]
        self.supply = supply
        return gains

    def _finish_placing(self) -> tuple[Event, ...]:
        """The placing seat draws, if there is a tile, and its go ends (R8.6)."""
        seat = self.seat
        events: tuple[Event, ...] = ()
        if self.stack:
            tile = self.stack[0]
            self.stack = self.stack[1:]
            hand = list(self.hands[seat])
            insort(hand, tile)
            self.hands[seat] = tuple(hand)
            events = drawn(seat, tile)
        self.seat = (seat + 1) % self.rules.seats
        self._go_on(EXCHANGE)
        return events

    def _go_on(self, step: str) -> None:
        """Find the next step, from the given one of the current go on, that asks something (R4.2, R4.3)."""
        while True:
            seat = self.seat
            if step == EXCHANGE:
                if self.favor[seat] >= EXCHANGE_PRICE and len(self._exchanges()) > 1:
                    self.step = EXCHANGE
                    return
                step = DEDICATE
            if step == DEDICATE:
                if len(self._dedications()) > 1:
                    self.step = DEDICATE
                    return
                step = DISCARD
            if step == DISCARD and self.rules.limit_before_place and count(self.held[seat]) > CARD_LIMIT:
                self.step = DISCARD
                return
            if self.placements_left:
                self.step = PLACE
                return
            # A final go ends here. All have placed equally often, so the first final go is the start seat's (R10.1).
            self.seat = (seat + 1) % self.rules.seats
            if self.seat == self.start_seat:
                self.step = OVER
                return
            step = EXCHANGE

    # Chance

    @property
    def chance_key(self) -> str:
        """`orient`, then `shuffle`; nothing later is random."""
        if self.step != SETUP:
            raise LookupError(f"no chance is pending in step {self.step}")
        return "orient" if self.start_seat is None else "shuffle"

    def sample_chance(self, rng: Random) -> Action:
        """A seat for the red side, or an order of the pool, all equally likely (R3.3, R3.4)."""
        return setup.sample(self, rng)

    def _apply_setup(self, action: Action) -> tuple[Event, ...]:
        if self.start_seat is None:
            return setup.orient(self, action)
        events = setup.deal(self, action)
        self._go_on(EXCHANGE)
        return events

    def _apply_over(self, action: Action) -> tuple[Event, ...]:
        raise self.refusal(action)

    # What is known, and how it stands

    def observation(self, viewer: Viewer) -> dict[str, Any]:
        """All that one viewer may know; see `observation.observe`."""
        return observe(self, viewer)

    def scores(self) -> tuple[float, ...]:
        """The sum of each seat's tokens, at any time (R10.3)."""
        return tuple(map(scoring.score, self.taken))

    def ranks(self) -> tuple[int, ...]:
        """Finishing order by score, favor tokens, held cards (R10.4)."""
        return scoring.ranks([*map(scoring.score, self.taken)], self.favor, [*map(count, self.held)])


_APPLY: Final[dict[str, Callable[[LanternsState, Action], tuple[Event, ...]]]] = {
    SETUP: LanternsState._apply_setup,
    EXCHANGE: LanternsState._apply_exchange,
    DEDICATE: LanternsState._apply_dedicate,
    DISCARD: LanternsState._apply_discard,
    PLACE: LanternsState._apply_place,
    OVER: LanternsState._apply_over,
}
