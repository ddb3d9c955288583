#!/usr/bin/env python3
"""Play Lanterns one decision at a time: choose the action that looks best now.

The bot rates its lantern cards: what the nearest set would pay, less a price for each missing card, plus a little for
every card. For each kind of decision it chooses the action after which the rating, with the points and favor tokens
gained, is highest. Equal actions are chosen at random, with the seed of the match. The bot uses only the messages of
the arena, and none of its code.
"""

import json
import sys
from functools import lru_cache
from itertools import combinations
from random import Random
from typing import Any

COLOURS = "BGKOPRW"
STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))  # north, east, south, west

CARD = 0.8  # the value of any card
MISSING = 1.8  # what each missing card subtracts from the value of a set
WAIT = 0.5  # a set in hand is worth less than its token, since another seat may take the token first
FAVOR = 0.5  # the value of a favor token: two of them exchange a card
OTHERS = 0.8  # the cost of a card that an opponent gets

SETS = [letter * 4 for letter in COLOURS]
SETS += ["".join(letter * 2 for letter in three) for three in combinations(COLOURS, 3)]
SETS += [COLOURS]
KINDS = {4: "four", 6: "pairs", 7: "seven"}
NEEDS = [(len(cards), tuple(cards.count(letter) for letter in COLOURS)) for cards in SETS]


@lru_cache(maxsize=10_000)
def worth(cards: tuple[int, ...], tokens: tuple[tuple[int, int], ...]) -> float:
    """Return the value of these cards, given what a set of each size pays now."""
    value = dict(tokens)
    nearest = 0.0
    for size, needs in NEEDS:
        missing = sum(need - have for need, have in zip(needs, cards, strict=True) if need > have)
        # A set uses up its cards, so only what it pays beyond their value counts.
        nearest = max(nearest, value[size] - CARD * size - MISSING * missing - WAIT)
    return nearest + CARD * sum(cards)


def rate(observation: dict[str, Any], action: dict[str, Any]) -> float:
    """Return how good the position looks after the action."""
    me = observation["viewer"]
    cards = dict(observation["tables"][me]["cards"])
    tokens = tuple((size, (observation["dedications"][kind] or [4])[0]) for size, kind in KINDS.items())
    points = 0.0
    if action["type"] == "exchange":
        cards[action["give"]] -= 1
        cards[action["take"]] += 1
        points -= 2 * FAVOR
    elif action["type"] == "dedicate":
        points += dict(tokens)[len(action["cards"])]
        for letter in action["cards"]:
            cards[letter] -= 1
    elif action["type"] == "discard":
        cards[action["card"]] -= 1
    elif action["type"] == "place":
        points += place(observation, action, cards)
    return points + worth(tuple(cards[letter] for letter in COLOURS), tokens)


def place(observation: dict[str, Any], action: dict[str, Any], cards: dict[str, int]) -> float:
    """Add the cards from a placement. Return the value of its tokens, less the cost of the cards of others."""
    tile = next(tile for tile in observation["hand"] if tile["tile"] == action["tile"])
    shown = [tile["sides"][(side - action["rotation"]) % 4] for side in range(4)]
    lake = {(other["x"], other["y"]): other for other in observation["board"]}
    supply = dict(observation["supply"])
    favor = matches = 0
    for side, (dx, dy) in enumerate(STEPS):
        beside = lake.get((action["x"] + dx, action["y"] + dy))
        if beside and beside["shown"][(side + 2) % 4] == shown[side]:
            matches += 1
            favor += beside["platform"]
            take(supply, shown[side], cards)
    if matches and tile["platform"]:
        favor += 1
    points: float = FAVOR * min(favor, observation["favor_supply"])
    seats, me = observation["seats"], observation["viewer"]
    for seat in (*range(me, seats), *range(me)):  # the placing seat takes first
        letter = shown["NESW".index(observation["tables"][seat]["side"])]
        got: dict[str, int] = {letter: 0}
        if take(supply, letter, cards if seat == me else got) and seat != me:
            points -= OTHERS / (seats - 1)
    return points


def take(supply: dict[str, int], letter: str, cards: dict[str, int]) -> bool:
    """Move a card from the supply to the cards, if there is one."""
    if supply[letter] == 0:
        return False
    supply[letter] -= 1
    cards[letter] += 1
    return True


def choose(message: dict[str, Any], luck: Random) -> int:
    """Return the index in the legal list of one of the actions after which the position looks best."""
    ratings = [rate(message["observation"], action) for action in message["legal"]]
    best = max(ratings)
    return luck.choice([place for place, rating in enumerate(ratings) if rating == best])


def main() -> None:
    """Answer messages until the arena closes the input."""
    luck = Random()
    for line in sys.stdin:
        message = json.loads(line)
        answer: dict[str, Any]
        if message["type"] == "hello":
            # The bot keeps nothing from one match to the next, so one process may play many matches.
            ours = message["game"] == "lanterns"
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
