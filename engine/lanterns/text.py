"""Observations and events as text for people: plain ASCII, at most 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, Final

from engine.core import counted
from engine.lanterns.components import COLOUR_NAMES, COLOURS, KINDS

WIDTH: Final = 80
_LABEL: Final = 4
_COLUMNS: Final = (WIDTH - _LABEL - 1) // 4
"""The number of cells that fit side by side. A wider lake is drawn in several parts, west to east."""


def draw(observation: Mapping[str, Any]) -> str:
    """Return one observation as text: who acts, the lake, the stacks, the seats, and the viewer's hand."""
    lines = [_headline(observation), ""]
    lines += _lake(observation["board"])
    lines += _stacks(observation)
    lines += _seats(observation)
    if observation.get("hand"):
        tiles = [f"{entry['tile']} {entry['sides']}{'*' if entry['platform'] else ''}" for entry in observation["hand"]]
        lines.append(f"hand of seat {observation['viewer']} (sides N, E, S, W): {', '.join(tiles)}")
    return "\n".join(line.rstrip() for line in lines)


def _headline(observation: Mapping[str, Any]) -> str:
    to_act = observation["to_act"]
    if to_act is None:
        return f"Lanterns after {counted(observation['turn'], 'turn')}: the match is over"
    if not isinstance(to_act, int):
        return "Lanterns: setting up"
    stage = "final goes" if observation["final"] else f"{counted(observation['placements_left'], 'placement')} left"
    side = observation["tables"][to_act]["side"]
    return f"Lanterns, turn {observation['turn']}: seat {to_act} ({side}) to {observation['step']}; {stage}"


def _lake(board: Sequence[Mapping[str, Any]]) -> list[str]:
    """Draw the lake and every cell for a next tile, north at the top. `*` is a platform, `[ ]` the last tile."""
    if not board:
        return []
    west, east = min(tile["x"] for tile in board) - 1, max(tile["x"] for tile in board) + 1
    lines = []
    for first in range(west, east + 1, _COLUMNS):
        lines += _part_of_lake(board, range(first, min(first + _COLUMNS, east + 1)))
        lines.append("")
    return lines


def _part_of_lake(board: Sequence[Mapping[str, Any]], columns: range) -> list[str]:
    south, north = min(tile["y"] for tile in board) - 1, max(tile["y"] for tile in board) + 1
    rows = [[" "] * (4 * len(columns) + 1) for _ in range(4 * (north - south + 1) + 1)]

    def put(x: int, y: int, down: int, texts: Sequence[str]) -> None:
        """Write lines of text into the 5 x 5 box of a cell. Neighbours share their borders."""
        for row, line in enumerate(texts, start=4 * (north - y) + down):
            for column, letter in enumerate(line, start=4 * (x - columns.start)):
                rows[row][column] = letter if letter != " " else rows[row][column]

    taken = {(tile["x"], tile["y"]) for tile in board}
    beside = {(x + dx, y + dy) for x, y in taken for dx, dy in ((0, 1), (1, 0), (0, -1), (-1, 0))}
    for x, y in beside - taken:
        if x in columns:
            put(x, y, 2, ["  ."])
    for tile in board:  # in the order of placing, so that the brackets of the last tile stay on top
        if tile["x"] in columns:
            north_side, east_side, south_side, west_side = tile["shown"]
            left, right = "[]" if tile is board[-1] else "||"
            middle = f"{left}{west_side}{'*' if tile['platform'] else ' '}{east_side}{right}"
            box = ["+---+", f"| {north_side} |", middle, f"| {south_side} |", "+---+"]
            put(tile["x"], tile["y"], 0, box)
    header = " " * _LABEL + "".join(f"{x:>3} " for x in columns)
    # The middle line of each row of cells has the row's label. The border lines above and below the lake are dropped.
    lines = [f"{north - row // 4:>3} " if row % 4 == 2 else " " * _LABEL for row in range(len(rows))]
    drawn = [label + "".join(row) for label, row in zip(lines, rows, strict=True)]
    return [header, *(line for line in drawn[1:-1] if line.strip())]


def _stacks(observation: Mapping[str, Any]) -> list[str]:
    generic = observation["generic_left"]
    supply = " ".join(f"{letter}{observation['supply'][letter]}" for letter in COLOURS)
    return [
        f"supply {supply}   favor {observation['favor_supply']}"
        f"   generic {'no limit' if generic is None else generic}"
        f"   stack {observation['stack']}   out {observation['removed']}",
        "   ".join(f"{kind} {_numbers(observation['dedications'][kind])}" for kind in KINDS),
        "",
    ]


def _numbers(values: Sequence[int]) -> str:
    return " ".join(map(str, values)) if values else "none"


def _seats(observation: Mapping[str, Any]) -> list[str]:
    lines = ["  seat side   " + "  ".join(COLOURS) + "  cards favor tiles score  tokens"]
    for table in observation["tables"]:
        mark = ">" if table["seat"] == observation["to_act"] else " "
        start = "s" if table["seat"] == observation["start_seat"] else " "
        counts = "".join(f"{number or '.':>3}" for number in map(table["cards"].get, COLOURS))
        row = (
            f"{mark}{start}{table['seat']:>3} {table['side']:>4} {counts} {sum(table['cards'].values()):>6}"
            f" {table['favor']:>5} {table['hand_size']:>5} {table['score']:>5}  "
        )
        tokens = " ".join(map(str, table["taken"]))
        lines += textwrap.wrap(row + tokens, WIDTH, subsequent_indent=" " * len(row), drop_whitespace=False) or [row]
    return lines


def describe(event: Mapping[str, Any]) -> str:
    """Return one event, as its viewer sees it, as one line."""
    seat = event.get("seat")
    match event["type"]:
        case "orient":
            return f"the red side of the start tile faces seat {seat}, which begins (turned by {event['rotation']})"
        case "shuffle":
            cards = ", ".join(f"seat {owner} takes {_card(letter)}" for owner, letter in enumerate(event["cards"]))
            hand = f"; own tiles {', '.join(map(str, event['hand']))}" if "hand" in event else ""
            return f"the tiles are dealt; {cards}{hand}"
        case "skip":
            return f"seat {seat} does not {event['step']}"
        case "exchange":
            return f"seat {seat} pays 2 favor and {_card(event['give'])} for {_card(event['take'])}"
        case "dedicate":
            return f"seat {seat} dedicates {event['cards']} for {event['value']}"
        case "discard":
            return f"seat {seat} discards {_card(event['card'])}"
        case "draw":
            return f"seat {seat} draws {'tile ' + str(event['tile']) if 'tile' in event else 'a tile'}"
    return _placed(event)


def _placed(event: Mapping[str, Any]) -> str:
    parts = [
        f"seat {event['seat']} places tile {event['tile']} at {event['x']},{event['y']} turned by {event['rotation']}"
    ]
    if event["bonus"]:
        parts.append(f"bonus {' '.join(event['bonus'])}")
    if event["favor"]:
        parts.append(f"earns {event['favor']} favor")
    gains = [f"{letter} to seat {owner}" for owner, letter in enumerate(event["gains"]) if letter is not None]
    parts.append(", ".join(gains) if gains else "nobody takes a card")
    return "; ".join(parts)


def _card(letter: str) -> str:
    return f"{COLOUR_NAMES[letter]} ({letter})"
