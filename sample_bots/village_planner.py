#!/usr/bin/env python3
"""Look ahead in sampled worlds, in which the hidden cards are dealt at random.

In every world the bot tries its most promising actions, lets all seats play on for a few turns by a simple rule, and
adds up its lead. It uses the rules in the package `engine`, which every Python bot may import, and only what the
observation shows. The number of trials is fixed, so the same match gets the same answers on any machine, however busy.
A bot that looks at the clock cannot promise that.
"""

import json
import sys
from random import Random
from typing import Any

from engine.burn_my_village import GAME
from engine.burn_my_village.state import VillageState
from engine.core import Action

WORLDS = 12
CANDIDATES = 8
ROUNDS_AHEAD = 3
TRIES = 4


def lead(world: VillageState, seat: int) -> int:
    """Return the lead over the best other seat if the match ended now."""
    points = [world.points_if_over(other) for other in range(world.seats)]
    mine = points.pop(seat)
    return mine - max(points)


def after(world: VillageState, action: Action) -> VillageState:
    """Return the world after an action. The given world is unchanged."""
    world = world.clone()
    world.apply(action)
    return world


def play_on(world: VillageState, turns: int, luck: Random) -> VillageState:
    """Let each seat play the best of a few random actions, by its own points alone."""
    for _ in range(turns):
        seat = world.to_act
        if not isinstance(seat, int):
            break  # the match is over
        legal = world.legal_actions()
        tried = [after(world, luck.choice(legal)) for _ in range(TRIES)]
        world = max(tried, key=lambda one: one.points_if_over(seat))
    return world


def choose(observation: dict[str, Any], luck: Random) -> Action:
    """Return the action with the best total lead in the sampled worlds."""
    me, turns = observation["viewer"], ROUNDS_AHEAD * observation["seats"]
    belief = GAME.belief(observation)
    world = belief.sample(luck)
    first_look = {action: after(world, action).points_if_over(me) for action in world.legal_actions()}
    candidates = sorted(first_look, key=lambda action: -first_look[action])[:CANDIDATES]
    totals = dict.fromkeys(candidates, 0)
    for _ in range(WORLDS):
        world = belief.sample(luck)
        for action in candidates:  # the same in every world: legal actions never depend on hidden cards
            totals[action] += lead(play_on(after(world, action), turns, luck), me)
    return max(totals, key=lambda action: totals[action])


def main() -> None:
    """Answer messages until the arena closes the input."""
    luck = Random()
    for line in sys.stdin:
        message = json.loads(line)
        answer: dict[str, Any]
        if message["type"] == "hello":
            # The bot computes the legal actions itself. Without them the turn messages are much shorter.
            ours = message["game"] == GAME.key
            answer = {"type": "ready", "reuse": True, "legal": "none"} if ours else {"type": "decline"}
        elif message["type"] == "start":
            luck = Random(message["seed"])
            continue
        elif message["type"] == "turn":
            answer = {"action": GAME.encode(choose(message["observation"], luck))}
        else:
            continue
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
