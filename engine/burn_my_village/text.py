"""Observations and events as text for people: plain ASCII, at most 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from engine.burn_my_village.components import NAMES, TOP_SPACE
from engine.core import counted

WIDTH = 80


def draw(observation: Mapping[str, Any]) -> str:
    """Return the table as one viewer sees it."""
    lines = [_headline(observation), *_track(observation), "stalls (price: cards)"]
    for price in range(len(observation["stalls"]) - 1, -1, -1):
        lines += _labelled(f"  {price}: ", observation["stalls"][price], ", ")
    lines += _labelled("discarded: ", _counted(observation["discards"]), ", ")
    for seat, table in enumerate(observation["tables"]):
        marks = [f"seat {seat}", f"{table['hand_size']} in hand"]
        if seat == observation["viewer"]:
            marks.append("this is the viewer")
        lines.append(("> " if observation["to_act"] == seat else "  ") + ", ".join(marks))
        if table["hand"] is not None:
            lines += _labelled("    left in hand: ", _counted(table["hand"]), ", ")
        elif seat == observation["viewer"]:
            lines += _labelled("    hand: ", _counted(observation["hand"]), ", ")
        if observation["ended"] is None:
            lines += _labelled("    known to all: ", _counted(table["known"]), ", ")
        lines += _labelled("    bribes: ", _columns(table["bribes"]), ", ")
    return "\n".join(lines)


def _headline(observation: Mapping[str, Any]) -> str:
    actor = observation["to_act"]
    if observation["ended"] is not None:
        what = f"over ({observation['ended']})"
    else:
        what = "chance acts" if actor == "chance" else f"seat {actor} to act"
    return f"turn {observation['turn']}: {what}; {counted(observation['deck'], 'card')} in the deck"


def _track(observation: Mapping[str, Any]) -> list[str]:
    if not observation["track"]:
        return ["track not drawn yet"]
    cells = [f"{name}={value}" for name, value in zip(observation["track"], observation["values"], strict=True)]
    return ["track (value of each type, lowest first)", "  " + " < ".join(cells)]


def _labelled(label: str, items: Iterable[str], separator: str) -> list[str]:
    body = separator.join(items) or "-"
    return textwrap.wrap(label + body, WIDTH, subsequent_indent=" " * len(label))


def _counted(counts: Mapping[str, int]) -> list[str]:
    return [f"{counts[name]} {name}" for name in NAMES if name in counts]


def _columns(bribes: Mapping[str, Mapping[str, int]]) -> list[str]:
    return [
        f"{name} {bribes[name]['cards']}" + (f"+{bribes[name]['wilds']} wild" if bribes[name]["wilds"] else "")
        for name in NAMES
        if name in bribes
    ]


def describe(event: Mapping[str, Any]) -> str:
    """Return one event, as its viewer sees it, as one line.

    >>> describe({"type": "draw", "seat": 1})
    'seat 1 draws a card'
    """
    return _DESCRIBE[event["type"]](event)


def _list(items: Iterable[str]) -> str:
    return ", ".join(items) or "nothing"


def _deal(event: Mapping[str, Any]) -> str:
    cards = f": {_list(_counted(event['cards']))}" if "cards" in event else ""
    return f"seat {event['seat']} is dealt {counted(event['count'], 'card')}{cards}"


def _placed(event: Mapping[str, Any]) -> str:
    return _list(f"{name} to {stall}" for stall, name in event["placed"])


def _bribe(event: Mapping[str, Any]) -> str:
    wilds = f" and {event['wilds']} wild" if event["wilds"] else ""
    name = event["treasure"]
    return f"seat {event['seat']} bribes with {event['cards']} {name}{wilds}: {_move(name, event)}"


def _buy(event: Mapping[str, Any]) -> str:
    paying = f", paying {_list(_counted(event['pay']))}" if event["pay"] else ""
    curse = f"; curse: {_move(event['curse'], event)}" if event["curse"] else ""
    return f"seat {event['seat']} takes {_list(event['taken'])} from stall {event['stall']}{paying}{curse}"


def _move(name: str, event: Mapping[str, Any]) -> str:
    if event["from"] == event["to"]:
        return f"{name} stays on space {event['to']}"
    return f"{name} moves from space {event['from']} to {event['to']}"


def _end(event: Mapping[str, Any]) -> str:
    why = "draws from the empty deck" if event["cause"] == "empty_draw" else "finds no stopping card for the refill"
    joined = [f"seat {seat} {_list(_counted(cards))}" for seat, cards in enumerate(event["joined"]) if cards]
    return f"seat {event['seat']} {why}: the match ends; joining the columns: {'; '.join(joined) or 'nothing'}"


_DESCRIBE: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "track": lambda event: f"the track, spaces 0 to {TOP_SPACE}: {', '.join(event['order'])}",
    "shuffle": lambda event: counted(event["cards"], "card is shuffled", "cards are shuffled"),
    "deal": _deal,
    "market": lambda event: f"the market opens: {_placed(event)}",
    "bribe": _bribe,
    "refill": lambda event: f"the market is refilled: {_placed(event)}",
    "buy": _buy,
    "draw": lambda event: f"seat {event['seat']} draws {event.get('card', 'a card')}",
    "end": _end,
}
