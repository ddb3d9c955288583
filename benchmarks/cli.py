"""The CPU time of commands that only show something: nearly all of it is imports.

Each command runs as a process of its own, in a home with one night of 20 bots. The floor is Python itself, and the one
library that a command with a store cannot do without.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from arena.store.store import Store
from benchmarks.filled_store import fill
from benchmarks.measure import describe_machine, interleaved, show

ROUNDS = 10
LEAGUE = "burn_my_village"
COMMANDS = (
    "--version", "--help", "submit --help", f"leaderboard {LEAGUE}", "leaderboard", "bot list", "match list",
    "night show", "league list",
)  # fmt: skip


def run() -> None:
    """Print the table twice: next to Python that does nothing, and next to the import of SQLAlchemy."""
    with tempfile.TemporaryDirectory() as folder:
        with Store.open(Path(folder)) as store:
            fill(store, LEAGUE, bots=20, matches=100)
            store.update_ratings(LEAGUE)
        cases: dict[str, Callable[[], float]] = {
            f"`python -c '{code}'`": partial(_cpu_s, [sys.executable, "-c", code], folder)
            for code in ("pass", "import sqlalchemy", "import sqlmodel")
        }
        for command in COMMANDS:
            cases[f"arena {command}"] = partial(_cpu_s, [sys.executable, "-m", "arena", *command.split()], folder)
        found = interleaved(cases, ROUNDS)
    for floor in ("pass", "import sqlalchemy"):
        show(f"CPU time of a command, against `{floor}`", "seconds", found, f"`python -c '{floor}'`")


def _cpu_s(command: list[str], home: str) -> float:
    """Return the CPU time of a process until it ended, in user mode and in the kernel."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        pid = os.posix_spawn(
            command[0],
            command,
            {**os.environ, "ARENA_HOME": home},
            file_actions=[(os.POSIX_SPAWN_DUP2, nowhere, stream) for stream in (1, 2)],
        )
    finally:
        os.close(nowhere)
    _, status, used = os.wait4(pid, 0)
    if status != 0:
        raise SystemExit(f"{' '.join(command)} failed: exit status {os.waitstatus_to_exitcode(status)}")
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    print(describe_machine())
    run()
