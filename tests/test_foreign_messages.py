"""No decision depends on the text of an error: it changes with the library's version and the user's language.

A message may quote an error, or its first line. Code must not search the text of an error: libraries
provide codes (`sqlite_errorcode`, `sqlstate`, `errno`), types and attributes for that.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import arena.errors
import engine.catalog
import engine.core

ROOT = Path(__file__).parents[1]
MODULES = [path for package in ("arena", "engine") for path in sorted((ROOT / package).rglob("*.py"))]

OUR_OWN = {
    name
    for module in (arena.errors, engine.catalog, engine.core)
    for name, value in vars(module).items()
    if isinstance(value, type) and issubclass(value, Exception) and value.__module__ == module.__name__
}
"""Errors of the project: their text is its own."""

TEXTS = {"args", "msg", "message", "strerror", "reason"}
"""Attributes of an error that hold its text."""
SEARCHES = {
    "count", "endswith", "find", "index", "partition", "removeprefix", "removesuffix", "replace", "rfind", "rindex",
    "rpartition", "rsplit", "split", "startswith",
}  # fmt: skip
"""What looks for something in a text."""
DECISIONS = (ast.Eq, ast.NotEq, ast.In, ast.NotIn)

FunctionOrModule = ast.FunctionDef | ast.AsyncFunctionDef | ast.Module


def foreign_errors(scope: ast.AST) -> Iterator[str]:
    """Names that an error of somebody else has: in `except ... as name`, or as an argument."""
    for node in ast.walk(scope):
        if isinstance(node, ast.ExceptHandler) and node.name and node.type:
            kinds = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
            if not {ast.unparse(kind).rpartition(".")[2] for kind in kinds} <= OUR_OWN:
                yield node.name
        elif isinstance(node, ast.arg) and node.annotation:
            kind = ast.unparse(node.annotation).rpartition(".")[2]
            if re.fullmatch(r"\w*(Error|Exception)", kind) and kind not in OUR_OWN:
                yield node.arg


def says(node: ast.AST, errors: set[str], texts: set[str]) -> bool:
    """Whether the words of one of these errors are in the value of an expression."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and part.id in texts:
            return True
        if isinstance(part, ast.Attribute) and part.attr in TEXTS and mentions(part.value, errors):
            return True
        if isinstance(part, ast.Call) and ast.unparse(part.func) in ("str", "repr") and mentions(part, errors):
            return True
        if isinstance(part, ast.FormattedValue) and mentions(part.value, errors):
            return True
    return False


def mentions(node: ast.AST, names: set[str]) -> bool:
    return any(isinstance(part, ast.Name) and part.id in names for part in ast.walk(node))


def searches(scope: ast.AST) -> Iterator[str]:
    """Every expression of a function that looks for something in the words of a foreign error."""
    errors = set(foreign_errors(scope))
    texts: set[str] = set()
    for node in ast.walk(scope):  # assignments come before what is nested deeper, which is good enough here
        if isinstance(node, ast.Assign) and says(node.value, errors, texts):
            texts |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    for node in ast.walk(scope):
        if isinstance(node, ast.Compare) and any(isinstance(operator, DECISIONS) for operator in node.ops):
            found = any(says(side, errors, texts) for side in (node.left, *node.comparators))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            of_text = node.func.attr in SEARCHES and says(node.func.value, errors, texts)
            by_pattern = ast.unparse(node.func.value) == "re" and any(says(each, errors, texts) for each in node.args)
            found = of_text or by_pattern
        else:
            # pydantic's text of an error, however the error came here
            found = isinstance(node, ast.Subscript) and ast.unparse(node.slice) == "'msg'"
        if found:
            yield ast.unparse(node)


def functions(tree: ast.Module) -> Iterator[FunctionOrModule]:
    yield from (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    yield ast.Module([node for node in tree.body if not isinstance(node, ast.FunctionDef | ast.ClassDef)], [])


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_nobody_reads_the_words_of_a_foreign_error(path: Path) -> None:
    """Codes, types and attributes decide."""
    for scope in functions(ast.parse(path.read_text(encoding="utf-8"))):
        assert list(searches(scope)) == []


@pytest.mark.parametrize(
    "line",
    [
        "if 'locked' in str(error): pass",
        "if error.args[0] == 'locked': pass",
        "if str(error.orig).lower().startswith('disk'): pass",
        "text = str(getattr(error, 'orig', error)).strip()\n    found = [sign for sign in SIGNS if sign in text]",
        "re.search('locked', str(error))",
        "expected = error.errors()[0]['msg']",
        "return f'{error}'.partition(', unable')[0]",
        "if 'gone' in error.strerror: pass",
    ],
)
def test_what_reads_them_is_found(line: str) -> None:
    """In a handler and in a function that is given the error."""
    handler = f"def read():\n  try:\n    act()\n  except (ArenaError, OSError) as error:\n    {line}\n"
    function = f"def read(error: sqlite3.OperationalError):\n    {line}\n"
    for source in (handler, function):
        (scope, _) = functions(ast.parse(source))
        assert list(searches(scope)) != []


@pytest.mark.parametrize(
    "source",
    [
        "def read(error: OSError):\n  return f'cannot be read: {error.strerror}'",
        "def read(error: OSError):\n  if error.errno == errno.ENOSPC: pass",
        "def read(error: SQLAlchemyError):\n  return str(error.orig).strip().splitlines()[0]",
        "def read(error: SettingsError):\n  return str(error).removeprefix('[league.x]: ')",
    ],
)
def test_quoting_one_is_fine(source: str) -> None:
    """So are codes, and the text of an error of the project's own."""
    assert [found for scope in functions(ast.parse(source)) for found in searches(scope)] == []
