"""The board of the slow Hell Village (see `reference`), and the functions that its rules share."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from itertools import product
from typing import Any, NamedTuple

from engine.hell_village.components import read_built_in

BOX = read_built_in()
KINDS = ("sacrifice", "armor", "food")
PLACES = [place["id"] for place in BOX["workplaces"]["list"]]
SPACES = {place["id"]: place["spaces"] for place in BOX["workplaces"]["list"]}
CARDS: list[dict[str, Any]] = [
    {**card, "kind": kind}
    for group, kind in (("demons", "demon"), ("plans", "plan"), ("industries", "industry"))
    for card in BOX["hell_cards"][group]
    for _ in range(card["copies"])
]
NAMES = [card["id"] for card in CARDS]
DEMANDS = {card["id"]: card["pay"] for card in BOX["payments"]["list"]}
KNOWLEDGE = {card["id"]: card for card in BOX["knowledge"]["list"]}
SUPERS = {tile["id"]: tile for tile in BOX["super_workplaces"]["list"]}
TILES = BOX["turn_order_tiles"]["list"]
STEPS = {"n": (0, 1), "e": (1, 0), "s": (0, -1), "w": (-1, 0)}
OPPOSITE = {"n": "s", "e": "w", "s": "n", "w": "e"}
PLUS_MINUS = {
    "orc": "slime_farm",
    "old_dragon": "laboratory",
    "fanatic": "human_realm",
    "black_steel_golem": "weapons_factory",
    "jack_o_lantern": "audience_room",
    "mammon": "market",
}
SKIP, STAND, DONE = {"type": "skip"}, {"type": "stand"}, {"type": "done"}
CHOICE = [STAND, {"type": "reroll"}]

Json = dict[str, Any]
Run = Generator[Any, Any, Any]


class Ask(NamedTuple):
    """A decision: who, its kind, the candidates in order."""

    seat: int
    kind: str
    candidates: list[Json]


class Need(NamedTuple):
    """A chance, by the type of its outcome."""

    type: str


def amounts(kind: str, split: Iterable[int]) -> Json:
    return {"type": kind, **dict(zip(KINDS, split, strict=True))}


def splits(count: int, most: Iterable[int]) -> list[tuple[int, ...]]:
    """All ways to make up `count`, at most so many of each kind."""
    return [split for split in product(*[range(limit + 1) for limit in most]) if sum(split) == count]


class Board:
    """All that lies on the table; card numbers in hands and piles, card names elsewhere."""

    def __init__(self, seats: int, options: Json) -> None:
        self.seats, self.options = range(seats), options
        self.turn = self.round = self.pile_number = 0
        self.phase = "setup"
        self.order = list(self.seats)
        self.stock = [[4, 4, 4] for _ in self.seats]
        self.income = [[0, 0] for _ in self.seats]
        self.ep = [0] * seats
        self.hands: list[list[int]] = [[] for _ in self.seats]
        self.played: dict[str, list[list[str]]] = {
            kind: [[] for _ in self.seats] for kind in ("demon", "plan", "industry")
        }
        self.dice: list[list[int]] = [[] for _ in self.seats]
        self.warlock: list[list[int]] = [[] for _ in self.seats]
        self.places: dict[str, list[tuple[int, int]]] = {name: [] for name in PLACES}
        self.village: dict[tuple[int, int], tuple[str, int, bool]] = {}
        self.pile: list[int] = []
        self.discard: list[int] = []
        self.number = [1] * len(CARDS)
        self.knowledge: list[str | None] = [None] * seats
        self.supers: list[str] = []
        self.payments: dict[int, list[str]] = {}
        self.open_until = 1

    # Small things

    def ask(self, seat: int, kind: str, candidates: list[Json], always: bool = False) -> Run:
        """R0.5. Nothing is sent back where the choices come to the same (R0.4): then the first is taken, unasked."""
        if not always and len(candidates) == 1:
            return candidates[0]
        action = yield Ask(seat, kind, candidates)
        if action is None:
            return candidates[0]
        self.turn += 1
        return action

    def has(self, seat: int, demon: str) -> bool:
        return demon in self.played["demon"][seat]

    def room(self, seat: int) -> list[int]:
        return [12 - amount for amount in self.stock[seat]]

    def held(self, seat: int) -> list[str]:
        return list(dict.fromkeys(NAMES[card] for card in sorted(self.hands[seat])))

    def leave(self, seat: int, name: str) -> int:
        card = min((self.number[card], card) for card in self.hands[seat] if NAMES[card] == name)[1]
        self.hands[seat].remove(card)
        return card

    def add(self, seat: int, kinds: Iterable[int]) -> None:
        self.stock[seat] = [min(12, have + more) for have, more in zip(self.stock[seat], kinds, strict=True)]

    def take(self, seat: int, action: Json) -> None:
        """The amounts of a `gain`, or of a `pay` (less)."""
        sign = 1 if action["type"] == "gain" else -1
        self.stock[seat] = [have + sign * action[kind] for have, kind in zip(self.stock[seat], KINDS, strict=True)]

    def gain_any(self, seat: int, count: int) -> Run:
        count = min(count, sum(self.room(seat)))
        if count:
            found = [amounts("gain", split) for split in splits(count, self.room(seat))]
            self.take(seat, (yield from self.ask(seat, "gain", found)))

    def draw(self, seat: int, count: int) -> Run:
        for _ in range(count):
            yield from self.reshuffle()
            if self.pile:
                self.hands[seat].append(self.pile.pop(0))
            if self.options["reshuffle"] == "when_empty":
                yield from self.reshuffle()

    def reshuffle(self) -> Run:
        if not self.pile and self.discard:
            order = (yield Need("deck")).order
            assert sorted(order) == sorted(self.discard)
            self.pile, self.discard = list(order), []
            self.pile_number += 1
            for card in self.pile:
                self.number[card] = self.pile_number

    def give(self, seat: int, kinds: Iterable[int], ep: int = 0, draw: int = 0, free: int = 0) -> Run:
        """R0.8."""
        self.add(seat, kinds)
        self.ep[seat] += ep
        yield from self.draw(seat, draw)
        yield from self.gain_any(seat, free)

    def burns(self, seat: int) -> list[Json]:
        kinds = [kind for kind, room in zip(KINDS, self.room(seat), strict=True) if room]
        names = self.held(seat) if self.has(seat, "salamander") else []
        return [{"type": "burn", "card": name, "kind": kind} for name in names for kind in kinds]

    def ask_or_burn(self, seat: int, kind: str, candidates: Any, always: Any) -> Run:
        """A decision marked B (R7.11): burn as long as the seat likes, then choose."""
        while True:
            burns = self.burns(seat)
            asked = always() or bool(burns)
            action = yield from self.ask(seat, kind, [*candidates(), *burns], asked)
            if action["type"] != "burn":
                return action
            self.discard.append(self.leave(seat, action["card"]))
            self.add(seat, [kind == action["kind"] for kind in KINDS])

    # How it stands (R10)

    def scores(self) -> list[int]:
        found = []
        for seat in self.seats:
            mine = {kind: self.played[kind][seat] for kind in self.played}
            points = self.ep[seat] + sum(CARDS[NAMES.index(name)]["ep"] for names in mine.values() for name in names)
            name = self.knowledge[seat]
            if self.phase == "over" and name is not None:
                counts = {
                    "demons_in_play": len(mine["demon"]),
                    "plans_in_play": len(mine["plan"]),
                    "industries_owned": len(mine["industry"]),
                    "cards_in_hand": len(self.hands[seat]),
                    "card_income": self.income[seat][0],
                    "resource_income": self.income[seat][1],
                    "sets_demon_plan_industry": min(map(len, mine.values())),
                    **{f"{kind}_left": have for kind, have in zip(KINDS, self.stock[seat], strict=True)},
                }
                card = KNOWLEDGE[name]
                points += min(card["cap"], card["ep_each"] * counts[card["count"]])
            found.append(points)
        return found

    def ranks(self) -> list[int]:
        by_resources = self.options["final_tie"] == "resources"
        keys = [(ep, sum(have) if by_resources else 0) for ep, have in zip(self.scores(), self.stock, strict=True)]
        return [sum(other > key for other in keys) for key in keys]
