"""Fixtures for tests of the command line: a new home, and a function that runs a command in this process.

A home that many tests begin with is made once. Each of these tests gets a copy.
"""

import shutil
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
    """An empty working folder, with an empty home in it and no settings from outside."""
    go_to(tmp_path, monkeypatch)
    return tmp_path


def go_to(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Make this the working folder, with a home in it and no settings from outside."""
    for variable in ("ARENA_DATABASE_URL", "ARENA_WORKERS", "ARENA_SANDBOX", "ARENA_COLOR", "NO_COLOR"):
        patch.delenv(variable, raising=False)
    (folder / "home").mkdir(mode=0o700, exist_ok=True)
    patch.setenv("ARENA_HOME", str(folder / "home"))
    patch.setenv("ARENA_AUTHOR", "ada")
    patch.chdir(folder)


def entered(folder: Path, *names: str) -> Path:
    """Enter starter bots of these names and authors in the village, in this working folder, and return it."""
    with pytest.MonkeyPatch.context() as patch:
        go_to(folder, patch)
        for name in names:
            assert main(["new", name]) == 0
            source = folder / f"{name}.py"
            source.write_text(source.read_text() + f"# {name}\n")
            assert main(["submit", source.name, "--author", name, "--game", GAME]) == 0
    return folder


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


@pytest.fixture(scope="session")
def folder_of_four(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working folder from which four bots are entered; not to be changed."""
    return entered(tmp_path_factory.mktemp("four"), "north", "east", "south", "west")


@pytest.fixture
def four_bots(place: Path, folder_of_four: Path) -> None:
    """Four bots of different authors are entered in the village."""
    shutil.copytree(folder_of_four, place, dirs_exist_ok=True)
