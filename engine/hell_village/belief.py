"""What a viewer considers possible: all that it sees stays the same, and all that is hidden is dealt again (R12).

The constructor turns an observation into a state without hidden cards. `HellBelief.sample` deals the hidden cards. Card
numbers are labels: copies of a design get their numbers in the order in which they are read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from random import Random
from typing import Any

from engine.core import Belief, Game
from engine.hell_village.agenda import CARD_STEPS, DEAL
from engine.hell_village.components import KINDS, WORKPLACES, Tables
from engine.hell_village.demons import powers_of
from engine.hell_village.position import Position
from engine.hell_village.ruleset import make_ruleset
from engine.hell_village.state import HellState


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
    """All positions that one observation allows. R12.3 to R12.7 say what is known about hidden cards."""

    __slots__ = (
        "_counts", "_dealt_to_viewer", "_hidden", "_knowledge", "_must_hold", "_others", "_payments", "_playing",
        "_seen", "_shown",
    )  # fmt: skip

    def __init__(self, game: Game, tables: Tables, observation: Mapping[str, Any]) -> None:
        viewer = observation["viewer"]
        options = {name: observation["options"][name] for name in game.options}
        state = HellState(game, make_ruleset(tables, game.check_seats(observation["seats"]), options))
        labels = _Labels(tables)
        names = [step[0] for step in observation["agenda"]]
        me = observation.get("me")
        self._seen = state
        self._others = [seat for seat in range(state.seats) if seat != viewer]
        self._playing = False
        """Whether the first pile exists. Before, cards are dealt, but nobody has drawn a card."""
        self._hidden: dict[int, list[int]] = {}
        """The hidden cards by pile number. Number 0 is for a deck that has no number yet."""
        self._dealt_to_viewer: set[int] = set()
        self._counts = [
            {int(pile): count for pile, count in table["cards_by_pile"].items()} for table in observation["tables"]
        ]
        _read_boards(state, observation)
        if me is not None:
            _read_hand(state, labels, viewer, me)
        _read_cards(state, labels, observation)
        if observation["pile_number"]:
            self._playing = True
            self._read_hidden(labels, observation, me)
        elif not any(step[:2] == ["deck", DEAL] for step in observation["agenda"]):
            self._hidden[0] = labels.rest()
            self._dealt_to_viewer = set(state.dealt[viewer]) if me is not None else set()
        self._read_shown(me)
        self._read_payments(observation)
        self._knowledge: list[str] = []
        if "knowledge" not in names:
            known = {name for dealt in state.knowledge_dealt for name in dealt}
            known |= {name for name in observation["knowledge"] or () if name is not None}
            self._knowledge = [name for name in tables.knowledge if name not in known]

    def _read_hidden(self, labels: _Labels, observation: Mapping[str, Any], me: Mapping[str, Any] | None) -> None:
        """Find the hidden cards with their pile numbers, and those of them that were dealt to the viewer."""
        state = self._seen
        mine = Counter((card["card"], card["pile"]) for card in me["hand"]) if me is not None else Counter()
        numbers = bytearray(state.numbers)
        for pile, names in sorted(observation["recycled"].items()):
            for name in names:
                if mine[name, int(pile)]:
                    mine[name, int(pile)] -= 1
                    continue
                number = labels.take(name)
                numbers[number] = int(pile)
                self._hidden.setdefault(int(pile), []).append(number)
        state.numbers = bytes(numbers)
        first = self._hidden[1] = labels.rest()
        if me is None:
            return
        unseen: list[int] = []
        for name in me["dealt_unseen"]:
            unseen.append(next(n for n in state.rules.tables.numbers_of[name] if n in first and n not in unseen))
        dealt = unseen[:]
        for name in (Counter(me["dealt"]) - Counter(me["dealt_unseen"])).elements():
            dealt.append(next(n for n in state.rules.tables.numbers_of[name] if n not in first and n not in dealt))
        viewer = me["seat"]
        self._dealt_to_viewer = set(dealt)
        state.dealt[viewer] = tuple(sorted(dealt))
        left = sorted(dealt, reverse=True)
        back = []
        for name in me["returned"]:
            number = next(n for n in left if state.rules.tables.cards[n].id == name)
            left.remove(number)
            back.append(number)
        state.returned[viewer] = tuple(sorted(back))

    def _read_shown(self, me: Mapping[str, Any] | None) -> None:
        """Find how many of the cards that it kept at setup each other seat must still hold (R12.4)."""
        state = self._seen
        self._shown = {int(seat): shown for seat, shown in me["shown_from_first_pile"].items()} if me else {}
        self._must_hold = dict.fromkeys(self._others, 0)
        for seat, shown in self._shown.items():
            state.shown[me["seat"] * state.seats + seat] = shown  # type: ignore[index]
            least = max(0, state.rules.tables.cards_kept - shown)
            self._must_hold[seat] = min(least, self._counts[seat].get(1, 0))

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
        if self._playing:
            self._deal_hands(state, rng)
        elif self._hidden:
            self._deal_setup(state, rng)
        self._deal_knowledge(state, rng)
        self._deal_payments(state, rng)
        return state

    def _deal_hands(self, state: HellState, rng: Random) -> None:
        """Deal the hands of the other seats and the pile, after the setup (R12.3, R12.4)."""
        held: dict[int, list[int]] = {seat: [] for seat in self._others}
        kept: dict[int, list[int]] = {seat: [] for seat in self._others}
        pile: list[int] = []
        for number, cards in self._hidden.items():
            pool = cards[:]
            rng.shuffle(pool)
            needed = {seat: self._counts[seat].get(number, 0) for seat in self._others}
            if number == 1 and any(self._must_hold.values()):
                # A card that a seat kept at setup was not dealt to the viewer. Deal these cards first.
                foreign = [card for card in pool if card not in self._dealt_to_viewer]
                for seat, least in self._must_hold.items():
                    kept[seat] = [foreign.pop() for _ in range(least)]
                    held[seat] += kept[seat]
                    needed[seat] -= least
                taken = {card for cards in kept.values() for card in cards}
                pool = [card for card in pool if card not in taken]
            for seat, count in needed.items():
                held[seat] += pool[:count]
                del pool[:count]
            if number == state.pile_number:
                pile = pool
        for seat, cards in held.items():
            state.hands[seat] = tuple(sorted(cards))
        state.pile, state.top = tuple(pile), 0
        self._deal_past(state, rng, kept)

    def _deal_past(self, state: HellState, rng: Random, kept: Mapping[int, list[int]]) -> None:
        """Choose what the other seats may have been dealt at setup: their observations of the sample need it."""
        tables = state.rules.tables
        seats = state.seats
        used = set(self._dealt_to_viewer)
        for cards in kept.values():
            used.update(cards)
        hidden = set(self._hidden.get(1, ()))
        free = [card for card in range(len(tables.cards)) if card not in used]
        rng.shuffle(free)
        # A kept card that left the hand was shown. Most likely it is now in play in front of the seat.
        for seat in self._others:
            missing = tables.cards_kept - len(kept[seat])
            in_play = {*state.demons[seat], *state.plans[seat], *state.industries[seat]}
            free.sort(key=lambda card, own=in_play: 0 if card in own else 2 if card in hidden else 1)  # type: ignore[misc]
            kept[seat].extend(free[:missing])
            del free[:missing]
        rng.shuffle(free)
        for seat in self._others:
            back = tables.cards_dealt - len(kept[seat])
            state.returned[seat] = tuple(sorted(free[:back]))
            state.dealt[seat] = tuple(sorted([*kept[seat], *free[:back]]))
            del free[:back]
        for viewer in self._others:
            dealt = state.dealt[viewer]
            for seat in range(seats):
                foreign = [card for card in state.hands[seat] if state.numbers[card] == 1 and card not in dealt]
                least = max(0, tables.cards_kept - len(foreign))
                state.shown[viewer * seats + seat] = max(least, self._shown.get(seat, 0))

    def _deal_setup(self, state: HellState, rng: Random) -> None:
        """Deal the cards of the other seats during the setup. Seats that have chosen keep some of them (R12.5)."""
        tables = state.rules.tables
        deck = self._hidden[0][:]
        rng.shuffle(deck)
        for seat in self._others:
            dealt = sorted(deck[: tables.cards_dealt])
            del deck[: tables.cards_dealt]
            state.dealt[seat] = tuple(dealt)
            kept = sorted(rng.sample(dealt, sum(self._counts[seat].values())))
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
        read = [tuple(entry) if isinstance(entry, list) else entry for entry in step]
        if step[0] in CARD_STEPS:
            if played is None:
                played = labels.take(step[2])
            read[2] = played
        state.agenda.append(tuple(read))
