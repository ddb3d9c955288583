"""Observations as pictures: the lake with the seats around it, dedications, the viewer's tiles, everybody's cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from engine.lanterns.components import COLOUR_NAMES, COLOURS, KINDS
from engine.svg import HUES, MARGIN, SMALLEST, WIDTH, Picture, number

_HUE: Final = {letter: name for letter, name in COLOUR_NAMES.items() if name in HUES}
_CELL: Final = 44
_SMALLEST_CELL: Final = 24
_SIDE: Final = 40
"""The strip at the left edge of the lake, for the badge of a seat and the labels of the rows; as wide at the right."""
_TOP: Final = 36
_COLUMNS: Final = int((WIDTH - 2 * MARGIN - 2 * _SIDE) / _SMALLEST_CELL)
"""The number of cells that fit side by side. A wider lake is drawn in several parts, west to east."""
_ROWS: Final = 3
"""A smaller lake has as much water as this many rows, so that the first pictures of a match have one size."""

_CARD: Final = 27
_CARDS_AT: Final = 52
"""Where the seven columns of cards begin, and how far they lie apart."""
_OTHERS: Final = {"cards": 258, "favor": 294, "tiles": 330, "score": 368}
"""The middle of each column of numbers."""


def draw(observation: Mapping[str, Any]) -> str:
    """Return the picture of one observation."""
    words, aside = _headline(observation)
    scores = "; ".join(f"seat {table['seat']} has {table['score']} points" for table in observation["tables"])
    viewer = observation["viewer"]
    eyes = "a spectator" if viewer is None else f"seat {viewer}"
    picture = Picture(f"Lanterns, {words}", f"Seen by {eyes}. {len(observation['board'])} tiles on the lake. {scores}.")
    picture.header(words, aside)
    y = _lake(picture, observation, 30)
    y = _dedications(picture, observation, y + 8)
    y = _seats(picture, observation, y + 8)
    return picture.svg(y + 6)


def _headline(observation: Mapping[str, Any]) -> tuple[str, str]:
    to_act, turn = observation["to_act"], observation["turn"]
    if to_act is None:
        return "the match is over", f"{turn} turns"
    if not isinstance(to_act, int):
        return "setting up", ""
    left = observation["placements_left"]
    stage = "final goes" if observation["final"] else f"{left} placement{'' if left == 1 else 's'} left"
    return f"turn {turn}: seat {to_act} to {observation['step']}", stage


# --- the lake --------------------------------------------------------------------------------------------------------


def _lake(picture: Picture, observation: Mapping[str, Any], y: float) -> float:
    """Draw the lake, in parts if it is very wide. Return where it ends."""
    board = observation["board"]
    west, east = min((tile["x"] for tile in board), default=0), max((tile["x"] for tile in board), default=0)
    ids = _tile_ids(observation)
    parts = [range(first, min(first + _COLUMNS, east + 1)) for first in range(west, east + 1, _COLUMNS)]
    for columns in parts:
        ends = (columns is parts[0], columns is parts[-1])
        y = _part_of_lake(picture, observation, columns, ends, ids, y) + 4
    return y


def _part_of_lake(
    picture: Picture,
    observation: Mapping[str, Any],
    columns: range,
    ends: tuple[bool, bool],
    ids: Sequence[str],
    y: float,
) -> float:
    board = observation["board"]
    north, south = max((tile["y"] for tile in board), default=0), min((tile["y"] for tile in board), default=0)
    rows = north - south + 1
    cell = min(_CELL, (WIDTH - 2 * MARGIN - 2 * _SIDE) / len(columns))
    height = 2 * _TOP + max(rows * cell, _ROWS * _CELL)
    left, top = (WIDTH - cell * len(columns)) / 2, y + (height - rows * cell) / 2
    picture.rect(MARGIN, y, WIDTH - 2 * MARGIN, height, "water", radius=10)
    if board:
        for x in columns:
            picture.text(left + (x - columns.start + 0.5) * cell, top - 4, str(x), "muted", size=10, anchor="middle")
        for row in range(rows):
            picture.text(left - 5, top + (row + 0.5) * cell + 3.6, str(north - row), "muted", size=10, anchor="end")
    with picture.group(size=10, anchor="middle", bold=True):
        for tile, name in zip(board, ids, strict=False):
            if tile["x"] in columns:
                at = left + (tile["x"] - columns.start) * cell, top + (north - tile["y"]) * cell
                _tile(picture, tile["shown"], tile["platform"], name, at, cell)
    if board and board[-1]["x"] in columns:
        last = board[-1]
        x, down = left + (last["x"] - columns.start) * cell, top + (north - last["y"]) * cell
        with picture.group("last"):
            picture.rect(x - 1, down - 1, cell + 2, cell + 2, None, "accent", radius=5, thick=2.5)
    for table in observation["tables"]:
        _seat_at_the_lake(picture, observation, table, ends, y, height)
    return y + height


def _seat_at_the_lake(
    picture: Picture,
    observation: Mapping[str, Any],
    table: Mapping[str, Any],
    ends: tuple[bool, bool],
    y: float,
    height: float,
) -> None:
    """Draw the badge of a seat at its side, if this part of the lake has that side: the first or the last part."""
    side, seat = table["side"], table["seat"]
    if not ends[0] if side in "NW" else not ends[1]:
        return
    x, down = {
        "N": (WIDTH / 2, y + 14), "S": (WIDTH / 2, y + height - 14),
        "W": (MARGIN + 14, y + height / 2), "E": (WIDTH - MARGIN - 14, y + height / 2),
    }[side]  # fmt: skip
    picture.seat(x, down, seat, acts=seat == observation["to_act"])
    along, across = (18, 4) if side in "NS" else (4, 14)
    if side in "NS":
        words = f"{side}, began" if seat == observation["start_seat"] else side
        picture.text(x + along, down + across, words, "muted", size=10)
    else:
        picture.text(x, down + 10 + across, side, "muted", size=10, anchor="middle")


def _tile(picture: Picture, shown: str, platform: bool, name: str | None, at: tuple[float, float], size: float) -> None:
    """Draw a tile: half a lantern at each side, so that sides that match make whole ones."""
    radius, half = size * 0.33, size / 2
    # The middle of each side, and half of the lantern's width along it, clockwise.
    sides = ((half, 0, radius, 0), (size, half, 0, radius), (half, size, -radius, 0), (0, half, 0, -radius))
    with picture.group(name, *at):
        with picture.group(stroke="line"):
            picture.rect(0.5, 0.5, size - 1, size - 1, "panel", radius=4)
            for letter, (x, y, dx, dy) in zip(shown, sides, strict=True):
                arc = f"A{number(radius)} {number(radius)} 0 0 0 "
                start, end = f"{number(x - dx)} {number(y - dy)}", f"{number(x + dx)} {number(y + dy)}"
                picture.path(f"M{start}{arc}{end}", _HUE[letter])
        for letter, (x, y, dx, dy) in zip(shown, sides, strict=True):
            picture.text(x - dy * 0.46, y + dx * 0.46 + 3.6, letter, f"on-{_HUE[letter]}")
        if platform:
            picture.circle(half, half, size * 0.14, "paper", "ink", thick=1.5)
            picture.circle(half, half, size * 0.05, "ink")


def _tile_ids(observation: Mapping[str, Any]) -> list[str]:
    """Return the id of each tile of the lake, then of the hand: its face, so that it keeps the id when it is placed."""
    met: Counter[int] = Counter()
    ids = []
    for tile in (*observation["board"], *observation.get("hand", ())):
        number = tile["tile"]
        met[number] += 1
        ids.append(f"face-{number}" + (f"-{met[number]}" if met[number] > 1 else ""))
    return ids


# --- beside and below the lake -----------------------------------------------------------------------------------


def _dedications(picture: Picture, observation: Mapping[str, Any], y: float) -> float:
    """Draw the stacks of tokens, the next one filled, and beside them the viewer's tiles. Return where they end."""
    for row, kind in enumerate(KINDS):
        left = observation["dedications"][kind]
        middle = y + 11 + row * 24
        picture.text(MARGIN, middle + 4, kind, bold=True)
        with picture.group(f"stack-{kind}", size=10, anchor="middle", bold=True):
            for place, value in enumerate(left):
                x = 62 + place * 20
                picture.circle(x, middle, 9, "paper" if place else "accent", "muted" if place else "accent")
                picture.text(x, middle + 3.6, str(value), "muted" if place else "on-accent")
        if not left:
            picture.text(54, middle + 4, "none left", "muted")
    generic = observation["generic_left"]
    words = "any number" if generic is None else f"{generic}"
    facts = f"4 for an empty stack: {words}"
    picture.text(MARGIN, y + 84, facts, "muted", size=10)
    if "hand" not in observation:
        return y + 90
    hand = observation["hand"]
    picture.text(250, y + 8, f"tiles of seat {observation['viewer']}", "muted", size=10)
    for place, (tile, name) in enumerate(zip(hand, _tile_ids(observation)[len(observation["board"]) :], strict=True)):
        x = 250 + place * 48
        with picture.group(size=10, anchor="middle", bold=True):
            _tile(picture, tile["sides"], tile["platform"], name, (x, y + 16), _CELL)
        picture.text(x + _CELL / 2, y + 73, f"{tile['tile']}", "muted", size=10, anchor="middle")
    if not hand:
        picture.text(250, y + 30, "none", "muted")
    return y + 90


def _seats(picture: Picture, observation: Mapping[str, Any], y: float) -> float:
    """Draw a table of cards and numbers: the supply, then every seat with its tokens. Return where it ends."""
    for place, letter in enumerate(COLOURS):
        picture.text(_CARDS_AT + 11 + place * _CARD, y + 9, letter, "muted", anchor="middle", bold=True)
    for name, x in _OTHERS.items():
        picture.text(x, y + 9, name, "muted", size=SMALLEST, anchor="middle")
    y += 15
    picture.text(MARGIN, y + 15, "supply", "muted", size=SMALLEST)
    _cards(picture, observation["supply"], "supply", y)
    for name, count in (("favor", observation["favor_supply"]), ("tiles", observation["stack"])):
        picture.text(_OTHERS[name], y + 15, str(count), "muted", size=12, anchor="middle")
    y += 28
    best = max(table["score"] for table in observation["tables"])
    for table in observation["tables"]:
        y = _seat(picture, observation, table, best, y)
    if observation["removed"]:
        picture.text(MARGIN, y + 10, f"{observation['removed']} tiles left the match unseen", "muted", size=SMALLEST)
    return y + 14


def _seat(picture: Picture, observation: Mapping[str, Any], table: Mapping[str, Any], best: int, y: float) -> float:
    seat = table["seat"]
    height = 54 if table["taken"] else 30
    picture.rect(MARGIN, y, WIDTH - 2 * MARGIN, height - 2, "panel", radius=6)
    picture.seat(26, y + 14, seat, acts=seat == observation["to_act"])
    picture.text(44, y + 18, table["side"], "muted", size=SMALLEST, anchor="middle")
    _cards(picture, table["cards"], f"seat-{seat}", y + 3)
    numbers = {
        "cards": sum(table["cards"].values()),
        "favor": table["favor"],
        "tiles": table["hand_size"],
    }
    for name, count in numbers.items():
        picture.text(_OTHERS[name], y + 18, str(count), size=12, anchor="middle")
    fill = "accent" if table["score"] == best > 0 else "ink"
    picture.text(_OTHERS["score"], y + 19, str(table["score"]), fill, size=15, anchor="middle", bold=True)
    if table["taken"]:
        picture.text(_CARDS_AT - 8, y + 43, "took", "muted", size=SMALLEST, anchor="end")
    x = _CARDS_AT + 11.0
    for value, count in sorted(Counter(table["taken"]).items(), reverse=True):
        picture.circle(x, y + 39, 9, "paper", "accent", thick=1.5)
        picture.text(x, y + 42.6, str(value), size=10, anchor="middle", bold=True)
        if count > 1:
            picture.text(x + 12, y + 42.6, f"x {count}", "muted", size=10)
        x += 44 if count > 1 else 22
    return y + height


def _cards(picture: Picture, cards: Mapping[str, int], owner: str, y: float) -> None:
    """Draw the number of cards of each colour; no card is an empty place."""
    for place, letter in enumerate(COLOURS):
        count = cards[letter]
        x = _CARDS_AT + place * _CARD
        if count:
            picture.card(x, y, str(count), _HUE[letter], id=f"{owner}-{letter.lower()}")
        else:
            picture.rect(x, y, 22, 22, None, "line", radius=3, dashed=True)
