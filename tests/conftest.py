"""Fixtures that several tests of the arena use."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arena.store.store import Store
from engine import catalog
from tests.support import databases

collect_ignore = ["sandbox/attempts.py"]
"""A bot, not a module: it acts as soon as it is imported."""


@pytest.fixture
def tiny_game(monkeypatch: pytest.MonkeyPatch) -> str:
    """The game of `tiny_game.py` is in the catalog; gives its key."""
    monkeypatch.setitem(catalog.BUILT_IN, "tiny", "tests.support.tiny_game")
    return "tiny"


@pytest.fixture(scope="session")
def server() -> Iterator[databases.Server]:
    """A PostgreSQL server that is made for these tests and removed after them."""
    running = databases.Server()
    try:
        with databases.connect(str(running.folder)) as connection:
            connection.execute(f"CREATE DATABASE {databases.TEMPLATE}")
        Store.open(databases.url(str(running.folder), databases.TEMPLATE)).close()
        yield running
    finally:
        running.close()


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest) -> Iterator[str]:
    """Every test of the module runs with both; `databases.place` says where a store is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(databases.VARIABLE, raising=False)
        if request.param == "sqlite":
            yield request.param
            return
        server: databases.Server = request.getfixturevalue("server")
        patch.setenv(databases.VARIABLE, str(server.folder))
        yield request.param
        server.clear()
