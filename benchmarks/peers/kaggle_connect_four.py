"""Print the matches a second of connect four in kaggle-environments, between two random functions in this process.

Run it with the Python of the environment in `build/peers-venv`.
"""

import contextlib
import os
import random
import sys
import time
from pathlib import Path
from typing import Any

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 2.0


def choose(observation: Any, configuration: Any) -> int:
    return random.choice([column for column in range(configuration.columns) if observation.board[column] == 0])


def main() -> None:
    # The import prints a greeting on standard output.
    with (
        Path(os.devnull).open("w") as nowhere,
        contextlib.redirect_stdout(nowhere),
        contextlib.redirect_stderr(nowhere),
    ):
        from kaggle_environments import make

        random.seed(1)
        make("connectx").run([choose, choose])
        matches, began = 0, time.perf_counter()
        while (spent := time.perf_counter() - began) < SECONDS:
            environment = make("connectx")
            environment.run([choose, choose])
            assert environment.done
            matches += 1
    print(matches / spent)


main()
