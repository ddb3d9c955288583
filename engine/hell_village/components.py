"""The components of Hell Village: cards, workplaces and limits, all read from one component table.

`components.json` beside this module is the built-in table. Every value has a source mark (R1.6). The code repeats none
of its numbers, so another table of the same form makes another game (see `engine.hell_village.game.HellVillage`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final

from engine.hell_village import actions

KINDS: Final = ("sacrifice", "armor", "food")
"""The resource kinds, always in this order (R0.1)."""

SIDES: Final = "nesw"
"""The sides of a village card in the order in which they are resolved. x grows to the east, y to the north."""

EVIL_WORSHIP, HUMAN_REALM, WEAPONS_FACTORY, SLIME_FARM, FAIRY_MINE = range(5)
WAR_ROOM, LABORATORY, MARKET, CEMETERY, AUDIENCE_ROOM = range(5, 10)
WORKPLACES: Final = (
    "evil_worship", "human_realm", "weapons_factory", "slime_farm", "fairy_mine",
    "war_room", "laboratory", "market", "cemetery", "audience_room",
)  # fmt: skip
"""The ids of the workplaces by number (R1.4). Their effects are code, so every table has exactly these."""

NO_LIMIT: Final = 1 << 20
"""The number of spaces of a workplace that never fills up."""

Kinds = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Card:
    """One copy of a hell card, and what is printed on it."""

    number: int
    id: str
    name: str
    kind: str
    """`demon`, `plan` or `industry`."""
    dice: tuple[int, ...]
    """Each of these die values plays the card (R1.6)."""
    cost: Kinds
    total: int
    """The sum of the printed cost."""
    ep: int
    effect: Mapping[str, Any]
    """The hook of a demon and its numbers. Empty for other cards."""
    gain: Kinds
    gain_any: int
    """The resources of any kind that a plan gives when it is played (R7.6)."""
    edges: tuple[str, ...]
    """The symbols of an industry in the order of `SIDES`. Blank for other cards."""
    play: actions.Play
    discard: actions.Discard
    bury: actions.Bury
    burn: tuple[actions.Burn, ...]
    """The actions of burning the card, one for each kind."""


@dataclass(frozen=True, slots=True)
class Payment:
    """One payment card: the resources of each kind and of any kind that it demands."""

    id: str
    name: str
    kinds: Kinds
    any: int


@dataclass(frozen=True, slots=True)
class Knowledge:
    """One knowledge card: what it counts, the EP for each, and its maximum."""

    id: str
    name: str
    each: int
    count: str
    cap: int


@dataclass(frozen=True, slots=True)
class Extra:
    """What a seat gets in addition when it uses a workplace (R6.10, R11.2)."""

    kinds: Kinds = (0, 0, 0)
    ep: int = 0
    draw: int = 0
    any: int = 0

    def plus(self, other: Extra) -> Extra:
        """Return the sum of both."""
        a, b = self.kinds, other.kinds
        kinds = (a[0] + b[0], a[1] + b[1], a[2] + b[2])
        return Extra(kinds, self.ep + other.ep, self.draw + other.draw, self.any + other.any)

    def times(self, factor: int) -> Extra:
        """Return this extra, multiplied by a factor."""
        a, b, c = self.kinds
        return Extra((a * factor, b * factor, c * factor), self.ep * factor, self.draw * factor, self.any * factor)


NO_EXTRA: Final = Extra()


@dataclass(frozen=True, slots=True)
class SuperTile:
    """One super workplace: the workplace that it replaces and what it adds (R11)."""

    id: str
    workplace: int
    extra: Extra
    play_card: bool


def kinds_of(data: Mapping[str, int]) -> Kinds:
    """Return amounts by kind as a tuple. A missing kind counts 0."""
    return (data.get("sacrifice", 0), data.get("armor", 0), data.get("food", 0))


def extra_of(data: Mapping[str, Any]) -> Extra:
    """Return the `Extra` of a table's `{"sacrifice": 2, "ep": 1, "draw": 1, "any": 2}`."""
    return Extra(kinds_of(data), data.get("ep", 0), data.get("draw", 0), data.get("any", 0))


def read_built_in() -> dict[str, Any]:
    """Return a new copy of the built-in table as plain JSON data. The caller may change it."""
    data: dict[str, Any] = json.loads(files("engine.hell_village").joinpath("components.json").read_text("utf-8"))
    return data


class Tables:
    """One component table, prepared for the rules. `check_tables` must have accepted `data` before."""

    payments: dict[str, Payment]
    knowledge: dict[str, Knowledge]
    supers: dict[str, SuperTile]
    numbers_of: dict[str, tuple[int, ...]]
    """The card numbers of each design."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._read_numbers(data)
        self._read_boards(data)
        self.cards = tuple(_cards(data))
        self.numbers_of = {}
        for card in self.cards:
            self.numbers_of[card.id] = (*self.numbers_of.get(card.id, ()), card.number)
            self.names[card.id] = card.name
        edges = data["start_land"]["edges"]
        self.start_land: str = data["start_land"]["id"]
        self.start_edges = tuple(edges[side] for side in SIDES)

    def name(self, card: str) -> str:
        """Return the printed name of a card or workplace. Anything without a name gets its id in plain words."""
        return self.names.get(card) or card.replace("_", " ").title()

    def _read_numbers(self, data: Mapping[str, Any]) -> None:
        constant = {name: entry["value"] for name, entry in data["constants"].items()}
        limit = {name: entry["value"] for name, entry in data["limits"].items()}
        self.rounds: int = constant["rounds"]
        self.dice_per_seat: int = constant["dice_per_seat"]
        self.hand_limit: int = constant["hand_limit"]
        self.start_stock = kinds_of(constant["start_stock"])
        self.start_income = (constant["start_income"]["card"], constant["start_income"]["resource"])
        self.start_ep: int = constant["start_ep"]
        self.cards_dealt: int = constant["hell_cards_dealt"]
        self.cards_kept: int = constant["hell_cards_kept"]
        self.knowledge_dealt: int = constant["knowledge_dealt"]
        self.payments_by_round = tuple(constant["payment_cards_by_round"][str(r + 1)] for r in range(self.rounds))
        self.ep_per_unpaid: int = constant["ep_per_unpaid_resource"]
        self.worship_dice: int = constant["evil_worship"]["dice_set"]
        self.worship = extra_of({name: n for name, n in constant["evil_worship"].items() if name != "dice_set"})
        self.war_room = tuple((row["from"], row["each"], row["any"]) for row in constant["war_room"])
        self.cemetery_ep: int = constant["cemetery_ep_per_card"]
        self.audience_resource: int = constant["audience_room_resource"]
        rewards = constant["edge_rewards"]
        self.match_ep: int = rewards["ep2"]["ep"]
        self.match_card = (rewards["card"]["card_income"], rewards["card"]["draw"])
        self.match_resource = (rewards["resource"]["resource_income"], rewards["resource"]["any"])
        self.kick_lowers_by: int = constant["kick_lowers_by"]
        self.stock_limit: int = limit["stock_row"]
        self.income_limit: int = limit["income_row"]
        self.industry_limit: int = limit["industries_per_seat"]

    def _read_boards(self, data: Mapping[str, Any]) -> None:
        self.tiles = tuple((tile["cards"], tile["resources"]) for tile in data["turn_order_tiles"]["list"])
        self.spaces: dict[int, tuple[int, ...]] = {
            seats: tuple(
                NO_LIMIT if place["spaces"] is None else place["spaces"][str(seats)]
                for place in data["workplaces"]["list"]
            )
            for seats in range(2, 6)
        }
        self.super_rounds: tuple[int, ...] = tuple(data["super_workplaces"]["rounds"])
        self.supers = {
            tile["id"]: SuperTile(
                tile["id"],
                WORKPLACES.index(tile["replaces"]),
                extra_of(tile["extra"]),
                bool(tile["extra"].get("play_card")),
            )
            for tile in data["super_workplaces"]["list"]
        }
        self.payments = {
            card["id"]: Payment(card["id"], card["name"], kinds_of(card["pay"]), card["pay"]["any"])
            for card in data["payments"]["list"]
        }
        self.first_payment: str = data["payments"]["list"][0]["id"]
        self.knowledge = {
            card["id"]: Knowledge(card["id"], card["name"], card["ep_each"], card["count"], card["cap"])
            for card in data["knowledge"]["list"]
        }
        self.names: dict[str, str] = {card["id"]: card["name"] for card in data["workplaces"]["list"]}
        self.names |= {card.id: card.name for card in self.payments.values()}
        self.names |= {card.id: card.name for card in self.knowledge.values()}
        self.payment_index = {name: index for index, name in enumerate(self.payments)}
        self.knowledge_index = {name: index for index, name in enumerate(self.knowledge)}


def _cards(data: Mapping[str, Any]) -> list[Card]:
    cards = []
    for kind, group in (("demon", "demons"), ("plan", "plans"), ("industry", "industries")):
        for entry in data["hell_cards"][group]:
            cost = kinds_of(entry["cost"])
            edges = entry.get("edges", {})
            gain = entry.get("gain", {})
            for copy in range(entry["copies"]):
                card = Card(
                    number=entry["number"] + copy,
                    id=entry["id"],
                    name=entry["name"],
                    kind=kind,
                    dice=tuple(entry["dice"]),
                    cost=cost,
                    total=sum(cost),
                    ep=entry["ep"],
                    effect=entry.get("effect", {}),
                    gain=kinds_of(gain),
                    gain_any=gain.get("any", 0),
                    edges=tuple(edges.get(side, "blank") for side in SIDES),
                    play=actions.play(entry["id"]),
                    discard=actions.discard(entry["id"]),
                    bury=actions.bury(entry["id"]),
                    burn=tuple(actions.burn(entry["id"], name) for name in KINDS),
                )
                cards.append(card)
    return cards
