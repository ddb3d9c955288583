"""The imports between rooms: the table in docs/architecture.md is correct, and imports only go down."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = ROOT / "docs" / "architecture.md"

PURE_MODULES: Final = {
    "check.report", "compare.contest", "config.settings", "errors", "match.ranking", "match.replay",
    "match.replay_format", "match.spectator", "night.dispatch", "night.progress", "night.timers",
    "reports.leaderboard", "reports.settled_leaderboard", "store.values", "submission.author_names",
    "submission.manifest",
}  # fmt: skip
"""Modules that only compute, in rooms that are not pure as a whole."""

EFFECTS: Final = {"asyncio", "multiprocessing", "os", "signal", "socket", "subprocess", "threading", "time", "urllib"}
"""A module that only computes does not need these."""

ONLY_IN: Final = {
    "trueskill": ("arena.ratings.live",),
    "numpy": ("arena.ratings",),
    "scipy": ("arena.ratings",),
    "sqlmodel": ("arena.store",),
    "sqlalchemy": ("arena.store",),
    "alembic": ("arena.store",),
    "subprocess": ("arena.transport",),
    "multiprocessing": ("arena.workers",),
    "multiprocessing_logging": ("arena.workers.logs",),
    "click": ("arena.cli",),
    "rich": ("arena.cli",),
}
"""Only one room knows each of these libraries."""

LONGEST: Final = 400
"""Lines of a module. A longer one holds two things."""


@dataclass(frozen=True)
class Room:
    """One row of the table."""

    name: str
    pure: bool
    imports: tuple[str, ...]


@cache
def rooms() -> dict[str, Room]:
    """Return the rows of the table of rooms, from the bottom up."""
    (section,) = re.findall(r"^## The rooms$(.*?)^## ", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    rows = re.findall(r"^\| `(\w+)` \| .* \| (yes|no) \| (.*) \|$", section, re.MULTILINE)
    return {name: Room(name, pure == "yes", tuple(re.findall(r"`(\w+)`", cell))) for name, pure, cell in rows}


def modules(package: str) -> Iterator[tuple[str, Path]]:
    """Yield every module below a folder of the project, with its dotted name."""
    for path in sorted((ROOT / package).rglob("*.py")):
        if "starters" in path.parts and path.name not in ("__init__.py", "writer.py"):
            continue  # programs that are copied, not modules
        parts = path.relative_to(ROOT).with_suffix("").parts
        yield ".".join(part for part in parts if part != "__init__"), path


ENGINE: Final = dict(modules("engine"))
ARENA: Final = dict(modules("arena"))


def imports(path: Path, *, types: bool) -> set[str]:
    """Return the dotted names that a file imports, anywhere in it; with those for types alone, or without them.

    `from a import b` counts as `a` and as `a.b`.
    """
    found: set[str] = set()
    pending: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while pending:
        node = pending.pop()
        if not types and isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            pending += node.orelse
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: write imports in full"
            found |= {node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)}
        pending += ast.iter_child_nodes(node)
    return found


def top(name: str) -> str:
    return name.split(".")[0]


def room(name: str) -> str:
    """Return the room of a module: `store` for `arena.store.bots`, nothing for `arena` itself."""
    return ([*name.split("."), ""])[1]


def without_package(name: str) -> str:
    return name.removeprefix("arena.")


def entered(name: str) -> set[str]:
    """Return the other rooms that a module of the arena imports, `engine` among them."""
    found = {room(other) if top(other) == "arena" else "engine" for other in imports(ARENA[name], types=True)
             if top(other) in ("arena", "engine")}  # fmt: skip
    return found & rooms().keys() - {room(name)}


def is_pure(name: str) -> bool:
    return rooms()[room(name)].pure or without_package(name) in PURE_MODULES if room(name) in rooms() else False


PURE: Final = sorted(name for name in ARENA if is_pure(name))
INSIDE: Final = sorted(name for name in ARENA if room(name) in rooms())


def test_every_room_has_a_row_and_every_row_a_room() -> None:
    """The page lists what there is."""
    there = {room(name) for name in ARENA} - {"", "__main__"}
    assert set(rooms()) == there | {"engine"}
    assert {f"arena.{name}" for name in PURE_MODULES} <= ARENA.keys()


def test_rooms_only_import_rooms_above_them_in_the_table() -> None:
    """The table begins at the bottom of the house: nothing imports upwards, so rooms never import in a circle."""
    order = list(rooms())
    for row in rooms().values():
        for other in row.imports:
            assert order.index(other) < order.index(row.name), f"{row.name} may not import {other}"


@pytest.mark.parametrize("name", INSIDE)
def test_a_module_imports_what_the_table_allows(name: str) -> None:
    """Imports inside functions and imports for types alone count too."""
    allowed = set(rooms()[room(name)].imports)
    assert entered(name) <= allowed, f"{name} may not import {', '.join(sorted(entered(name) - allowed))}"


def test_the_table_allows_nothing_that_nobody_needs() -> None:
    """A room that no longer needs another one loses it in the table too."""
    for row in rooms().values():
        needed = set().union(*(entered(name) for name in INSIDE if room(name) == row.name))
        assert row.name == "engine" or set(row.imports) == needed, row.name


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Inside a room as between rooms."""
    graph = {name: imports(path, types=True) & ARENA.keys() - {name} for name, path in ARENA.items()}
    while leaves := {name for name, others in graph.items() if not others}:
        graph = {name: others - leaves for name, others in graph.items() if name not in leaves}
    assert not graph, f"in a circle, or above one: {', '.join(sorted(graph))}"


@pytest.mark.parametrize("name", PURE)
def test_what_only_computes_needs_nothing_that_acts(name: str) -> None:
    """Pure modules import pure modules, the engine and libraries."""
    for imported in imports(ARENA[name], types=False):
        assert imported not in ARENA or is_pure(imported) or imported.count(".") < 2, f"{name} imports {imported}"
        assert top(imported) not in EFFECTS, f"{name} imports {imported}"


@pytest.mark.parametrize("name", [*ENGINE, *ARENA])
def test_each_library_is_known_to_one_room(name: str) -> None:
    """TrueSkill is behind `ratings`, SQL behind `store`, processes behind `transport`, the terminal behind `cli`."""
    for imported in imports({**ENGINE, **ARENA}[name], types=True):
        allowed = ONLY_IN.get(top(imported))
        assert allowed is None or name.startswith(allowed), f"{name} imports {imported}"


@pytest.mark.parametrize("name", ENGINE)
def test_the_engine_is_pure(name: str) -> None:
    """The engine needs the standard library alone, no clock and no global randomness; so a bot may import it."""
    for imported in imports(ENGINE[name], types=True):
        assert top(imported) in sys.stdlib_module_names | {"engine", "__future__"}, f"{name} imports {imported}"
        assert top(imported) not in EFFECTS, f"{name} imports {imported}"
        if top(imported) == "random":
            assert imported in {"random", "random.Random"}, f"{name} draws from the shared generator"


@pytest.mark.parametrize("name", ENGINE)
def test_games_do_not_know_each_other(name: str) -> None:
    """A game knows the core, the drawing and itself; the core and the drawing know nothing."""
    own = ".".join(name.split(".")[:2])
    alone: set[str] = set()
    allowed = {
        "engine.core": alone, "engine.svg": alone, "engine.svg_check": alone,
        "engine.catalog": {"engine.core"}, "engine.walk": {"engine.core"},
    }.get(own, {"engine.core", "engine.svg", own})  # fmt: skip
    for imported in imports(ENGINE[name], types=True):
        if imported.startswith("engine."):
            assert ".".join(imported.split(".")[:2]) in allowed, f"{name} imports {imported}"


def test_sample_bots_speak_only_the_protocol() -> None:
    """A sample bot may know the rules (`engine`), never the arena: authors copy it."""
    for name, path in modules("sample_bots"):
        for imported in imports(path, types=True):
            assert top(imported) != "arena", f"{name} imports {imported}"


@pytest.mark.parametrize("name", ARENA)
def test_no_module_grows_too_long(name: str) -> None:
    """Whoever opens a module can read it in one sitting."""
    lines = len(ARENA[name].read_text(encoding="utf-8").splitlines())
    assert lines <= LONGEST, f"{name} has {lines} lines"


def test_packages_pass_no_names_on() -> None:
    """Each name has one place to be imported from, and nothing heavy is imported along."""
    for name, path in ARENA.items():
        if path.name == "__init__.py" and name != "arena":
            body = ast.parse(path.read_text(encoding="utf-8")).body
            assert len(body) == 1 and isinstance(body[0], ast.Expr), f"{name}: expected a docstring and nothing else"
