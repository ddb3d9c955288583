"""Observations as pictures: the track as a stair to the dragon, the stalls, and what lies in front of every seat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from engine.burn_my_village.components import FIRST_STALL, NAMES, STALLS, WILD_NAME, WILD_PENALTY
from engine.core import counted
from engine.svg import MARGIN, SMALLEST, WIDTH, Picture

_HUES: Final = ("red", "blue", "white", "black", "orange", "purple", "green")
_HUE: Final = dict(zip(NAMES, _HUES, strict=True))
_ICON: Final = dict(
    zip(
        NAMES,
        (
            "M6 0H8V14H6ZM5 2C1 0 -1 4 1 9C3 7 4 7 5 7ZM9 2C13 0 15 4 13 9C11 7 10 7 9 7Z",
            "M2 14L3 9C4 4 8 1 13 1C13 6 10 10 6 11.5L4 12L3 14Z",
            "M2 1H12V4H11V10H12V13H2V10H3V4H2ZM5 5V6H9V5ZM5 8V9H9V8Z",
            "M7 0L9 2V8H11V10H8V14H6V10H3V8H5V2Z",
            "M1 12V3L4 7L7 1L10 7L13 3V12Z",
            "M4 1H10L13 5L7 13L1 5Z",
            "M7 0L9 5H14L10 8.5L11.5 14L7 10.5L2.5 14L4 8.5L0 5H5Z",
        ),
        strict=True,
    )
)
"""The outline of each card's sign, 14 units wide and high."""

_STEP: Final = (WIDTH - 2 * MARGIN) / 6
_COLUMNS_AT: Final = 60
_COLUMN: Final = 47
_CHIP: Final = 45
_GOODS: Final = 42
"""The width of a chip of cards at a seat, and in a stall."""


def draw(observation: Mapping[str, Any]) -> str:
    """Return the picture of one observation."""
    words = _headline(observation)
    viewer = observation["viewer"]
    eyes = "a spectator" if viewer is None else f"seat {viewer}"
    order = " ".join(observation["track"]) or "not drawn yet"
    worth = "; ".join(_worth(observation, seat) for seat in range(observation["seats"]))
    picture = Picture(
        f"Please Don't Burn My Village!, {words}", f"Seen by {eyes}. Track, lowest first: {order}. {worth}."
    )
    picture.header(words, f"{counted(observation['deck'], 'card')} in the deck")
    y = _track(picture, observation, 34)
    y = _market(picture, observation, y + 8)
    y = _seats(picture, observation, y + 10)
    return picture.svg(y + 4)


def _headline(observation: Mapping[str, Any]) -> str:
    if observation["ended"] is not None:
        return f"over after {counted(observation['turn'], 'turn')}"
    actor = observation["to_act"]
    return f"turn {observation['turn']}: seat {actor} to act" if isinstance(actor, int) else "setting up"


# --- the track and the market ------------------------------------------------------------------------------------


def _track(picture: Picture, observation: Mapping[str, Any], y: float) -> float:
    """Draw the spaces as a stair, as high as their values, with the token of a type on each. Return where it ends."""
    values: Sequence[int] = observation["values"]
    floor = y + 62 + 13 * max(values)
    picture.text(MARGIN, y + 10, "what a treasure is worth to the dragon", "muted", size=SMALLEST)
    for space, value in enumerate(values):
        x, top = MARGIN + space * _STEP, floor - 18 - 13 * value
        picture.rect(x, top, _STEP - 2, floor - top, "wood", "line", radius=3)
        picture.text(x + _STEP / 2 - 1, floor - 6, str(value), size=14, anchor="middle", bold=True)
    for space, name in enumerate(observation["track"]):
        x, top = MARGIN + space * _STEP + 2, floor - 18 - 13 * values[space] - 38
        with picture.group(f"token-{name}", x, top):
            picture.rect(0, 0, _STEP - 6, 36, _HUE[name], "line", radius=6)
            _icon(picture, name, _STEP / 2 - 10, 4)
            picture.text(_STEP / 2 - 3, 30, name, f"on-{_HUE[name]}", size=11, anchor="middle")
    if not observation["track"]:
        picture.text(MARGIN, y + 30, "the track is not drawn yet", "muted")
    return floor


def _market(picture: Picture, observation: Mapping[str, Any], y: float) -> float:
    """Draw the stalls in the order in which they are filled, with the number of each kind of card."""
    stalls = observation["stalls"]
    width = (WIDTH - 2 * MARGIN + 6) / STALLS
    rows = max(1, *((len(set(goods)) + 1) // 2 for goods in stalls))
    height = 28 + rows * 23
    for place in range(STALLS):
        price = (FIRST_STALL - place) % STALLS
        x = MARGIN + place * width
        picture.rect(x, y, width - 6, height, "panel", "line", radius=6)
        picture.text(x + 8, y + 17, f"price {price}", size=11, bold=True)
        if price == observation["next_stall"]:
            picture.text(x + width - 12, y + 17, "next", "muted", size=SMALLEST, anchor="end")
        goods = Counter(stalls[price])
        for number, name in enumerate(name for name in NAMES if goods[name]):
            spot = x + 3 + number % 2 * (_GOODS + 1), y + 25 + number // 2 * 23
            _chip(picture, name, goods[name], *spot, f"stall-{price}-{name}", width=_GOODS)
        if not goods:
            picture.text(x + 8, y + 40, "empty", "muted", size=SMALLEST)
    return y + height


# --- the seats -------------------------------------------------------------------------------------------------------


def _seats(picture: Picture, observation: Mapping[str, Any], y: float) -> float:
    """Draw a table with a column for each kind of card: the discard pile, then every seat. Return where it ends."""
    for column, name in enumerate(NAMES):
        x = _COLUMNS_AT + column * _COLUMN + _CHIP / 2
        picture.text(x, y + 8, name, "muted", size=SMALLEST, anchor="middle")
    y += 14
    y = _row(picture, "spent", observation["discards"], "discards", y) + 4
    for seat, table in enumerate(observation["tables"]):
        y = _seat(picture, observation, seat, table, y) + 4
    return y


def _seat(picture: Picture, observation: Mapping[str, Any], seat: int, table: Mapping[str, Any], y: float) -> float:
    over, mine = observation["ended"] is not None, seat == observation["viewer"]
    hands = {"hand": observation["hand"]} if mine and not over else {}
    last = {"left": table["hand"] or {}} if over else {"known": table["known"]}
    rows = {**hands, **last}
    picture.rect(MARGIN, y, WIDTH - 2 * MARGIN, 52 + 23 * len(rows), "panel", radius=6)
    picture.seat(26, y + 15, seat, acts=seat == observation["to_act"])
    words = f"{counted(table['hand_size'], 'card')} in hand" + (" (the viewer)" if mine else "")
    picture.text(44, y + 19, words, size=11)
    picture.text(WIDTH - MARGIN - 8, y + 19, _points(observation, table), size=12, anchor="end", bold=True)
    y += 28
    picture.text(MARGIN + 6, y + 14, "bribes", "muted", size=SMALLEST)
    for column, name in enumerate(NAMES):
        bribes = table["bribes"].get(name)
        if bribes:
            x, id = _COLUMNS_AT + column * _COLUMN, f"bribes-{seat}-{name}"
            _chip(picture, name, bribes["cards"], x, y, id, wilds=bribes["wilds"])
    y += 23
    for label, cards in rows.items():
        y = _row(picture, label, cards, f"{label}-{seat}", y)
    return y + 1


def _row(picture: Picture, label: str, cards: Mapping[str, int], owner: str, y: float) -> float:
    picture.text(MARGIN + 6, y + 14, label, "muted", size=SMALLEST)
    for column, name in enumerate(NAMES):
        if cards.get(name):
            _chip(picture, name, cards[name], _COLUMNS_AT + column * _COLUMN, y, f"{owner}-{name}")
    return y + 23


def _chip(
    picture: Picture, name: str, count: int, x: float, y: float, id: str, *, wilds: int = 0, width: float = _CHIP
) -> None:
    """Draw cards of one kind: the sign of the kind, their number, and the Wilds among them in the Wilds' colour."""
    with picture.group(id, x, y, size=12, bold=True):
        picture.rect(0, 0, width, 20, _HUE[name], "line", radius=3)
        corner = 17 if wilds < 10 else 23
        crowded = wilds > 9 or (wilds and count > 9)
        if not crowded:
            _icon(picture, name, 3, 3)
        picture.text(4 if crowded else 19, 14.5, str(count), f"on-{_HUE[name]}")
        if wilds:
            picture.rect(width - corner, 0, corner, 20, _HUE[WILD_NAME], "line", radius=3)
            words, fill = f"+{wilds}", f"on-{_HUE[WILD_NAME]}"
            picture.text(width - corner / 2, 14, words, fill, size=SMALLEST, anchor="middle")


def _icon(picture: Picture, name: str, x: float, y: float) -> None:
    picture.path(_ICON[name], f"on-{_HUE[name]}", at=(x, y))


def _points(observation: Mapping[str, Any], table: Mapping[str, Any]) -> str:
    """Return what the bribes are worth now, or the points of a seat at the end (R8.2)."""
    value = dict(zip(observation["track"], observation["values"], strict=False))
    total = sum(value[name] * (column["cards"] + column["wilds"]) for name, column in table["bribes"].items())
    if observation["ended"] is None:
        return f"bribes worth {total}"
    left = table["hand"] or {}
    return f"{total - sum(value.get(name, WILD_PENALTY) * count for name, count in left.items())} points"


def _worth(observation: Mapping[str, Any], seat: int) -> str:
    return f"Seat {seat}: {_points(observation, observation['tables'][seat])}"
