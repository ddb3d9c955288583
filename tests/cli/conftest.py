"""What the tests of the command line share: a home of their own, and a way to run a command in this process."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from arena.cli import main


@dataclass(frozen=True)
class Ran:
    """How a command ended."""

    status: int
    out: str
    err: str


Arena = Callable[..., Ran]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, with the home of an arena in it and no settings from outside."""
    for variable in ("ARENA_DATABASE_URL", "ARENA_WORKERS", "ARENA_SANDBOX", "ARENA_COLOR", "NO_COLOR"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("ARENA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ARENA_AUTHOR", "ada")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def arena(place: Path, capfd: pytest.CaptureFixture[str]) -> Arena:
    """Runs one command in this process, in the fresh home."""

    def run(*arguments: str) -> Ran:
        capfd.readouterr()
        status = main(arguments)
        captured = capfd.readouterr()
        return Ran(status, captured.out, captured.err)

    return run
