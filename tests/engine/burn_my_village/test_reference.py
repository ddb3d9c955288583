"""The engine against a second, slow one that is written from the rules alone: lists of names instead of packed numbers.

Whole matches are played on both; at each turn the legal actions, their order, and what everybody sees must be the same.
"""

from __future__ import annotations

from itertools import combinations
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.burn_my_village import GAME
from engine.burn_my_village.components import COMPONENTS, NAMES, TYPES

PRICES = (0, 1, 2, 3)


class Reference:
    """A match after setup; actions are their JSON."""

    def __init__(self, seats: int, options: dict[str, Any], track: tuple[str, ...], order: tuple[str, ...]) -> None:
        deck = list(order)
        self.seats, self.options = seats, options
        self.track = list(track)
        self.hands = [[deck.pop(0) for _ in range(7)] for _ in range(seats)]
        self.stalls: list[list[str]] = [[], [], [], []]
        for _ in range(options["market_start"]):
            for stall in (3, 2, 1, 0):
                self.stalls[stall].append(deck.pop(0))
        self.deck = deck
        self.known: list[list[str]] = [[] for _ in range(seats)]
        self.columns: list[dict[str, list[str]]] = [{} for _ in range(seats)]
        self.discards: list[str] = []
        self.next_stall = 3
        self.seat, self.turn = 0, 0
        self.ended: str | None = None

    def legal(self) -> list[dict[str, Any]]:
        """The list of the section "Actions", by trying everything."""
        hand = self.hands[self.seat]
        others = [*self.purchases(hand), *self.bribes(hand)]
        if not self.deck and others and self.options["empty_draw"] == "forced_only":
            return others
        return [{"type": "draw"}, *others]

    def purchases(self, hand: list[str]) -> list[dict[str, Any]]:
        found = []
        for stall in PRICES:
            if not self.stalls[stall]:
                continue
            if stall == 0:
                found.append({"type": "buy", "stall": 0, "pay": {}, "curse": None})
                continue
            payments = {tuple(sorted(NAMES.index(card) for card in cards)) for cards in combinations(hand, stall)}
            for codes in sorted(payments):
                paid = [NAMES[code] for code in codes]
                counts = {name: paid.count(name) for name in NAMES if name in paid}
                found += [
                    {"type": "buy", "stall": stall, "pay": counts, "curse": curse} for curse in TYPES if curse in paid
                ]
        return found

    def bribes(self, hand: list[str]) -> list[dict[str, Any]]:
        return [
            {"type": "bribe", "treasure": name, "cards": cards, "wilds": wilds}
            for name in TYPES
            for cards in range(hand.count(name) + 1)
            for wilds in range(hand.count("wild") + 1)
            if cards or (wilds and name in self.columns[self.seat])
        ]

    def play(self, action: dict[str, Any]) -> None:
        seat = self.seat
        self.turn += 1
        self.seat = (seat + 1) % self.seats
        if action["type"] == "buy":
            self.buy(seat, action)
        elif action["type"] == "bribe":
            self.bribe(seat, action)
        elif self.deck:
            self.hands[seat].append(self.deck.pop(0))
        else:
            self.end("empty_draw")

    def buy(self, seat: int, action: dict[str, Any]) -> None:
        paid = [name for name, count in action["pay"].items() for _ in range(count)]
        self.spend(seat, paid)
        self.discards += paid
        goods, self.stalls[action["stall"]] = self.stalls[action["stall"]], []
        self.hands[seat] += goods
        self.known[seat] += goods
        for _ in range(action["stall"]):
            self.step(action["curse"], -1)

    def bribe(self, seat: int, action: dict[str, Any]) -> None:
        name = action["treasure"]
        cards = [name] * action["cards"] + ["wild"] * action["wilds"]
        self.spend(seat, cards)
        self.columns[seat].setdefault(name, []).extend(cards)
        for _ in cards:
            self.step(name, 1)
        stall = self.next_stall
        card = None
        while card not in (name, "wild"):
            if not self.deck:
                self.end("refill")
                break
            card = self.deck.pop(0)
            self.stalls[stall].append(card)
            stall = (stall - 1) % 4
        if self.options["refill_start"] == "continue":
            self.next_stall = stall

    def spend(self, seat: int, cards: list[str]) -> None:
        for card in cards:
            self.hands[seat].remove(card)
            if card in self.known[seat]:
                self.known[seat].remove(card)

    def step(self, name: str, way: int) -> None:
        """One space up or down, if there is one: two tokens change places."""
        space = self.track.index(name)
        if 0 <= space + way <= 5:
            self.track[space], self.track[space + way] = self.track[space + way], self.track[space]

    def end(self, cause: str) -> None:
        self.ended = cause
        for hand, columns in zip(self.hands, self.columns, strict=True):
            for card in hand[:]:
                if card in columns:
                    hand.remove(card)
                    columns[card].append(card)
        self.known = [hand[:] for hand in self.hands]

    def scores(self) -> list[int]:
        worth = dict(zip(self.track, self.values, strict=True), wild=2)
        return [
            sum(worth[name] * len(cards) for name, cards in columns.items()) - sum(worth[card] for card in hand)
            for hand, columns in zip(self.hands, self.columns, strict=True)
        ]

    def ranks(self) -> list[int]:
        keys = [
            [points, *(len(columns.get(name, ())) for name in reversed(self.track))]
            for points, columns in zip(self.scores(), self.columns, strict=True)
        ]
        return [sum(other > key for other in keys) for key in keys]

    @property
    def values(self) -> list[int]:
        values: list[int] = COMPONENTS["track"]["choices"][self.options["track"]]
        return values

    def seen(self, viewer: int | None) -> dict[str, Any]:
        """The observation, key by key as the rules list it."""
        tables = [
            {
                "hand_size": len(self.hands[seat]),
                "known": counted(self.known[seat]),
                "bribes": {
                    name: {"cards": cards.count(name), "wilds": cards.count("wild")}
                    for name in TYPES
                    if (cards := self.columns[seat].get(name))
                },
                "hand": counted(self.hands[seat]) if self.ended else None,
            }
            for seat in range(self.seats)
        ]
        seen = {
            "viewer": viewer,
            "seats": self.seats,
            "to_act": None if self.ended else self.seat,
            "turn": self.turn,
            "options": self.options,
            "track": self.track,
            "values": self.values,
            "stalls": self.stalls,
            "next_stall": self.next_stall,
            "deck": len(self.deck),
            "wilds": COMPONENTS["wilds_used"][self.options["wilds"]][str(self.seats)],
            "discards": counted(self.discards),
            "tables": tables,
            "ended": self.ended,
        }
        return seen if viewer is None else {**seen, "hand": counted(self.hands[viewer])}


def counted(cards: list[str]) -> dict[str, int]:
    return {name: cards.count(name) for name in NAMES if name in cards}


@settings(max_examples=20, deadline=None)
@given(
    seats=st.sampled_from(GAME.seats),
    options=st.fixed_dictionaries({name: st.sampled_from(option.choices) for name, option in GAME.options.items()}),
    seed=st.integers(0, 2**32),
    taste=st.sampled_from(["any", "draw", "buy", "bribe"]),
)
def test_whole_matches_are_played_alike(seats: int, options: dict[str, Any], seed: int, taste: str) -> None:
    """R1 to R9: both give the same lists in the same order, the same views, scores and ranks, under all options."""
    rng, state = Random(seed), GAME.new(seats, options)
    track = state.sample_chance(rng)
    state.apply(track)
    shuffle = state.sample_chance(rng)
    state.apply(shuffle)
    reference = Reference(seats, options, track[0], shuffle[0])
    limit = 2 * len(reference.deck) + sum(map(bool, reference.stalls)) + 1
    while state.to_act is not None:
        listed = [GAME.encode(action) for action in state.legal_actions()]
        assert listed == reference.legal()
        for viewer in (None, rng.randrange(seats)):
            assert state.observation(viewer) == reference.seen(viewer)
        tasty = [action for action in listed if action["type"] == taste]
        chosen = rng.choice(tasty if tasty and rng.random() < 0.6 else listed)
        state.apply(GAME.decode(chosen))
        reference.play(chosen)
    for viewer in (None, *range(seats)):
        assert state.observation(viewer) == reference.seen(viewer)
    assert list(state.scores()) == reference.scores()
    assert list(state.ranks()) == reference.ranks()
    assert reference.turn <= limit <= GAME.max_turns
