"""Measure random play in microseconds per action, with the list of legal actions built, against catanatron.

A second table measures the cost of a search: `clone` plus a random play-out from the middle of a match, per action.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from time import perf_counter

from benchmarks.measure import interleaved, show
from engine.catalog import game_keys, get_game
from engine.walk import random_walk, settle_chance

SECONDS = 1.0
"""Minimum duration of one measurement."""


def run() -> None:
    """Print both tables."""
    cases: dict[str, Callable[[], float]] = {"catanatron, 4 players": _catanatron}
    for key in game_keys():
        for seats in (get_game(key).seats[0], get_game(key).seats[-1]):
            cases[f"{key}, {seats} seats"] = _walk(key, seats)
    show("Random play", "microseconds an action", interleaved(cases), "catanatron, 4 players")
    playouts: dict[str, Callable[[], float]] = {"catanatron, 4 players": _catanatron_playouts}
    for key in game_keys():
        playouts[f"{key}, {get_game(key).seats[-1]} seats"] = _playouts(key, get_game(key).seats[-1])
    show("Clone plus play-out", "microseconds an action", interleaved(playouts), "catanatron, 4 players")


def _walk(key: str, seats: int) -> Callable[[], float]:
    def measure() -> float:
        game, actions, spent, seed = get_game(key), 0, 0.0, 0
        while spent < SECONDS:
            state, rng = game.new(seats), random.Random(seed)
            seed += 1
            began = perf_counter()
            for _ in random_walk(state, rng):
                actions += 1
            spent += perf_counter() - began
        return spent / actions * 1e6

    return measure


def _playouts(key: str, seats: int) -> Callable[[], float]:
    def measure() -> float:
        game, rng = get_game(key), random.Random(1)
        state = game.new(seats)
        settle_chance(state, rng)
        for step, _ in enumerate(random_walk(state, rng)):
            if step == 20:
                break
        actions, began = 0, perf_counter()
        while (spent := perf_counter() - began) < SECONDS:
            for _ in random_walk(state.clone(), rng):
                actions += 1
        return spent / actions * 1e6

    return measure


def _catanatron_game(seed: int):  # type: ignore[no-untyped-def]
    from catanatron import Color, Game, RandomPlayer

    # catanatron draws from the global generator; seeding it makes every round play the same matches.
    random.seed(seed)
    return Game([RandomPlayer(color) for color in (Color.RED, Color.BLUE, Color.WHITE, Color.ORANGE)], seed=seed)


def _catanatron() -> float:
    actions, spent, seed = 0, 0.0, 0
    while spent < SECONDS:
        game = _catanatron_game(seed)
        seed += 1
        began = perf_counter()
        while game.winning_color() is None and game.state.num_turns < 1000:
            game.play_tick()
            actions += 1
        spent += perf_counter() - began
    return spent / actions * 1e6


def _catanatron_playouts() -> float:
    start = _catanatron_game(1)
    for _ in range(20):
        start.play_tick()
    actions, began = 0, perf_counter()
    while (spent := perf_counter() - began) < SECONDS:
        game = start.copy()
        while game.winning_color() is None and game.state.num_turns < 1000:
            game.play_tick()
            actions += 1
    return spent / actions * 1e6
