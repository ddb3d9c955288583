"""Write `arena/store/tables.py`, the tables of `arena.store.models` without their classes: `make tables`."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from sqlalchemy import CheckConstraint, Column, ForeignKey, ForeignKeyConstraint, Index, Table, UniqueConstraint
from sqlmodel import SQLModel

import arena.store.models  # noqa: F401 (fills the metadata)

FILE: Final = Path(__file__).parents[2] / "arena/store/tables.py"

_HEAD: Final = '''"""The tables that the queries use. `make tables` writes this file from `arena.store.models`."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    UniqueConstraint,
    text,
)

metadata = MetaData()
'''


def source() -> str:
    """Return the content of the file, formatted."""
    tables = SQLModel.metadata.sorted_tables
    return _formatted(_HEAD + "".join(map(_table, tables)))


def _table(table: Table) -> str:
    parts = [repr(table.name), "metadata", *map(_column, table.columns), *_constraints(table)]
    parts += sorted(_index(index) for index in table.indexes)
    if table.dialect_options["sqlite"]["with_rowid"] is False:
        parts.append("sqlite_with_rowid=False")
    return f"\n{table.name} = Table({', '.join(parts)})\n"


def _column(column: Column[object]) -> str:
    kind = type(column.type).__name__.replace("AutoString", "String")
    parts = [repr(column.name), kind, *(f"ForeignKey({key.target_fullname!r})" for key in _own_keys(column))]
    parts += ["primary_key=True"] if column.primary_key else [] if column.nullable else ["nullable=False"]
    default = getattr(column.default, "arg", None)
    parts += [] if default is None else [f"default={default!r}"]
    return f"Column({', '.join(parts)})"


def _own_keys(column: Column[object]) -> Iterator[ForeignKey]:
    for key in column.foreign_keys:
        if key.constraint is not None and len(key.constraint.columns) == 1:
            yield key


def _constraints(table: Table) -> list[str]:
    found = []
    for constraint in table.constraints:
        names = [column.name for column in getattr(constraint, "columns", ())]
        if isinstance(constraint, ForeignKeyConstraint) and len(names) > 1:
            others = [element.target_fullname for element in constraint.elements]
            found.append(f"ForeignKeyConstraint({names!r}, {others!r})")
        elif isinstance(constraint, UniqueConstraint):
            found.append(f"UniqueConstraint({', '.join(map(repr, names))})")
        elif isinstance(constraint, CheckConstraint):
            found.append(f"CheckConstraint({str(constraint.sqltext)!r})")
    return sorted(found)


def _index(index: Index) -> str:
    parts = [repr(index.name), *(repr(column.name) for column in index.columns)]
    parts += ["unique=True"] if index.unique else []
    where = index.dialect_options["sqlite"]["where"]
    parts += [] if where is None else [f"sqlite_where=text({str(where)!r})"]
    return f"Index({', '.join(parts)})"


def _formatted(code: str) -> str:
    command = [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(FILE), "-"]
    return subprocess.run(command, input=code, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    FILE.write_text(source(), encoding="utf-8")
