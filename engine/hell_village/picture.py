"""Observations as pictures: payments, workplaces with their dice, the village, the seats, the viewer's cards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from engine.hell_village.components import WORKPLACES, Tables
from engine.hell_village.picture_seats import draw_hand, draw_seats, points
from engine.hell_village.picture_signs import DIE, SEAT_HUES, amount, die
from engine.hell_village.text import asked, edges_of
from engine.svg import MARGIN, SMALLEST, WIDTH, Picture, fitted, wrapped

_INNER: Final = WIDTH - 2 * MARGIN
_PER_LINE: Final = 6
"""Dice beside each other in a workplace."""
_CELL: Final = 42
_SMALLEST_CELL: Final = 36
_LABELS: Final = 20
_COLUMNS: Final = int((_INNER - 2 * _LABELS) / _SMALLEST_CELL)
"""The number of village cards that fit side by side. A wider village is drawn in several parts, west to east."""


def draw(tables: Tables, observation: Mapping[str, Any]) -> str:
    """Return the picture of one observation."""
    words, when = _headline(tables, observation)
    viewer = observation["viewer"]
    eyes = "a spectator" if viewer is None else f"seat {viewer}"
    scores = "; ".join(
        f"seat {seat} has {points(tables, observation, seat)} EP" for seat in range(observation["seats"])
    )
    picture = Picture(f"Hell Village, {when}: {words}", f"Seen by {eyes}. {scores}.")
    picture.header(fitted(words, 13, _INNER, bold=True))
    picture.text(MARGIN, 36, when, "muted", size=SMALLEST)
    y = _payments(picture, tables, observation, 44)
    y = _workplaces(picture, tables, observation, y + 6)
    y = _facts(picture, tables, observation, y + 2)
    y = _village(picture, tables, observation["village"], y + 6)
    y = draw_seats(picture, tables, observation, y + 6)
    y = draw_hand(picture, tables, observation, y + 2)
    return picture.svg(y + 6)


def _headline(tables: Tables, observation: Mapping[str, Any]) -> tuple[str, str]:
    actor, turn, number = observation["to_act"], observation["turn"], observation["round"]
    phase = observation["phase"].replace("_", " ")
    when = f"turn {turn}, round {number} of {tables.rounds}, {phase}" if number else f"turn {turn}, setup"
    if actor is None:
        return "the match is over", f"{turn} turns"
    if not isinstance(actor, int):
        return "chance decides", when
    return f"seat {actor} to {asked(tables, observation['decision'])}", when


# --- payments and workplaces -------------------------------------------------------------------------------------


def _payments(picture: Picture, tables: Tables, observation: Mapping[str, Any], y: float) -> float:
    """Draw what each round asks, the current round in a frame. Return where it ends."""
    width = (_INNER + 4) / tables.rounds
    for number in range(1, tables.rounds + 1):
        names = observation["payments"][str(number)]
        x, now = MARGIN + (number - 1) * width, number == observation["round"] and bool(names)
        with picture.group(f"payment-{number}", x, y):
            frame = "accent" if now else "line"
            picture.rect(0, 0, width - 4, 48, "wood" if names else "paper", frame, radius=5, thick=2 if now else 1)
            picture.text(5, 13, f"round {number}", "accent" if now else "muted", size=SMALLEST, bold=now and width > 52)
            if not names:
                picture.text(5, 30, "gone" if observation["round"] else "", "muted", size=SMALLEST)
            elif None in names:
                picture.text(width / 2 - 2, 36, "?", "muted", size=18, anchor="middle", bold=True)
            else:
                _demand(picture, tables, names)
    return y + 48


def _demand(picture: Picture, tables: Tables, names: Sequence[str]) -> None:
    """Draw what payment cards ask together (R8.1)."""
    cards = [tables.payments[name] for name in names]
    asks = {kind: sum(card.kinds[place] for card in cards) for place, kind in enumerate(("sacrifice", "armor", "food"))}
    asks["any"] = sum(card.any for card in cards)
    wanted = [(kind, count) for kind, count in asks.items() if count]
    with picture.group(bold=True):
        for place, (kind, count) in enumerate(wanted):
            amount(picture, kind, count, 3 + place % 2 * 25, 17 + place // 2 * 15)
    if not wanted:
        picture.text(5, 30, "nothing", "muted", size=SMALLEST)


def _workplaces(picture: Picture, tables: Tables, observation: Mapping[str, Any], y: float) -> float:
    """Draw the ten workplaces in two columns, by number downwards. Return where they end."""
    half = len(WORKPLACES) // 2
    for row in range(half):
        pair = [(number, observation["workplaces"][WORKPLACES[number]]) for number in (row, row + half)]
        lines = max(max(1, -(-len(place["dice"]) // _PER_LINE)) for _, place in pair)
        height = 20 + lines * 24
        for column, (number, place) in enumerate(pair):
            _workplace(picture, tables, number, place, MARGIN + column * (_INNER + 4) / 2, y, height)
        y += height + 4
    return y


def _workplace(
    picture: Picture, tables: Tables, number: int, place: Mapping[str, Any], x: float, y: float, height: float
) -> None:
    width, spaces, dice = (_INNER - 4) / 2, place["spaces"], place["dice"]
    picture.rect(x, y, width, height, "panel", "accent" if place["super"] else "line", radius=6)
    name = tables.name(WORKPLACES[number]) + (" (super)" if place["super"] else "")
    picture.text(x + 6, y + 13, str(number), "muted", size=SMALLEST, bold=True)
    picture.text(x + 17, y + 13, fitted(name, SMALLEST, width - 20), size=SMALLEST)
    for index, (seat, value) in enumerate(dice):
        spot = x + 6 + index % _PER_LINE * DIE, y + 18 + index // _PER_LINE * 24
        die(picture, value, seat, *spot, f"at-{number}-{index}")
    if spaces is None:
        if not dice:
            picture.text(x + 6, y + 32, "no limit", "muted", size=SMALLEST)
    elif spaces == 0:
        picture.text(x + 6, y + 32, "closed", "muted", size=SMALLEST)
    else:
        for index in range(len(dice), spaces):
            picture.rect(x + 6 + index * DIE, y + 18, DIE - 2, 20, None, "line", radius=4, dashed=True)


def _facts(picture: Picture, tables: Tables, observation: Mapping[str, Any], y: float) -> float:
    """Write the order of the seats, the piles, and which super workplaces are to come. Return where it ends."""
    facts = [f"{observation['pile']} cards in the pile, {len(observation['discard'])} discarded"]
    if observation["order"]:
        facts[0] += f"; seats in tile order: {' '.join(map(str, observation['order']))}"
    supers = [
        f"{tables.name(tile)} from round {number}"
        for number, tile in sorted(observation["super_workplaces"].items())
        if int(number) > observation["round"]
    ]
    facts += wrapped([f"{words}," for words in supers[:-1]] + supers[-1:], SMALLEST, _INNER)
    for words in facts:
        picture.text(MARGIN, y + 10, words, "muted", size=SMALLEST)
        y += 14
    return y


# --- the village -----------------------------------------------------------------------------------------------------


def _village(picture: Picture, tables: Tables, village: Sequence[Mapping[str, Any]], y: float) -> float:
    """Draw the village, north at the top, in parts if it is very wide. Return where it ends."""
    west, east = min(card["x"] for card in village), max(card["x"] for card in village)
    for first in range(west, east + 1, _COLUMNS):
        y = _part_of_village(picture, tables, village, range(first, min(first + _COLUMNS, east + 1)), y) + 4
    picture.text(MARGIN, y + 9, "edges: 2 EP,", "muted", size=SMALLEST)
    _symbol(picture, "card", MARGIN + 82, y + 6)
    picture.text(MARGIN + 90, y + 9, "card,", "muted", size=SMALLEST)
    _symbol(picture, "resource", MARGIN + 127, y + 6)
    picture.text(MARGIN + 135, y + 9, "resource, = equal", "muted", size=SMALLEST)
    return y + 13


def _part_of_village(
    picture: Picture, tables: Tables, village: Sequence[Mapping[str, Any]], columns: range, y: float
) -> float:
    south, north = min(card["y"] for card in village), max(card["y"] for card in village)
    rows: int = north - south + 1
    cell = min(_CELL, (_INNER - 2 * _LABELS) / len(columns))
    left, top = (WIDTH - cell * len(columns)) / 2, y + 18
    height: float = 26 + rows * cell
    picture.rect(MARGIN, y, _INNER, height, "wood", radius=8)
    for x in columns:
        picture.text(left + (x - columns.start + 0.5) * cell, top - 4, str(x), "muted", size=SMALLEST, anchor="middle")
    for row in range(rows):
        picture.text(left - 5, top + (row + 0.5) * cell + 3.6, str(north - row), "muted", size=SMALLEST, anchor="end")
    with picture.group(size=SMALLEST, anchor="middle", bold=True):
        for card in village:
            if card["x"] in columns:
                at = left + (card["x"] - columns.start) * cell, top + (north - card["y"]) * cell
                _building(picture, tables, card, at, cell)
    return y + height


def _building(picture: Picture, tables: Tables, card: Mapping[str, Any], at: tuple[float, float], size: float) -> None:
    """Draw a card of the village: its owner in the middle, and the symbol of each edge."""
    half = size / 2
    with picture.group(f"land-{card['card'].replace('_', '-')}", *at):
        picture.rect(0.5, 0.5, size - 1, size - 1, "paper", "line", radius=4)
        for edge, (x, y) in zip(edges_of(tables, card), ((0, -1), (1, 0), (0, 1), (-1, 0)), strict=True):
            _symbol(picture, edge, half + x * (half - 7), half + y * (half - 7))
        if card["owner"] is not None:
            hue = SEAT_HUES[card["owner"]]
            picture.rect(half - 6.5, half - 6.5, 13, 13, hue, "line", radius=3)
            picture.text(half, half + 4, str(card["owner"]), f"on-{hue}")
        else:
            picture.circle(half, half, 3, "muted")


def _symbol(picture: Picture, edge: str, x: float, y: float) -> None:
    """Draw the symbol of an edge around `(x, y)`; a blank edge has none."""
    if edge == "card":
        picture.rect(x - 3, y - 4, 6, 8, "orange", "line")
    elif edge == "resource":
        picture.polygon(((x, y - 4.5), (x + 4.5, y), (x, y + 4.5), (x - 4.5, y)), "purple", "line")
    elif edge in ("ep2", "equal"):
        picture.text(x, y + 3.6, "2" if edge == "ep2" else "=")
