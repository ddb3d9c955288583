"""Who may import whom: the rooms of the house keep their order."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

PURE = {
    "checkreport", "clock", "dealing", "encoding", "errors", "escape", "headway", "intervals", "judging",
    "leaderboard", "manifest", "meetings", "naming", "night_plan", "pace", "pairing", "placing", "plots", "protocol",
    "ratings", "records", "replay", "replay_records", "rounds", "schedules", "seeds", "sequential", "settings",
    "settled", "settled_board", "standings", "strict_json", "timer", "validation", "watching", "wording",
}  # fmt: skip
"""Modules of the arena that only compute: the same arguments, the same result."""

EFFECTS = {"asyncio", "multiprocessing", "os", "signal", "socket", "subprocess", "threading", "time", "urllib"}
"""What a module that only computes has no use for."""

ONLY_IN = {
    "trueskill": ("arena.ratings.live",),
    "numpy": ("arena.settled", "arena.ratings.head_to_head"),
    "scipy": ("arena.settled", "arena.ratings.head_to_head"),
    "sqlmodel": ("arena.store",),
    "sqlalchemy": ("arena.store",),
    "alembic": ("arena.store",),
    "subprocess": ("arena.transport",),
    "multiprocessing": ("arena.workers.pool",),
    "multiprocessing_logging": ("arena.workers.logs",),
    "click": ("arena.cli.main",),
    "rich": ("arena.cli.main",),
}
"""Each of these is known to one part alone."""


def modules(package: str) -> Iterator[tuple[str, Path]]:
    """Every module below a folder of the project, with its dotted name."""
    for path in sorted((ROOT / package).rglob("*.py")):
        if "starters" in path.parts and path.name != "__init__.py":
            continue  # programs that are copied, not modules
        parts = path.relative_to(ROOT).with_suffix("").parts
        yield ".".join(part for part in parts if part != "__init__"), path


def imports(path: Path) -> set[str]:
    """Dotted names of what a file imports when it runs: `from a import b` counts as a and a.b."""
    found: set[str] = set()
    pending: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            pending += node.orelse
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0 or node.module is None, f"{path}: write imports in full"
            found |= {node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)}
        pending += ast.iter_child_nodes(node)
    return found


def top(name: str) -> str:
    return name.split(".")[0]


ENGINE = list(modules("engine"))
ARENA = list(modules("arena"))


def room(name: str) -> str:
    """The part of the arena that a module belongs to: `arena.store.bots` belongs to `store`."""
    return ([*name.split("."), ""])[1]


def test_there_is_something_to_check() -> None:
    """The walk over the files finds them."""
    assert {name for name, _ in ENGINE} >= {"engine.core", "engine.catalog"}
    assert {name for name, _ in ARENA} >= {"arena.config.settings", "arena.cli.root"}


@pytest.mark.parametrize(("name", "path"), ENGINE)
def test_the_engine_is_pure(name: str, path: Path) -> None:
    """The engine needs the standard library alone, no clock and no global randomness; so a bot may import it."""
    for imported in imports(path):
        assert top(imported) in sys.stdlib_module_names | {"engine", "__future__"}, f"{name} imports {imported}"
        assert top(imported) not in EFFECTS, f"{name} imports {imported}"
        if top(imported) == "random":
            assert imported in {"random", "random.Random"}, f"{name} draws from the shared generator"


@pytest.mark.parametrize(("name", "path"), ENGINE)
def test_games_do_not_know_each_other(name: str, path: Path) -> None:
    """A game knows the core and itself; the core knows nothing."""
    own = ".".join(name.split(".")[:2])
    allowed = {"engine.core": set(), "engine.catalog": {"engine.core"}, "engine.walk": {"engine.core"}}.get(
        own, {"engine.core", own}
    )
    for imported in imports(path):
        if imported.startswith("engine."):
            assert ".".join(imported.split(".")[:2]) in allowed, f"{name} imports {imported}"


@pytest.mark.parametrize(("name", "path"), [module for module in ARENA if room(module[0]) in PURE])
def test_what_only_computes_needs_nothing_that_acts(name: str, path: Path) -> None:
    """Pure modules import pure modules, the engine and libraries; settings alone reads a file."""
    for imported in imports(path):
        if imported.startswith("arena."):
            assert room(imported) in PURE, f"{name} imports {imported}"
        assert top(imported) not in EFFECTS, f"{name} imports {imported}"


@pytest.mark.parametrize(("name", "path"), ENGINE + ARENA)
def test_each_library_is_known_to_one_part(name: str, path: Path) -> None:
    """TrueSkill is behind ratings, SQL behind the store, processes behind the transport, the terminal behind cli."""
    for imported in imports(path):
        allowed = ONLY_IN.get(top(imported))
        assert allowed is None or name.startswith(allowed), f"{name} imports {imported}"


@pytest.mark.parametrize(("name", "path"), ENGINE + ARENA)
def test_nothing_imports_the_command_line(name: str, path: Path) -> None:
    """What a command does can be done without it."""
    if room(name) in ("cli", "__main__"):
        return
    for imported in imports(path):
        assert not imported.startswith("arena.cli.main"), f"{name} imports {imported}"


def test_sample_bots_speak_only_the_protocol() -> None:
    """A sample bot may know the rules (`engine`), never the arena: authors copy it."""
    for name, path in modules("sample_bots"):
        for imported in imports(path):
            assert top(imported) != "arena", f"{name} imports {imported}"


@pytest.mark.parametrize(("name", "path"), ENGINE + ARENA)
def test_no_module_grows_too_long(name: str, path: Path) -> None:
    """A module of more than about 400 lines is looking for the missing noun."""
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 450
