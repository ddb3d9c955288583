"""Measure how often the general search bot beats the greedy bot of each game: two seats, each seed from both.

Run it by `python -m benchmarks.search`; options set the number of matches, the time of a turn and the games. Both bots
are called in this process with the messages that the referee would send. A tie is half a win; the interval is Wilson's
95 % interval.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from importlib.util import module_from_spec, spec_from_file_location
from math import sqrt
from pathlib import Path
from random import Random
from time import perf_counter, process_time
from types import ModuleType

from benchmarks.measure import describe_machine
from engine.catalog import get_game
from engine.core import CHANCE, Action, State

GREEDY = {
    "burn_my_village": "village_greedy",
    "lanterns": "lanterns_greedy",
    "hell_village": "hell_village_greedy",
}
CLOCKS: dict[str, Callable[[], float]] = {"wall": perf_counter, "cpu": process_time}


@dataclass(frozen=True, slots=True)
class Setting:
    """The effort of the search bot in a turn: seconds of a clock, or a number of iterations."""

    limit_s: float
    clock: str
    iterations: int | None


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one match for the search bot."""

    won: float
    lead: float
    turns: int
    iterations: int
    latest_s: float
    """Duration of the longest turn."""


def sample_bot(name: str) -> ModuleType:
    """Return the module of a sample bot."""
    path = Path(__file__).parents[1] / "sample_bots" / f"{name}.py"
    spec = spec_from_file_location(name, path)
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    sys.path.insert(0, str(path.parent))  # as Python does for a script, so that the bot can import its own modules
    spec.loader.exec_module(module)
    sys.path.remove(str(path.parent))
    return module


def play(key: str, setting: Setting, seed: int, seat: int) -> Result:
    """Play one match of two seats, with the search bot in `seat`. Chance depends only on the seed."""
    game, search, greedy = get_game(key), sample_bot("any_game_search/search"), sample_bot(GREEDY[key])
    state = game.new(2)
    player, luck = search.Search(game, 2, Random(f"{seed}:{seat}:search")), Random(f"{seed}:{seat}:greedy")
    turns = iterations = 0
    latest_s = 0.0
    while (actor := state.to_act) is not None:
        if actor == CHANCE:
            state.apply(state.sample_chance(Random(f"{seed}:{state.chance_key}")))
            continue
        assert isinstance(actor, int)
        observation = json.loads(json.dumps(state.observation(actor)))
        if actor != seat:
            state.apply(_greedy_action(state, greedy, observation, luck))
            continue
        now = CLOCKS[setting.clock]
        began = now()
        clock = {"remaining_ms": 1e9, "cap_ms": setting.limit_s * 1000}
        spent = search.by_clock(search.limit_s(clock, 0.0, player.turns_left), began, now)
        if setting.iterations:
            spent = search.by_count(setting.iterations)
        counted = _Counted(spent)
        action = player.choose(observation, counted)
        latest_s = max(latest_s, now() - began)
        if counted.iterations:  # a turn with a single legal action needs no search
            turns += 1
            iterations += counted.iterations
        state.apply(action)
    ranks, scores = state.ranks(), state.scores()
    won = (ranks[seat] == 0) / ranks.count(0)
    return Result(won, scores[seat] - scores[1 - seat], turns, iterations, latest_s)


class _Counted:
    """A limit of a search that records the number of iterations."""

    def __init__(self, spent: Callable[[int], float]) -> None:
        self._spent = spent
        self.iterations = 0

    def __call__(self, iterations: int) -> float:
        self.iterations = iterations
        return self._spent(iterations)


def _greedy_action(state: State, greedy: ModuleType, observation: object, luck: Random) -> Action:
    legal = state.legal_actions()
    encoded = json.loads(json.dumps([state.game.encode(action) for action in legal]))
    message = {"type": "turn", "observation": observation, "events": [], "legal": encoded}
    index: int = greedy.choose(message, luck)
    return legal[index]


def wilson(won: float, matches: int, deviations: float = 1.96) -> tuple[float, float]:
    """Return Wilson's interval of a share, from `won` out of `matches`.

    >>> [round(end, 2) for end in wilson(30, 40)]
    [0.6, 0.86]
    """
    share, square = won / matches, deviations**2 / matches
    middle = (share + square / 2) / (1 + square)
    half = deviations / (1 + square) * sqrt(share * (1 - share) / matches + square / (4 * matches))
    return middle - half, middle + half


def measure(key: str, setting: Setting, matches: int, workers: int, first_seed: int) -> Sequence[Result]:
    """Play all matches of one game in parallel, and return their results."""
    seeds = [first_seed + number // 2 for number in range(matches)]
    seats = [number % 2 for number in range(matches)]
    with ProcessPoolExecutor(workers) as pool:
        return list(pool.map(partial(play, key, setting), seeds, seats))


def main(arguments: Sequence[str] | None = None) -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.search", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--game", action="append", choices=list(GREEDY), help="one game (default: all; repeatable)")
    parser.add_argument("--matches", type=int, default=100, help="matches per game, half of them from each seat")
    parser.add_argument("--limit-ms", type=float, default=200, help="time of a turn, like the cap of a league")
    parser.add_argument("--iterations", type=int, help="iterations of a turn, instead of a time")
    parser.add_argument(
        "--clock", choices=list(CLOCKS), default="wall", help="clock of a turn; cpu ignores other programs"
    )
    parser.add_argument("--workers", type=int, default=1, choices=(1, 2), help="matches at a time")
    parser.add_argument("--seed", type=int, default=1000, help="seed of the first two matches")
    given = parser.parse_args(arguments)
    setting = Setting(given.limit_ms / 1000, given.clock, given.iterations)
    print(describe_machine())
    effort = f"{given.iterations} iterations" if given.iterations else f"{given.limit_ms:g} ms ({given.clock})"
    print(f"\n### Search against greedy, {effort} a turn, {given.matches} matches a game\n")
    print("| game | won | 95 % interval | mean lead | iterations a turn | longest turn (ms) |")
    print("|---|---|---|---|---|---|", flush=True)
    for key in given.game or GREEDY:
        results = measure(key, setting, given.matches, given.workers, given.seed)
        won, count = sum(result.won for result in results), len(results)
        low, high = wilson(won, count)
        lead = sum(result.lead for result in results) / count
        speed = sum(result.iterations for result in results) / max(1, sum(result.turns for result in results))
        latest_ms = 1000 * max(result.latest_s for result in results)
        print(
            f"| {key} | {won / count:.1%} | {low:.1%} to {high:.1%} | {lead:+.1f} | {speed:.0f} | {latest_ms:.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
