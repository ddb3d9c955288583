"""What is imported is declared, and what is declared is used."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())

OWN = {"arena", "engine", "tests", "benchmarks", "sample_bots", "harbour_auction"}
"""Packages of the project; the last is the example of a game in a package of its own."""

DISTRIBUTIONS = {
    "markdown_it": "markdown-it-py",
    "pydantic_core": "pydantic",  # each release of pydantic needs exactly one release of its core
}
"""Import name -> distribution, where they differ in more than underscores."""

NEVER_IMPORTED = {
    "build": "`python -m build` makes the wheel",
    "codespell": "a program of `make lint`",
    "hatchling": "builds the wheel",
    "mypy": "a program of `make lint`",
    "pre-commit": "a program of `make lint`",
    "psyleague": "a program that a benchmark starts",
    "pytest-xdist": "a plug-in of pytest",
    "ruff": "a program of `make lint`",
    "types-jsonschema": "types for mypy",
}
"""Declared, and used in another way than by an import."""


def names(requirements: list[str]) -> set[str]:
    """The distributions of a list of requirements."""
    return {re.split(r"[^\w.-]", requirement, maxsplit=1)[0] for requirement in requirements}


RUNTIME = names(PROJECT["project"]["dependencies"])
OPTIONAL = {name for extra in PROJECT["project"]["optional-dependencies"].values() for name in names(extra)}
GROUPS = {name for group in PROJECT["dependency-groups"].values() for name in names(group)}


def imported(*folders: str) -> dict[str, str]:
    """Every distribution that a file below these folders imports, at its top or later, and one such file."""
    found: dict[str, str] = {}
    for path in (path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))):
        if "faulty_bots" in path.parts:
            continue  # programs that are copied; one of them imports what is not there
        siblings = {other.stem for other in path.parent.glob("*.py")}
        for module in sorted(modules(path) - {*sys.stdlib_module_names, *OWN, *siblings}):
            found[DISTRIBUTIONS.get(module, module.replace("_", "-"))] = str(path.relative_to(ROOT))
    return found


def modules(path: Path) -> set[str]:
    """The first parts of all names that a file imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names.add(node.module.partition(".")[0])
    return names


SHIPPED = imported("arena", "engine")
BESIDE = imported("tests", "benchmarks", "sample_bots")


def test_there_is_something_to_compare() -> None:
    """The walk over the files finds imports at the top, inside of functions, and of parts of a package."""
    assert SHIPPED.keys() >= {"click", "sqlmodel", "pyseccomp"} and BESIDE.keys() >= {"pytest", "catanatron"}
    assert {"click", "sqlmodel"} <= RUNTIME and {"psycopg"} == OPTIONAL and {"pytest", "catanatron"} <= GROUPS


def test_what_the_arena_imports_is_declared_for_its_users() -> None:
    """A library that only comes with another one may go with it."""
    missing = {name: file for name, file in SHIPPED.items() if name not in RUNTIME | OPTIONAL}
    assert missing == {}


def test_what_tests_and_benchmarks_import_is_declared_for_developers() -> None:
    """`make setup` installs all that `make test` imports."""
    missing = {name: file for name, file in BESIDE.items() if name not in RUNTIME | OPTIONAL | GROUPS}
    assert missing == {}


def test_nothing_is_declared_that_nobody_uses() -> None:
    """A declared library is imported, or stands among those that are used in another way."""
    assert RUNTIME - SHIPPED.keys() == set()
    unused = (OPTIONAL | GROUPS) - SHIPPED.keys() - BESIDE.keys()
    assert unused == NEVER_IMPORTED.keys()


def test_every_dependency_of_users_has_a_floor() -> None:
    """An old release that lacks what is called would only fail in use."""
    optional = [each for extra in PROJECT["project"]["optional-dependencies"].values() for each in extra]
    for requirement in [*PROJECT["project"]["dependencies"], *optional, *PROJECT["dependency-groups"]["dev"]]:
        assert ">=" in requirement, requirement
