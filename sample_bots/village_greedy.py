#!/usr/bin/env python3
"""Plays the action that would leave it with the most points if the match ended right after it.

It needs no rule book: the observation holds the table, the legal list holds every action, and the little arithmetic
below is all it knows of the game. Equal actions are chosen among by luck from the match's own seed.
"""

import json
import sys
from random import Random
from typing import Any

WILD_IN_HAND = 2
"""Points lost for each Wild left in hand."""


def moved(track: list[str], token: str, steps: int) -> list[str]:
    """The track after a token has gone up (or down, below zero) by so many spaces."""
    others = [name for name in track if name != token]
    space = min(len(others), max(0, track.index(token) + steps))
    return [*others[:space], token, *others[space:]]


def points(track: list[str], values: list[int], hand: dict[str, int], columns: dict[str, int]) -> float:
    """What hand and columns would be worth now; cards in hand join a column of their type."""
    total: float = -WILD_IN_HAND * hand.get("wild", 0)
    for name, value in zip(track, values, strict=True):
        in_hand = hand.get(name, 0)
        total += value * (columns[name] + in_hand if columns.get(name) else -in_hand)
    return total


def points_after(action: dict[str, Any], seen: dict[str, Any]) -> float:
    """The own points after an action, as far as they can be foreseen: what a draw or a refill brings cannot."""
    track, hand = list(seen["track"]), dict(seen["hand"])
    mine = seen["tables"][seen["viewer"]]["bribes"]
    columns = {name: column["cards"] + column["wilds"] for name, column in mine.items()}
    if action["type"] == "bribe":
        name, cards, wilds = action["treasure"], action["cards"], action["wilds"]
        hand[name] = hand.get(name, 0) - cards
        hand["wild"] = hand.get("wild", 0) - wilds
        columns[name] = columns.get(name, 0) + cards + wilds
        track = moved(track, name, cards + wilds)
    elif action["type"] == "buy":
        for name, count in action["pay"].items():
            hand[name] -= count
        for name in seen["stalls"][action["stall"]]:
            hand[name] = hand.get(name, 0) + 1
        if action["curse"]:
            track = moved(track, action["curse"], -action["stall"])
    return points(track, seen["values"], hand, columns)


def choose(message: dict[str, Any], luck: Random) -> int:
    """The place in the legal list of one of the best actions."""
    seen = message["observation"]
    results = [points_after(action, seen) for action in message["legal"]]
    best = max(results)
    return luck.choice([place for place, result in enumerate(results) if result == best])


def main() -> None:
    """Answer until the arena closes the input."""
    luck = Random()
    for line in sys.stdin:
        message = json.loads(line)
        answer: dict[str, Any]
        if message["type"] == "hello":
            ours = message["game"] == "burn_my_village"
            answer = {"type": "ready", "reuse": True} if ours else {"type": "decline"}
        elif message["type"] == "start":
            luck = Random(message["seed"])
            continue  # no answer is expected, and none is allowed
        elif message["type"] == "turn":
            answer = {"action": choose(message, luck)}
        else:
            continue
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
