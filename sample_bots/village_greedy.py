#!/usr/bin/env python3
"""Play the action that would give the most points if the match ended right after it.

The bot does not import the rules: the observation has the table, the message has every legal action, and the arithmetic
below is all that it knows about the game. Equal actions are chosen at random, with the seed of the match.
"""

import json
import sys
from random import Random
from typing import Any

WILD_IN_HAND = 2
"""The points lost for each Wild left in hand."""


def moved(track: list[str], token: str, steps: int) -> list[str]:
    """Return the track after a token has moved up by a number of spaces, or down if the number is negative."""
    others = [name for name in track if name != token]
    space = min(len(others), max(0, track.index(token) + steps))
    return [*others[:space], token, *others[space:]]


def points(track: list[str], values: list[int], hand: dict[str, int], columns: dict[str, int]) -> float:
    """Return the points of hand and columns now. Cards in hand join a column of their type."""
    total: float = -WILD_IN_HAND * hand.get("wild", 0)
    for name, value in zip(track, values, strict=True):
        in_hand = hand.get(name, 0)
        total += value * (columns[name] + in_hand if columns.get(name) else -in_hand)
    return total


def points_after(action: dict[str, Any], seen: dict[str, Any]) -> float:
    """Return the own points after an action, without the unknown cards of a draw or a refill."""
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
    """Return the index in the legal list of one of the best actions."""
    seen = message["observation"]
    results = [points_after(action, seen) for action in message["legal"]]
    best = max(results)
    return luck.choice([place for place, result in enumerate(results) if result == best])


def main() -> None:
    """Answer messages until the arena closes the input."""
    luck = Random()
    for line in sys.stdin:
        message = json.loads(line)
        answer: dict[str, Any]
        if message["type"] == "hello":
            ours = message["game"] == "burn_my_village"
            answer = {"type": "ready", "reuse": True} if ours else {"type": "decline"}
        elif message["type"] == "start":
            luck = Random(message["seed"])
            continue  # this message gets no answer
        elif message["type"] == "turn":
            answer = {"action": choose(message, luck)}
        else:
            continue
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
