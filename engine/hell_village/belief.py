"""What a viewer considers possible: all that it sees stays the same, and all that is hidden is dealt again (R12).

The constructor turns an observation into a state without hidden cards. `HellBelief.sample` deals the hidden cards. Card
numbers are labels: copies of a design get their numbers in the order in which they are read.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping
from random import Random
from typing import Any

from engine.core import Belief, Game
from engine.hell_village.agenda import CARD_STEPS, DEAL
from engine.hell_village.components import KINDS, WORKPLACES, Tables
from engine.hell_village.demons import powers_of
from engine.hell_village.position import Position, Unsure
from engine.hell_village.ruleset import make_ruleset
from engine.hell_village.state import HellState
from engine.hell_village.worlds import Deal, HiddenCard, Known, UnsureCard, Worlds


class _Labels:
    """The card numbers of each design that no card of the observation has yet."""

    def __init__(self, tables: Tables) -> None:
        self.free = {name: list(numbers) for name, numbers in tables.numbers_of.items()}

    def take(self, name: str) -> int:
        return self.free[name].pop(0)

    def take_all(self, names: Iterable[str]) -> tuple[int, ...]:
        return tuple([self.take(name) for name in names])

    def rest(self) -> list[int]:
        return [number for numbers in self.free.values() for number in numbers]


class HellBelief(Belief):
    """All positions that one observation allows, all equally likely (R12.2)."""

    __slots__ = (
        "_dealt",
        "_deck",
        "_foreign",
        "_free",
        "_kept",
        "_knowledge",
        "_others",
        "_payments",
        "_returned",
        "_seen",
        "_worlds",
    )

    def __init__(self, game: Game, tables: Tables, observation: Mapping[str, Any]) -> None:
        viewer = observation["viewer"]
        options = {name: observation["options"][name] for name in game.options}
        state = HellState(game, make_ruleset(tables, game.check_seats(observation["seats"]), options))
        labels = _Labels(tables)
        names = [step[0] for step in observation["agenda"]]
        me = observation.get("me")
        self._seen = state
        self._others = [seat for seat in range(state.seats) if seat != viewer]
        self._worlds: Worlds | None = None
        """The worlds, once the first pile exists. Before, cards are dealt, but nobody has drawn a card."""
        self._deck: list[int] = []
        """Before the first pile: the cards that were not dealt to the viewer."""
        self._dealt: Counter[str] = Counter()
        self._returned: Counter[str] = Counter()
        self._foreign: Counter[str] = Counter()
        """Once the first pile exists: what was dealt to the viewer, what of it went back, and all other cards."""
        self._kept = [sum(table["cards_by_pile"].values()) for table in observation["tables"]]
        """Before the first pile: how many cards each seat has kept."""
        _read_boards(state, observation)
        if me is not None:
            _read_hand(state, labels, viewer, me)
        _read_cards(state, labels, observation)
        self._free = labels.free
        if observation["pile_number"]:
            self._worlds = Worlds(self._read_hidden(observation, me))
        elif not any(step[:2] == ["deck", DEAL] for step in observation["agenda"]):
            self._deck = labels.rest()
        self._read_payments(observation)
        self._knowledge: list[str] = []
        if "knowledge" not in names:
            known = {name for dealt in state.knowledge_dealt for name in dealt}
            known |= {name for name in observation["knowledge"] or () if name is not None}
            self._knowledge = [name for name in tables.knowledge if name not in known]

    def _read_hidden(self, observation: Mapping[str, Any], me: Mapping[str, Any] | None) -> Known:
        """Find what the viewer knows of the hidden cards."""
        tables = self._seen.rules.tables
        boards = {seat: observation["tables"][seat] for seat in self._others}
        unsure = [
            UnsureCard(seat, entry["card"], {int(pile): most for pile, most in sorted(entry["most"].items())})
            for seat, table in boards.items()
            for entry in table["shown_unsure"]
        ]
        mine: list[tuple[str, int]] = []
        drawn: Counter[str] = Counter()
        if me is not None:
            table = observation["tables"][me["seat"]]
            shown = [entry["card"] for entry in table["shown_unsure"]]
            mine = [(card["card"], card["pile"]) for card in me["hand"]]
            mine += zip(shown, me["unsure_piles"], strict=True)
            self._dealt, self._returned = Counter(me["dealt"]), Counter(me["returned"])
            drawn = Counter(card for card, pile in mine if pile == 1) + Counter(table["shown_from_first_pile"])
            drawn -= self._dealt - self._returned
        self._foreign = Counter(card.id for card in tables.cards) - self._dealt
        pools = {int(pile): Counter(names) for pile, names in observation["recycled"].items()}
        for card, pile in mine:
            if pile > 1:
                pools[pile][card] -= 1
        # All other hidden cards, and those that were shown as unsure, are of the first pile.
        first = Counter({name: len(numbers) for name, numbers in self._free.items()})
        first.update(entry.card for entry in unsure)
        for pool in pools.values():
            first.subtract(pool)
        pools[1] = first
        order = {name: numbers[0] for name, numbers in tables.numbers_of.items()}
        return Known(
            pools={pile: sorted(pools[pile].elements(), key=order.__getitem__) for pile in sorted(pools)},
            pile=observation["pile_number"],
            counts={
                seat: {int(pile): count for pile, count in table["cards_by_pile"].items()}
                for seat, table in boards.items()
            },
            shown={seat: tuple(table["shown_from_first_pile"]) for seat, table in boards.items()},
            unsure=unsure,
            kept=tables.cards_kept,
            returned=self._returned,
            foreign=self._foreign,
            drawn=drawn,
        )

    def _read_payments(self, observation: Mapping[str, Any]) -> None:
        """Find the payment cards that are known, and those that may be face down (R12.6)."""
        state = self._seen
        groups = [tuple(observation["payments"][str(r)]) for r in range(1, state.rules.tables.rounds + 1)]
        known = {name for group in groups for name in group if name} | set(observation["payments_gone"])
        self._payments = [name for name in state.rules.tables.payments if name not in known]
        state.payments_gone = tuple(observation["payments_gone"])
        state.payments = tuple(groups)
        open_rounds = [number for number, group in enumerate(groups, 1) if group and None not in group]
        state.face_up = max(open_rounds, default=len(groups))
        if any(step[0] == "payments" for step in observation["agenda"]):
            state.payments, self._payments = (), []

    def sample(self, rng: Random) -> HellState:
        """Return one of the positions: the hidden cards are dealt at random, in a way that fits."""
        state = self._seen.clone()
        if self._worlds is not None:
            self._deal_hands(state, self._worlds.deal(rng), rng)
        elif self._deck:
            self._deal_setup(state, rng)
        self._deal_knowledge(state, rng)
        self._deal_payments(state, rng)
        return state

    def _deal_hands(self, state: HellState, deal: Deal, rng: Random) -> None:
        """Give the other seats and the pile the cards of a deal."""
        free = {card: numbers[:] for card, numbers in self._free.items()}
        for copies in free.values():
            if len(copies) > 1:
                rng.shuffle(copies)
        numbers = bytearray(state.numbers)
        given_back: list[int] = []

        def number(hidden: HiddenCard) -> int:
            found = free[hidden.card].pop()
            numbers[found] = hidden.pile
            if hidden.given_back:
                given_back.append(found)
            return found

        kept: dict[int, list[int]] = {}
        for seat, cards in deal.hands.items():
            held = [number(hidden) for hidden in cards]
            kept[seat] = held[: deal.held[seat]]
            state.hands[seat] = tuple(sorted(held))
        state.pile, state.top = tuple([number(hidden) for hidden in deal.pile]), 0
        state.numbers = bytes(numbers)
        pile_of = iter(deal.unsure)
        for seat in self._others:
            state.unsure[seat] = tuple([entry._replace(pile=next(pile_of)) for entry in state.unsure[seat]])
        self._deal_past(state, kept, deal.kept_and_shown, given_back, rng)

    def _deal_past(
        self,
        state: HellState,
        kept: dict[int, list[int]],
        kept_and_shown: Mapping[int, list[str]],
        given_back: list[int],
        rng: Random,
    ) -> None:
        """Say which cards each seat was dealt at setup: what the other seats observe in the sample depends on it.

        A seat was dealt what it kept, and any of the cards that nobody kept and that were not dealt to the viewer.
        """
        tables = state.rules.tables
        used = {*given_back, *(number for held in kept.values() for number in held)}

        def unused(names: Iterable[str]) -> list[int]:
            found = []
            for name in names:
                # A card that lies open is more likely to be meant than a hidden copy. Nobody can tell them apart.
                numbers = [number for number in tables.numbers_of[name] if number not in used]
                found.append(next((number for number in numbers if number not in self._free[name]), numbers[-1]))
                used.add(found[-1])
            return found

        if self._dealt:
            viewer = next(seat for seat in range(state.seats) if seat not in kept)
            back = [tables.cards[number].id for number in given_back]
            rest = unused((self._returned - Counter(back)).elements())
            state.returned[viewer] = tuple(sorted(given_back + rest))
            others = unused((self._dealt - self._returned).elements())
            state.dealt[viewer] = tuple(sorted([*state.returned[viewer], *others]))
        for seat, names in kept_and_shown.items():
            kept[seat] += unused(names)
        gone = Counter(tables.cards[number].id for numbers in kept.values() for number in numbers)
        needed = sum(tables.cards_dealt - len(numbers) for numbers in kept.values())
        names = rng.sample(list((self._foreign - gone).elements()), needed)
        for seat, numbers in kept.items():
            back_again = unused([names.pop() for _ in range(tables.cards_dealt - len(numbers))])
            state.returned[seat] = tuple(sorted(back_again))
            state.dealt[seat] = tuple(sorted([*numbers, *back_again]))

    def _deal_setup(self, state: HellState, rng: Random) -> None:
        """Deal the cards of the other seats during the setup. Seats that have chosen keep some of them (R12.5)."""
        tables = state.rules.tables
        deck = self._deck[:]
        rng.shuffle(deck)
        for seat in self._others:
            dealt = sorted(deck[: tables.cards_dealt])
            del deck[: tables.cards_dealt]
            state.dealt[seat] = tuple(dealt)
            kept = sorted(rng.sample(dealt, self._kept[seat]))
            state.hands[seat] = tuple(kept)
            if kept:
                state.returned[seat] = tuple(card for card in dealt if card not in kept)
        state.pile = tuple(deck)

    def _deal_knowledge(self, state: HellState, rng: Random) -> None:
        """Deal different knowledge cards to the other seats, none that was dealt to the viewer (R12.7)."""
        if not self._knowledge:
            return
        tables = state.rules.tables
        names = self._knowledge[:]
        rng.shuffle(names)
        for seat in self._others:
            kept = state.knowledge[seat]
            dealt = [] if not kept or kept == _CHOSEN else [kept]
            while len(dealt) < tables.knowledge_dealt:
                dealt.append(names.pop())
            if kept == _CHOSEN:
                state.knowledge[seat] = dealt[0]
            state.knowledge_dealt[seat] = tuple(sorted(dealt, key=tables.knowledge_index.__getitem__))

    def _deal_payments(self, state: HellState, rng: Random) -> None:
        """Draw the payment cards that are face down (R12.6)."""
        if state.face_up >= len(state.payments):
            return
        names = self._payments[:]
        rng.shuffle(names)
        groups = []
        for group in state.payments:
            if None in group:
                drawn = [names.pop() for _ in group]
                group = tuple(sorted(drawn, key=state.rules.tables.payment_index.__getitem__))
            groups.append(group)
        state.payments = tuple(groups)


_CHOSEN = "?"
"""The placeholder for a knowledge card that another seat kept."""


def _tuples(value: Any) -> Any:
    return tuple([_tuples(entry) for entry in value]) if isinstance(value, list) else value


def _read_boards(state: Position, observation: Mapping[str, Any]) -> None:
    """Read everything that is not a card."""
    tables = observation["tables"]
    state.turn, state.round, state.phase = observation["turn"], observation["round"], observation["phase"]
    state.order = list(observation["order"])
    state.to_act = observation["to_act"]
    state.legal = None if isinstance(state.to_act, int) else ()
    state.ep = [table["ep"] for table in tables]
    state.stock = [table["stock"][kind] for table in tables for kind in KINDS]
    state.income = [table["income"][kind] for table in tables for kind in ("card", "resource")]
    state.dice = [tuple(table["dice"]) for table in tables]
    state.warlock = [tuple(table["warlock_dice"]) for table in tables]
    for number, name in enumerate(WORKPLACES):
        dice = observation["workplaces"][name]["dice"]
        state.workplaces[number] = tuple([(seat, value) for seat, value in dice])
    state.supers = tuple(tile for _, tile in sorted(observation["super_workplaces"].items()))
    state.pile_number = observation["pile_number"]
    state.shown = [tuple(table["shown_from_first_pile"]) for table in tables]
    me = observation.get("me")
    for seat, table in enumerate(tables):
        # A seat knows the pile numbers of its own cards. Those of the others are drawn.
        mine = me["unsure_piles"] if me is not None and me["seat"] == seat else itertools.repeat(0)
        state.unsure[seat] = tuple(
            Unsure(entry["card"], tuple(sorted((int(p), most) for p, most in entry["most"].items())), pile)
            for entry, pile in zip(table["shown_unsure"], mine, strict=False)
        )
    shown = observation["knowledge"]
    for seat, table in enumerate(tables):
        if table["kept"]:
            state.knowledge[seat] = shown[seat] if shown else _CHOSEN


def _read_hand(state: Position, labels: _Labels, viewer: int, me: Mapping[str, Any]) -> None:
    """Read the viewer's own cards."""
    if state.pile_number:
        state.hands[viewer] = labels.take_all(card["card"] for card in me["hand"])
        numbers = bytearray(state.numbers)
        for number, card in zip(state.hands[viewer], me["hand"], strict=True):
            numbers[number] = card["pile"]
        state.numbers = bytes(numbers)
    else:
        dealt = labels.take_all(me["dealt"])
        rest = list(dealt)
        kept = []
        for card in me["hand"]:
            number = next(n for n in rest if state.rules.tables.cards[n].id == card["card"])
            rest.remove(number)
            kept.append(number)
        state.dealt[viewer] = dealt
        state.hands[viewer] = tuple(kept)
        state.returned[viewer] = tuple(rest) if kept else ()
    removed = me["removed_knowledge"]
    names = me["knowledge"] if removed is None else [*me["knowledge"], removed]
    state.knowledge_dealt[viewer] = tuple(sorted(names, key=state.rules.tables.knowledge_index.__getitem__))
    if removed is not None:
        state.knowledge[viewer] = me["knowledge"][0]


def _read_cards(state: Position, labels: _Labels, observation: Mapping[str, Any]) -> None:
    """Read all open cards, and the card that is being played."""
    tables = state.rules.tables
    for seat, table in enumerate(observation["tables"]):
        state.demons[seat] = labels.take_all(table["demons"])
        state.plans[seat] = labels.take_all(table["plans"])
        state.powers[seat] = powers_of(tables, state.demons[seat])
    for entry in observation["village"][1:]:
        number, owner = labels.take(entry["card"]), entry["owner"]
        state.village[entry["x"], entry["y"]] = (number, owner, entry["turned"])
        state.industries[owner] = (*state.industries[owner], number)
    state.discard = labels.take_all(observation["discard"])
    state.agenda = []
    played: int | None = None
    for step in reversed(observation["agenda"]):
        read = list(_tuples(step))
        if step[0] in CARD_STEPS:
            if played is None:
                played = labels.take(step[2])
            read[2] = played
        state.agenda.append(tuple(read))
