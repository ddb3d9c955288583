"""Print the matches a second of connect four in pettingzoo, stepped in this process, with random actions on both sides.

Run it with the Python of the environment in `build/peers-venv`.
"""

import random
import sys
import time
from typing import Any

from pettingzoo.classic import connect_four_v3

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 2.0


def play(environment: Any, seed: int) -> None:
    environment.reset(seed=seed)
    for agent in environment.agent_iter():
        observation, _, termination, truncation, _ = environment.last()
        if termination or truncation:
            environment.step(None)
            continue
        mask = observation["action_mask"]
        environment.step(random.choice([column for column in range(7) if mask[column]]))
        assert agent


def main() -> None:
    environment = connect_four_v3.env()
    random.seed(1)
    play(environment, 0)
    matches, began = 0, time.perf_counter()
    while (spent := time.perf_counter() - began) < SECONDS:
        play(environment, matches)
        matches += 1
    print(matches / spent)


main()
