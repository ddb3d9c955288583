"""Measure the bytes of a turn message in random play, with and without the legal actions."""

from __future__ import annotations

import random
from collections.abc import Mapping
from statistics import mean

import orjson

from engine.catalog import game_keys, get_game
from engine.core import CHANCE, Event

MATCHES = 10


def run() -> None:
    """Print the means over all turns of random matches at every seat count."""
    print("\n### Bytes of a turn message, random play\n")
    print("| game | seats | observation | events | legal actions | largest message, with the legal actions |")
    print("|---|---|---|---|---|---|")
    for key in game_keys():
        for seats in get_game(key).seats:
            sizes = [size for seed in range(MATCHES) for size in _match(key, seats, seed)]
            parts = ("observation", "events", "legal")
            columns = " | ".join(f"{mean(size[part] for size in sizes):.0f}" for part in parts)
            print(f"| {key} | {seats} | {columns} | {max(sum(size.values()) for size in sizes)} |")


def _match(key: str, seats: int, seed: int) -> list[Mapping[str, int]]:
    game, rng = get_game(key), random.Random(seed)
    state = game.new(seats)
    sizes: list[Mapping[str, int]] = []
    waiting: list[list[Event]] = [[] for _ in range(seats)]
    while (actor := state.to_act) is not None:
        if actor == CHANCE:
            action = state.sample_chance(rng)
        else:
            assert isinstance(actor, int)
            legal = state.legal_actions()
            sizes.append(
                {
                    "observation": _size(state.observation(actor)),
                    "events": _size([event.seen_by(actor) for event in waiting[actor]]),
                    "legal": _size([game.encode(choice) for choice in legal]),
                }
            )
            waiting[actor] = []
            action = rng.choice(legal)
        events = state.apply(action)
        for seen in waiting:
            seen.extend(events)
    return sizes


def _size(value: object) -> int:
    return len(orjson.dumps(value))
