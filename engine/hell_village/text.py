"""Observations and events as text for people: plain ASCII, at most 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from string import ascii_uppercase
from typing import Any, Final

from engine.core import counted
from engine.hell_village.components import KINDS, WORKPLACES, Tables

WIDTH: Final = 80
_LABEL: Final = 4
_COLUMNS: Final = (WIDTH - _LABEL - 1) // 4
"""The number of cells that fit side by side. A wider village is drawn in several parts, west to east."""
_SYMBOLS: Final = {"ep2": "2", "card": "c", "resource": "r", "equal": "=", "blank": " "}
_MARKS: Final = ascii_uppercase + "abcdefghijklmnopqrstuvwxyz0123456789"


def draw(tables: Tables, observation: Mapping[str, Any]) -> str:
    """Return one observation as text: who acts, payments, workplaces, village, each seat, and the viewer's cards."""
    lines = _headline(tables, observation)
    lines += _payments(tables, observation)
    lines += ["", *_workplaces(tables, observation), ""]
    lines += _village(tables, observation["village"])
    for seat in range(observation["seats"]):
        lines += _seat(tables, observation, seat)
    lines += _own(tables, observation)
    return "\n".join(line.rstrip() for line in lines)


def _headline(tables: Tables, observation: Mapping[str, Any]) -> list[str]:
    actor, turn = observation["to_act"], observation["turn"]
    if actor is None:
        return [f"Hell Village after {counted(turn, 'turn')}: the match is over"]
    when = (
        f"round {observation['round']}, {observation['phase'].replace('_', ' ')}" if observation["round"] else "setup"
    )
    if not isinstance(actor, int):
        return [f"Hell Village, turn {turn}, {when}", "chance decides"]
    return [f"Hell Village, turn {turn}, {when}", f"seat {actor} to {asked(tables, observation['decision'])}"]


def asked(tables: Tables, decision: Mapping[str, Any]) -> str:
    """Return the pending decision in a few words."""
    kind = decision["kind"]
    words: dict[str, Callable[[], str]] = {
        "keep": lambda: "keep dealt cards",
        "gargoyle": lambda: "let its dice stand or roll again",
        "gain": lambda: f"gain {decision['count']}",
        "place": lambda: "place a die",
        "kerberos": lambda: f"pay {decision['count']} for Kerberos",
        "set": lambda: "set a die",
        "imp": lambda: f"keep its returned {decision['die']} or roll it again",
        "use": lambda: f"use {tables.name(decision['workplace'])}",
        "trade": lambda: f"trade ({decision['left']} left)",
        "bury": lambda: f"bury cards ({decision['left']} left)",
        "audience": lambda: f"use a {decision['die']} in the Audience Room",
        "super_lab": lambda: "play a card from the Laboratory",
        "cost": lambda: f"pay {decision['price']} for {tables.name(decision['card'])}",
        "build": lambda: f"build {tables.name(decision['card'])}",
        "order": lambda: f"choose the next side of {', '.join(decision['sides'])}",
        "payment": lambda: f"pay {decision['owed']}",
        "discard": lambda: f"discard {decision['over']}",
    }
    return words[kind]()


def _payments(tables: Tables, observation: Mapping[str, Any]) -> list[str]:
    asked = []
    for number, names in sorted(observation["payments"].items()):
        if names and int(number) >= observation["round"] and None not in names:
            asked.append(f"round {number} asks {' and '.join(_demand(tables, name) for name in names)}")
    supers = sorted(observation["super_workplaces"].items())
    tiles = [f"{_supers(tables, [tile])} from round {number}" for number, tile in supers]
    lines = _wrapped("; ".join(asked), "payment: ") if asked else []
    return lines + (_wrapped(", ".join(tiles), "super workplaces: ") if tiles else [])


def _demand(tables: Tables, name: str) -> str:
    card = tables.payments[name]
    amounts = [f"{count} {kind}" for kind, count in zip((*KINDS, "any"), (*card.kinds, card.any), strict=True) if count]
    return f"{card.name} ({', '.join(amounts) or 'nothing'})"


def _workplaces(tables: Tables, observation: Mapping[str, Any]) -> list[str]:
    """List every workplace with its dice, as seat:value in the order of placement."""
    lines = [f"  {'workplace':<33}{'spaces':<10}dice (seat:value)"]
    for number, name in enumerate(WORKPLACES):
        place = observation["workplaces"][name]
        spaces = "no limit" if place["spaces"] is None else f"{len(place['dice'])} of {place['spaces']}"
        spaces = "closed" if place["spaces"] == 0 else spaces
        dice = " ".join(f"{seat}:{value}" for seat, value in place["dice"])
        title = tables.name(name) + (" (super)" if place["super"] else "")
        lines.append(f"{number} {title:<33}{spaces:<10}{dice}"[:WIDTH])
    order = " ".join(str(seat) for seat in observation["order"])
    lines.append(f"tile order {order}; pile {observation['pile']}, discard pile {len(observation['discard'])}")
    return lines


def _village(tables: Tables, village: Sequence[Mapping[str, Any]]) -> list[str]:
    """Draw the village, north at the top. Each box has a letter and its edges (2 EP, card, resource, = equal)."""
    west, east = min(card["x"] for card in village), max(card["x"] for card in village)
    lines = []
    for first in range(west, east + 1, _COLUMNS):
        lines += _part_of_village(tables, village, range(first, min(first + _COLUMNS, east + 1)))
    names = [
        f"{_MARKS[index]} {tables.name(card['card'])}" + ("" if card["owner"] is None else f" of {card['owner']}")
        for index, card in enumerate(village)
    ]
    legend = "edges: 2 EP, c card, r resource, = equal"
    return [*lines, *_wrapped(", ".join(names), ""), legend, ""]


def _part_of_village(tables: Tables, village: Sequence[Mapping[str, Any]], columns: range) -> list[str]:
    south, north = min(card["y"] for card in village), max(card["y"] for card in village)
    rows = [[" "] * (4 * len(columns) + 1) for _ in range(4 * (north - south + 1) + 1)]
    for index, card in enumerate(village):
        if card["x"] not in columns:
            continue
        n, e, s, w = (_SYMBOLS[symbol] for symbol in edges_of(tables, card))
        box = ["+---+", f"| {n} |", f"|{w}{_MARKS[index]}{e}|", f"| {s} |", "+---+"]
        for row, line in enumerate(box, start=4 * (north - card["y"])):
            for column, letter in enumerate(line, start=4 * (card["x"] - columns.start)):
                rows[row][column] = letter
    header = " " * _LABEL + "".join(f"{x:>3} " for x in columns)
    labels = [f"{north - row // 4:>3} " if row % 4 == 2 else " " * _LABEL for row in range(len(rows))]
    return [header, *(label + "".join(row) for label, row in zip(labels, rows, strict=True))]


def edges_of(tables: Tables, card: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the symbols of a card of the village on its sides n, e, s, w."""
    if card["owner"] is None:
        return tables.start_edges
    edges = tables.cards[tables.numbers_of[card["card"]][0]].edges
    return (edges[2], edges[3], edges[0], edges[1]) if card["turned"] else edges


def _seat(tables: Tables, observation: Mapping[str, Any], seat: int) -> list[str]:
    """Describe the board of one seat and what is in front of it."""
    table = observation["tables"][seat]
    stock = ", ".join(f"{table['stock'][kind]} {kind}" for kind in KINDS)
    income = table["income"]
    mark = "> " if observation["to_act"] == seat else "  "
    line = f"{mark}seat {seat}: {table['ep']} EP; {stock}; income {income['card']} card, {income['resource']} resource"
    parts = [f"hand {table['hand_size']}"]
    if table["dice"]:
        parts.append(f"dice {' '.join(map(str, table['dice']))}")
    if table["warlock_dice"]:
        parts.append(f"on Warlock {' '.join(map(str, table['warlock_dice']))}")
    groups = [group for group in ("demons", "plans", "industries") if table[group]]
    parts += [f"{group} {_names(tables, table[group])}" for group in groups]
    if observation["knowledge"]:
        parts.append(f"knowledge {tables.name(observation['knowledge'][seat])}")
    return [line[:WIDTH], *_wrapped("; ".join(parts), "    ")]


def _own(tables: Tables, observation: Mapping[str, Any]) -> list[str]:
    """List the viewer's cards with dice, cost and EP."""
    me = observation.get("me")
    if me is None:
        return []
    names = [card["card"] for card in me["hand"]] or ([] if me["returned"] else me["dealt"])
    knowledge = " or ".join(tables.name(name) for name in me["knowledge"])
    lines = [f"your cards (seat {me['seat']})" + (f", knowledge {knowledge}:" if knowledge else ":")]
    for name in names:
        card = tables.cards[tables.numbers_of[name][0]]
        dice, cost = "/".join(map(str, card.dice)), "-".join(map(str, card.cost))
        lines.append(f"  {card.name}: {card.kind}, dice {dice}, cost {cost}, {card.ep} EP"[:WIDTH])
    return lines


def _wrapped(text: str, start: str) -> list[str]:
    return (
        textwrap.wrap(
            text, WIDTH, initial_indent=start, subsequent_indent=" " * max(2, len(start) - len(start.lstrip()))
        )
        if text
        else []
    )


# --- events ----------------------------------------------------------------------------------------------------------


def describe(tables: Tables, event: Mapping[str, Any]) -> str:
    """Return one event, as its viewer sees it, as one line."""
    words = _WORDS.get(event["type"])
    if words is None:
        return str(event["type"])
    said = words(tables, event)
    return f"seat {event['seat']} {said}" if "seat" in event else said


def _amounts(event: Mapping[str, Any]) -> str:
    return ", ".join(f"{event[kind]} {kind}" for kind in KINDS if event[kind]) or "nothing"


def _names(tables: Tables, names: Sequence[str]) -> str:
    return ", ".join(tables.name(name) for name in names)


def _supers(tables: Tables, tiles: Sequence[str]) -> str:
    return ", ".join(tables.name(tile).removeprefix("Super ") for tile in tiles)


def _keep(tables: Tables, event: Mapping[str, Any]) -> str:
    if "cards" not in event:
        return "has chosen what to keep"
    return f"keeps {_names(tables, event['cards'])} and {tables.name(event['knowledge'])}"


def _deal(tables: Tables, event: Mapping[str, Any]) -> str:
    for field, what in (("cards", "hell cards"), ("knowledge", "knowledge cards")):
        if field in event:
            return f"is dealt {what}: {_names(tables, event[field])}"
    return "is dealt cards"


def _draw(tables: Tables, event: Mapping[str, Any]) -> str:
    count = f"draws {counted(event['count'], 'card')}"
    return f"{count}: {_names(tables, event['cards'])}" if "cards" in event else count


def _place(tables: Tables, event: Mapping[str, Any]) -> str:
    changed = f" as a {event['value']}" if event["value"] != event["die"] else ""
    kicked = "" if event["kick"] is None else f", kicking die {event['kick'] + 1} there"
    where = "on its Warlock" if event["at"] == "warlock" else f"at {tables.name(event['at'])}"
    return f"places a {event['die']}{changed} {where}{kicked}"


def _use(tables: Tables, event: Mapping[str, Any]) -> str:
    if "value" in event:
        return f"uses {tables.name(event['at'])} with value {event['value']}"
    return f"uses {tables.name(event['at'])}: {event['each']} of each kind and {event['any']} of any"


def _trade(tables: Tables, event: Mapping[str, Any]) -> str:
    return f"trades {_thing(tables, event['give'])} for {_thing(tables, event['take'])} at the Market"


def _thing(tables: Tables, name: str) -> str:
    return "a card" if name == "card" else name if name in KINDS else tables.name(name)


def _build(tables: Tables, event: Mapping[str, Any]) -> str:
    turned = ", turned" if event.get("turned") else ""
    return f"builds at ({event['x']}, {event['y']}){turned}"


def _income(tables: Tables, event: Mapping[str, Any]) -> str:
    steps = [f"{event[kind]} {kind} income" for kind in ("card", "resource") if event[kind]]
    return f"steps up {' and '.join(steps)}"


def _score(tables: Tables, event: Mapping[str, Any]) -> str:
    return f"{'gains' if event['ep'] > 0 else 'loses'} {abs(event['ep'])} EP"


def _round(tables: Tables, event: Mapping[str, Any]) -> str:
    new = f"; the super {_supers(tables, [event['super']])} is laid" if "super" in event else ""
    return f"round {event['round']} begins{new}"


def _roll(tables: Tables, event: Mapping[str, Any]) -> str:
    dice = ", ".join(f"{seat}: {' '.join(map(str, faces))}" for seat, faces in enumerate(event["dice"]))
    return f"all seats roll: {dice}"


def _end(tables: Tables, event: Mapping[str, Any]) -> str:
    seats = zip(event["scores"], event["knowledge"], strict=True)
    said = "; ".join(f"seat {seat} {ep} with {tables.name(name)}" for seat, (ep, name) in enumerate(seats))
    return f"the match ends: {said}"


_WORDS: Final[dict[str, Callable[[Tables, Mapping[str, Any]], str]]] = {
    "keep": _keep,
    "stand": lambda tables, event: "lets the dice stand",
    "reroll": lambda tables, event: "rolls again",
    "skip": lambda tables, event: f"makes no use of {tables.name(event['at'])}",
    "done": lambda tables, event: f"is done at {tables.name(event['at'])}",
    "gain": lambda tables, event: f"gains {_amounts(event)}",
    "pay": lambda tables, event: f"pays {_amounts(event)}",
    "place": _place,
    "return": lambda tables, event: f"takes a die back, now a {event['die']}",
    "set": lambda tables, event: (
        f"sets a {event['die']} " + (f"of seat {event['owner']} " if "owner" in event else "") + f"to {event['to']}"
    ),
    "use": _use,
    "trade": _trade,
    "bury": lambda tables, event: f"buries {tables.name(event['card'])}",
    "play": lambda tables, event: f"plays {tables.name(event['card'])}",
    "discard": lambda tables, event: f"discards {tables.name(event['card'])}",
    "burn": lambda tables, event: f"burns {tables.name(event['card'])} for {event['kind']}",
    "build": _build,
    "order": lambda tables, event: f"works off side {event['side']}",
    "score": _score,
    "income": _income,
    "draw": _draw,
    "deal": _deal,
    "payments": lambda tables, event: "the payment cards are laid out",
    "reveal": lambda tables, event: f"round {event['round']} will ask {_names(tables, event['cards'])}",
    "supers": lambda tables, event: f"super workplaces: {_supers(tables, event['tiles'])}",
    "deck": lambda tables, event: counted(event["count"], "hell card is shuffled", "hell cards are shuffled"),
    "knowledge": lambda tables, event: "the knowledge cards are shuffled",
    "round": _round,
    "roll": _roll,
    "dice": lambda tables, event: f"rolls {' '.join(map(str, event['faces']))}",
    "tiles": lambda tables, event: f"tile order: {', '.join(f'seat {seat}' for seat in event['order'])}",
    "end": _end,
}
