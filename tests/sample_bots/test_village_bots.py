"""The sample bots of Please Don't Burn My Village!: they follow the protocol, and each beats the one before."""

from __future__ import annotations

import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from engine.burn_my_village import GAME
from tests.sample_bots.bots import FOLDER, BotProcess, at_random, command_of, load, share_of_wins

FILES = [
    name
    for name in ("village_random.py", "village_greedy.py", "village_planner.py", "village_javascript.js")
    if command_of(name)
]


def built(folder: Path) -> list[str]:
    """The C bot, built as its manifest says; how it is run."""
    manifest = tomllib.loads((FOLDER / "village_c" / "bot.toml").read_text("utf-8"))
    shutil.copytree(FOLDER / "village_c", folder, dirs_exist_ok=True)
    command = [*manifest["build"][:1], "-Wall", "-Wextra", "-Werror", *manifest["build"][1:]]
    subprocess.run(command, cwd=folder, check=True)
    assert manifest["games"] == ["burn_my_village"]
    run: list[str] = manifest["run"]
    return run


def keeps_the_protocol(command: list[str], folder: Path) -> None:
    with BotProcess(command, folder) as bot:
        assert bot.greet("another_game") == {"type": "decline"}
    with BotProcess(command, folder) as bot:
        ready = bot.greet("burn_my_village")
        assert ready["type"] == "ready"
        assert ready["reuse"] is True
        first = [bot.play(GAME, seats, seats - 1, 5) for seats in (2, 5)]
        again = [bot.play(GAME, seats, seats - 1, 5) for seats in (2, 5)]
        other = bot.play(GAME, 2, 1, 6)
    assert first == again, "nothing is carried from one match into the next"
    assert other != first[0]
    with BotProcess(command, folder) as bot:
        bot.greet("burn_my_village")
        assert bot.play(GAME, 2, 1, 6) == other, "a fresh process answers like a used one"


@pytest.mark.parametrize("name", FILES)
def test_a_bot_keeps_the_protocol(name: str) -> None:
    """It declines other games, plays legal actions from any seat, takes its luck from the seed, can be used again."""
    command = command_of(name)
    assert command
    keeps_the_protocol(command, FOLDER)


def test_the_c_bot_is_built_and_keeps_the_protocol(tmp_path: Path) -> None:
    """The folder builds without a warning as its manifest says, and the result plays like the others."""
    keeps_the_protocol(built(tmp_path), tmp_path)


def test_greedy_is_ahead_of_random() -> None:
    """Greedy wins at least 8 of 10 matches against a random bot, and most at a table of four."""
    greedy = load("village_greedy").choose
    assert share_of_wins(GAME, greedy, [at_random], range(20)) >= 0.8
    assert share_of_wins(GAME, greedy, [at_random] * 3, range(8)) >= 0.5


def test_the_planner_is_ahead_of_greedy() -> None:
    """The planner wins at least 8 of 10 matches against greedy, on the same seeds from both seats."""
    planner, greedy = load("village_planner").choose, load("village_greedy").choose

    def plan(message: dict[str, object], luck: object) -> object:
        return GAME.encode(planner(message["observation"], luck))

    assert share_of_wins(GAME, plan, [greedy], range(10)) >= 0.8  # type: ignore[arg-type]


def test_greedy_foresees_its_points() -> None:
    """What greedy counts is what the rules would give, wherever nothing hidden comes up."""
    greedy = load("village_greedy")
    seen = {
        "viewer": 0,
        "track": ["axe", "feather", "scroll", "sword", "crown", "relic"],
        "values": [1, 1, 2, 2, 3, 4],
        "stalls": [[], ["crown"], [], []],
        "hand": {"axe": 2, "crown": 1, "wild": 1},
        "tables": [{"bribes": {"crown": {"cards": 1, "wilds": 0}}}, {"bribes": {}}],
    }
    assert greedy.points_after({"type": "draw"}, seen) == 3 * 2 - 2 - 2
    assert greedy.points_after({"type": "bribe", "treasure": "crown", "cards": 1, "wilds": 1}, seen) == 4 * 3 - 2
    assert greedy.points_after({"type": "bribe", "treasure": "axe", "cards": 2, "wilds": 0}, seen) == 6 + 2 * 2 - 2
    buy = {"type": "buy", "stall": 1, "pay": {"axe": 1}, "curse": "axe"}
    assert greedy.points_after(buy, seen) == 3 * 3 - 1 - 2
