"""Fixtures for tests of the command line: a new home, and a function that runs a command in this process."""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from arena.cli.main import main


@dataclass(frozen=True)
class Ran:
    """How a command ended."""

    status: int
    out: str
    err: str


Arena = Callable[..., Ran]
GAME = "burn_my_village"


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
def program(place: Path) -> Arena:
    """Runs one command in a process of its own, in the fresh home: what starts workers or takes signals."""

    def run(*arguments: str) -> Ran:
        ran = subprocess.run([sys.executable, "-m", "arena", *arguments], capture_output=True, text=True, cwd=place)
        return Ran(ran.returncode, ran.stdout, ran.stderr)

    return run


@pytest.fixture
def arena(place: Path, capfd: pytest.CaptureFixture[str]) -> Arena:
    """Runs one command in this process, in the fresh home."""

    def run(*arguments: str) -> Ran:
        capfd.readouterr()
        status = main(arguments)
        captured = capfd.readouterr()
        return Ran(status, captured.out, captured.err)

    return run


@pytest.fixture
def four_bots(arena: Arena) -> None:
    """Four bots are entered in the village."""
    for name in ("north", "east", "south", "west"):
        arena("new", name)
        source = Path(f"{name}.py")
        source.write_text(source.read_text() + f"# {name}\n")
        ran = arena("submit", str(source), "--author", name, "--game", GAME)
        assert ran.status == 0, ran.err
