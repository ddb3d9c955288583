"""The imports inside `engine/`: no circles, and each game in layers."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ENGINE = Path(__file__).parents[2] / "engine"

CORE = [["core", "svg", "svg_check"], ["catalog", "walk"]]
"""The modules of `engine` itself. Modules of one row may import each other, as long as no circle arises."""

LAYERS = {
    "burn_my_village": [
        ["components", "counts", "actions"],  # data: what is printed, and the choices as values
        ["position"],  # data: what lies where
        ["scoring", "choices", "turns", "setup"],  # rules
        ["observation", "text", "picture"],  # what is seen
        ["state"],  # the form that `engine.core` asks for
        ["belief"],
        ["game"],
    ],
    "lanterns": [
        ["components", "cards", "actions", "steps", "events", "ruleset"],
        ["position"],
        ["scoring", "choices", "lake", "go", "setup"],
        ["observation", "text", "picture"],
        ["state"],
        ["belief"],
        ["game"],
    ],
    "hell_village": [
        ["components", "actions", "ruleset", "demons", "agenda"],
        ["position"],
        ["board", "piles", "scoring", "upkeep", "village", "workplaces", "placement", "playing", "rounds", "flow"],
        ["observation", "text", "picture", "picture_seats", "picture_signs", "reading", "check_components"],
        ["state", "worlds"],
        ["belief"],
        ["game"],
    ],
}
"""The layers of each game, lowest first. A module imports modules of its own row and of the rows above it here."""


def modules() -> dict[str, Path]:
    """Return every module of the engine by its dotted name; a package goes by its own name."""
    found = {}
    for path in sorted(ENGINE.rglob("*.py")):
        parts = path.relative_to(ENGINE.parent).with_suffix("").parts
        found[".".join(part for part in parts if part != "__init__")] = path
    return found


MODULES = modules()


def imported(path: Path) -> Iterator[str]:
    """Yield the modules of the engine that a file imports.

    Imports inside a function or under `TYPE_CHECKING` count too: they are how a circle hides. Python runs the
    `__init__` of a package before any of its modules. That is no edge here: it would make a circle of every package
    whose `__init__` offers its game.
    """
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in MODULES)
        elif isinstance(node, ast.ImportFrom) and node.module in MODULES:
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                yield name if name in MODULES else node.module


GRAPH = {name: set(imported(path)) for name, path in MODULES.items()}


def circle(graph: dict[str, set[str]]) -> list[str]:
    """Return the modules of one import circle in order, or nothing."""
    done: set[str] = set()

    def follow(name: str, path: list[str]) -> list[str]:
        if name in path:
            return [*path[path.index(name) :], name]
        if name not in done:
            for other in sorted(graph[name]):
                if found := follow(other, [*path, name]):
                    return found
            done.add(name)
        return []

    return next((found for name in sorted(graph) if (found := follow(name, []))), [])


def test_no_module_imports_in_a_circle() -> None:
    """What is below never imports what is above, however the import is written."""
    assert GRAPH["engine.lanterns.state"] >= {"engine.core", "engine.lanterns.position", "engine.lanterns.go"}
    assert circle(GRAPH) == []


def test_a_circle_is_found() -> None:
    """The search for circles finds one, and tells its way."""
    assert circle({"a": {"b"}, "b": {"c", "d"}, "c": set(), "d": {"b"}}) == ["b", "d", "b"]


def test_a_hidden_import_counts(tmp_path: Path) -> None:
    """An import that only the type checker reads, and one inside a function, are imports."""
    code = """
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from engine.lanterns import game
def late():
    from engine.core import Game
"""
    (tmp_path / "hidden.py").write_text(code)
    assert set(imported(tmp_path / "hidden.py")) == {"engine.lanterns.game", "engine.core"}


def test_every_module_has_its_layer() -> None:
    """A new module is put into the table above."""
    listed = {f"engine.{name}" for row in CORE for name in row}
    listed |= {f"engine.{game}.{name}" for game, rows in LAYERS.items() for row in rows for name in row}
    assert listed == set(MODULES) - {"engine", *(f"engine.{game}" for game in LAYERS)}


@pytest.mark.parametrize("game", LAYERS)
def test_a_game_imports_only_downwards(game: str) -> None:
    """Data below, rules above, the game on top; a game knows `engine.core`, `engine.svg` and itself, no other game."""
    rows = [{f"engine.{game}.{name}" for name in row} for row in LAYERS[game]]
    for number, row in enumerate(rows):
        allowed = {"engine.core", "engine.svg"}.union(*rows[: number + 1])
        for name in row:
            assert GRAPH[name] <= allowed, f"{name} imports {sorted(GRAPH[name] - allowed)}"
    assert GRAPH[f"engine.{game}"] == {f"engine.{game}.game"}


def test_the_core_knows_no_game() -> None:
    """`engine.core` imports nothing of the engine; the catalog finds games by their names."""
    assert GRAPH["engine.core"] == GRAPH["engine.svg"] == GRAPH["engine.svg_check"] == set()
    assert GRAPH["engine.catalog"] == GRAPH["engine.walk"] == {"engine.core"}


@pytest.mark.parametrize("folder", ["engine", "sample_bots", "tests/engine", "tests/sample_bots"])
def test_no_module_is_long(folder: str) -> None:
    """A module of more than 400 lines has two subjects."""
    paths = list((ENGINE.parent / folder).rglob("*.py"))
    assert paths
    assert [str(path) for path in paths if len(path.read_text("utf-8").splitlines()) > 400] == []
