"""What the frequent commands import: libraries that take long to import are loaded by the commands that use them."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import click
import pytest

from arena.cli.root import COMMANDS, root
from arena.store.store import Store
from benchmarks.filled_store import fill
from engine.catalog import BUILT_IN

GAMES: Final = {*BUILT_IN.values()}
HEAVY: Final = GAMES | {
    "alembic", "arena.compare", "arena.match", "arena.night", "arena.sandbox", "arena.schedules", "arena.store",
    "arena.submission", "arena.transport", "arena.workers", "asyncio", "importlib.metadata", "multiprocessing",
    "multiprocessing_logging", "numpy", "orjson", "psycopg", "pydantic", "rich", "scipy", "sqlalchemy",
    "sqlalchemy.dialects.postgresql", "sqlalchemy.orm", "sqlmodel", "subprocess", "trueskill",
}  # fmt: skip
"""Modules and packages that a command loads only if the table below says so."""

INDIRECT: Final = {"asyncio", "importlib.metadata", "subprocess"}
"""These may come with a library: SQLAlchemy has an asynchronous part, and pydantic looks for plug-ins."""
STORE: Final = INDIRECT | {"arena.store", "pydantic", "sqlalchemy", "trueskill"}
"""A command that reads the store loads these. The others are for nights, bots, settled ratings and upgrades."""
LEAGUE: Final = "burn_my_village"

LOADED: Final[dict[str, set[str]]] = {
    "--version": set(),
    "--help": set(),
    "submit --help": set(),
    "match list --help": set(),
    "league list --help": set(),
    "home show": INDIRECT | {"pydantic"},
    "leaderboard": STORE,
    f"leaderboard {LEAGUE}": STORE,
    "leaderboard --json --night 1": STORE,
    "leaderboard --by settled": STORE | {"numpy", "scipy"},
    "versus": STORE,
    "bot list": STORE,
    "bot show bot0001": STORE,
    "match list": STORE,
    f"match show {LEAGUE}-1-0": STORE,
    "night list": STORE | {"arena.night", "arena.schedules"},
    "night show": STORE | {"arena.night", "arena.schedules"},
    "league list --playable": STORE | {"engine.burn_my_village"},
    f"league show {LEAGUE}": STORE | {"engine.burn_my_village"},
    "league list": STORE | GAMES,
}
"""What each command loads of `HEAVY`. The only bots are in the league of *Burn My Village*."""

_WATCHED: Final = """
import json, sys
from arena.cli.main import main
status = main(sys.argv[2:])
with open(sys.argv[1], "w") as file:
    json.dump([status, sorted(sys.modules)], file)
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with one night of one league in it."""
    folder = tmp_path_factory.mktemp("home")
    with Store.open(folder) as store:
        fill(store, LEAGUE, bots=4, matches=4)
        store.update_ratings(LEAGUE)
    return folder


def loaded(command: str, home: Path, tmp_path: Path) -> set[str]:
    """Return every module that a command loads in a process of its own."""
    file = tmp_path / "modules.json"
    environment = {key: value for key, value in os.environ.items() if not key.startswith("ARENA_")}
    ran = subprocess.run(
        [sys.executable, "-c", _WATCHED, str(file), *command.split()], capture_output=True, text=True, cwd=tmp_path,
        env={**environment, "ARENA_HOME": str(home)},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    status, modules = json.loads(file.read_text())
    assert status == 0, ran.stderr
    assert "click" in modules
    return set(modules)


@pytest.mark.parametrize("command", LOADED)
def test_a_command_loads_what_it_needs(command: str, home: Path, tmp_path: Path) -> None:
    """Imports take most of the time of a command that only shows something."""
    found = loaded(command, home, tmp_path) & HEAVY
    assert found <= LOADED[command]
    assert found >= LOADED[command] - INDIRECT, "the table allows what the command does not load"


@pytest.mark.parametrize("name", COMMANDS)
def test_the_overview_shows_each_command_as_it_describes_itself(name: str) -> None:
    """`arena --help` takes the summaries from a table, and loads no command for them."""
    command = root.get_command(click.Context(root), name)
    assert command is not None and command.name == name and not command.hidden
    assert COMMANDS[name].summary == command.get_short_help_str()
