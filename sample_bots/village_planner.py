#!/usr/bin/env python3
"""Looks ahead in worlds that it imagines: what it cannot see is dealt at random, again and again.

For every world it tries its most promising actions, lets everybody play on for a few turns by a simple rule, and adds
up by how much it is then ahead. It uses the arena's own rules, the package `engine`, which every Python bot may import,
and only what the observation tells. It does a fixed number of these trials: the same match gets the same answers on
any machine, however busy, which a bot that looks at the clock cannot promise.
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
    """Points ahead of the best other seat, if the match ended now."""
    points = [world.points_if_over(other) for other in range(world.seats)]
    mine = points.pop(seat)
    return mine - max(points)


def after(world: VillageState, action: Action) -> VillageState:
    """The world after an action; the given one stays as it is."""
    world = world.clone()
    world.apply(action)
    return world


def play_on(world: VillageState, turns: int, luck: Random) -> VillageState:
    """Let each seat take the best of a few random actions, by its own points alone."""
    for _ in range(turns):
        seat = world.to_act
        if not isinstance(seat, int):
            break  # the match is over
        legal = world.legal_actions()
        tried = [after(world, luck.choice(legal)) for _ in range(TRIES)]
        world = max(tried, key=lambda one: one.points_if_over(seat))
    return world


def choose(observation: dict[str, Any], luck: Random) -> Action:
    """The action that does best in the imagined worlds."""
    me, turns = observation["viewer"], ROUNDS_AHEAD * observation["seats"]
    belief = GAME.belief(observation)
    world = belief.sample(luck)
    first_look = {action: after(world, action).points_if_over(me) for action in world.legal_actions()}
    candidates = sorted(first_look, key=lambda action: -first_look[action])[:CANDIDATES]
    totals = dict.fromkeys(candidates, 0)
    for _ in range(WORLDS):
        world = belief.sample(luck)
        for action in candidates:  # the legal list never depends on what is hidden: it is the same in every world
            totals[action] += lead(play_on(after(world, action), turns, luck), me)
    return max(totals, key=lambda action: totals[action])


def main() -> None:
    """Answer until the arena closes the input."""
    luck = Random()
    for line in sys.stdin:
        message = json.loads(line)
        answer: dict[str, Any]
        if message["type"] == "hello":
            # It makes the legal list itself. The arena need not send it: turn messages are much shorter so.
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
