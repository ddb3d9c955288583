"""The lower part of a picture: the board of every seat, what it has played, and the viewer's own cards."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from engine.hell_village.components import KINDS, Card, Tables
from engine.hell_village.picture_signs import SEAT_HUES, amount, amounts
from engine.svg import MARGIN, SMALLEST, WIDTH, Picture, fitted, text_width, wrapped

_RIGHT: Final = WIDTH - MARGIN
_LINE: Final = 19
_GROUPS: Final = {"demons": "black", "plans": "white"}
_EDGES: Final = {"ep2": "2", "card": "c", "resource": "r", "equal": "=", "blank": "-"}

_COUNTS: Final[dict[str, Callable[[Mapping[str, Any]], int]]] = {
    "demons_in_play": lambda table: len(table["demons"]),
    "plans_in_play": lambda table: len(table["plans"]),
    "industries_owned": lambda table: len(table["industries"]),
    "sacrifice_left": lambda table: table["stock"]["sacrifice"],
    "armor_left": lambda table: table["stock"]["armor"],
    "food_left": lambda table: table["stock"]["food"],
    "cards_in_hand": lambda table: table["hand_size"],
    "card_income": lambda table: table["income"]["card"],
    "resource_income": lambda table: table["income"]["resource"],
    "sets_demon_plan_industry": lambda table: min(len(table[group]) for group in ("demons", "plans", "industries")),
}
"""What a knowledge card can count (R10.2), from what is open in front of a seat."""


def points(tables: Tables, observation: Mapping[str, Any], seat: int) -> int:
    """Return the points of a seat: EP and its cards in play, at the end also its knowledge card (R10.1, R10.4)."""
    table = observation["tables"][seat]
    played = (name for group in ("demons", "plans", "industries") for name in table[group])
    ep: int = table["ep"] + sum(_card(tables, name).ep for name in played)
    if observation["knowledge"]:
        knowledge = tables.knowledge[observation["knowledge"][seat]]
        ep += min(knowledge.cap, knowledge.each * _COUNTS[knowledge.count](table))
    return ep


def draw_seats(picture: Picture, tables: Tables, observation: Mapping[str, Any], y: float) -> float:
    """Draw a panel for each seat. Return where they end."""
    for seat in range(observation["seats"]):
        y = _seat(picture, tables, observation, seat, y) + 4
    return y


def _seat(picture: Picture, tables: Tables, observation: Mapping[str, Any], seat: int, y: float) -> float:
    table = observation["tables"][seat]
    chips = list(_placed(_chips(tables, observation, seat)))
    height = 34 + (max((line for *_, line in chips), default=-1) + 1) * _LINE
    picture.rect(MARGIN, y, WIDTH - 2 * MARGIN, height, "panel", radius=6)
    picture.rect(MARGIN, y, 5, height, SEAT_HUES[seat], radius=2)
    picture.seat(31, y + 16, seat, acts=seat == observation["to_act"])
    with picture.group(bold=True):
        for place, kind in enumerate(KINDS):
            amount(picture, kind, table["stock"][kind], 49 + place * 33, y + 10)
        amount(picture, "card", table["income"]["card"], 176, y + 10)
        amount(picture, "any", table["income"]["resource"], 202, y + 10)
    picture.text(150, y + 20, "gets", "muted", size=SMALLEST)
    picture.text(230, y + 20, f"hand {table['hand_size']}", size=SMALLEST)
    for place, value in enumerate(table["dice"]):
        with picture.group(f"die-{seat}-{place}", 278 + place * 18, y + 6, anchor="middle"):
            picture.rect(0, 0, 16, 20, SEAT_HUES[seat], "line", radius=4)
            picture.text(8, 14.5, str(value), f"on-{SEAT_HUES[seat]}", size=13, bold=True)
    picture.text(_RIGHT - 7, y + 21, f"{points(tables, observation, seat)} EP", size=13, anchor="end", bold=True)
    for words, hue, x, line in chips:
        _chip(picture, words, hue, x, y + 31 + line * _LINE)
    return y + height


def _chips(tables: Tables, observation: Mapping[str, Any], seat: int) -> Iterator[tuple[str, str | None]]:
    """Yield what lies in front of a seat, each with its colour: its demons, its plans, and short facts."""
    table = observation["tables"][seat]
    for group, hue in _GROUPS.items():
        for name in table[group]:
            yield tables.name(name), hue
    if count := len(table["industries"]):
        yield f"{count} {'industry' if count == 1 else 'industries'}", SEAT_HUES[seat]
    if table["warlock_dice"]:
        yield f"on Warlock: {' '.join(map(str, table['warlock_dice']))}", None
    if observation["round"] == 0 and table["kept"]:
        yield "has chosen its cards", None
    if observation["knowledge"]:
        yield f"knowledge: {tables.name(observation['knowledge'][seat])}", None


def _placed(chips: Iterator[tuple[str, str | None]]) -> Iterator[tuple[str, str | None, float, int]]:
    """Yield the chips with their x and their line, one after the other like words."""
    x, line = 22.0, 0
    for words, hue in chips:
        width = _width(words)
        if x + width > _RIGHT - 6:
            x, line = 22.0, line + 1
        yield words, hue, x, line
        x += width + 4


def _chip(picture: Picture, words: str, hue: str | None, x: float, y: float) -> None:
    if hue is None:
        picture.text(x + 2, y + 12, words, "muted", size=SMALLEST)
        return
    picture.rect(x, y, _width(words), 16, hue, "line", radius=8)
    picture.text(x + _width(words) / 2, y + 12, words, f"on-{hue}", size=SMALLEST, anchor="middle")


def _width(words: str) -> float:
    return text_width(words, SMALLEST) + 12


# --- the viewer's cards ------------------------------------------------------------------------------------------


def draw_hand(picture: Picture, tables: Tables, observation: Mapping[str, Any], y: float) -> float:
    """Draw the viewer's hell cards with dice, cost and EP, and its knowledge. Return where they end."""
    me = observation.get("me")
    if me is None:
        return y
    names = [card["card"] for card in me["hand"]] or ([] if me["returned"] else me["dealt"])
    picture.text(MARGIN, y + 12, f"cards of seat {me['seat']}", size=12, bold=True)
    for x, words in ((178, "dice"), (226, "cost"), (312, "gives")):
        picture.text(x, y + 12, words, "muted", size=SMALLEST)
    picture.text(_RIGHT - 6, y + 12, "EP", "muted", size=SMALLEST, anchor="end")
    y += 18
    for place, name in enumerate(names):
        _row(picture, _card(tables, name), place, y)
        y += 21
    if not names:
        picture.text(MARGIN + 4, y + 12, "none", "muted")
        y += 18
    for name in me["knowledge"]:
        knowledge = tables.knowledge[name]
        counted = knowledge.count.replace("_", " ")
        words = f"knowledge: {knowledge.name}, {knowledge.each} EP each for {counted}, at most {knowledge.cap}"
        for line in wrapped(words.split(" "), SMALLEST, WIDTH - 2 * MARGIN):
            picture.text(MARGIN, y + 12, line, "muted", size=SMALLEST)
            y += 14
    return y + 2


def _row(picture: Picture, card: Card, place: int, y: float) -> None:
    """Draw one card of the hand in a line: kind, name, dice, cost, what it gives, EP."""
    with picture.group(f"hand-{place}", MARGIN, y):
        picture.rect(0, 0, WIDTH - 2 * MARGIN, 19, "panel", radius=4)
        hue = {"demon": "black", "plan": "white"}.get(card.kind, "green")
        picture.rect(3, 2, 15, 15, hue, "line", radius=3)
        picture.text(23, 13.5, fitted(card.name, 11, 142))
        with picture.group(bold=True):
            picture.text(7, 13.5, card.kind[0].upper(), f"on-{hue}")
            picture.text(168, 13.5, " ".join(map(str, card.dice)))
            amounts(picture, card.cost, 216, 4)
            if card.kind == "plan":
                amounts(picture, (*card.gain, card.gain_any), 302, 4)
            picture.text(WIDTH - 2 * MARGIN - 6, 13.5, str(card.ep), anchor="end")
        if card.kind == "industry":
            picture.text(302, 13.5, " ".join(_EDGES[edge] for edge in card.edges), "muted")


def _card(tables: Tables, name: str) -> Card:
    return tables.cards[tables.numbers_of[name][0]]
