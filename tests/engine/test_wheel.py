"""The engine alone: its wheel is built without a network, has no dependencies, and has the files of the arena's."""

from __future__ import annotations

import re
import subprocess
import sys
import venv
from pathlib import Path
from zipfile import ZipFile

import pytest

from arena import __version__
from engine.catalog import BUILT_IN

ROOT = Path(__file__).parents[2]


def build(source: Path, into: Path, *options: str) -> Path:
    """Build a wheel with the build tools of this environment, so that no network is needed."""
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(into), *options, str(source)]
    subprocess.run(command, check=True, capture_output=True)
    (wheel,) = into.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of the engine, made as an index would offer it: from its source archive."""
    return build(ROOT / "engine", tmp_path_factory.mktemp("wheel"))


def contents(wheel: Path) -> dict[str, bytes]:
    """Every file of the package `engine` in a wheel."""
    with ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist() if name.startswith("engine/")}


def test_the_installed_engine_plays_every_game(wheel: Path, tmp_path: Path) -> None:
    """In an environment that has nothing else, the example of its page plays a random match of each game."""
    venv.create(tmp_path / "venv", with_pip=False)
    python = tmp_path / "venv" / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-index", "--quiet", str(wheel)]
    subprocess.run(install, check=True, capture_output=True)
    (example,) = re.findall(r"```python\n(.*?)```", (ROOT / "engine" / "README.md").read_text("utf-8"), re.DOTALL)
    for code in (example, "import engine; print(engine.__file__)"):
        # `-I`: neither the working folder nor the environment's variables lead to another engine.
        ran = subprocess.run([python, "-I", "-c", code], cwd=tmp_path, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr
        lines = ran.stdout.splitlines()
        if code is example:
            assert [line.split()[0] for line in lines] == list(BUILT_IN)
        else:
            assert Path(lines[0]).is_relative_to(tmp_path / "venv")


def test_it_says_what_it_is(wheel: Path) -> None:
    """It has the version of the arena, asks for no other package, and tells type checkers that it has types."""
    assert wheel.name == f"league_engine-{__version__}-py3-none-any.whl"
    with ZipFile(wheel) as archive:
        metadata = archive.read(f"league_engine-{__version__}.dist-info/METADATA").decode()
    assert "Requires-Dist" not in metadata
    assert "# The engine alone" in metadata
    assert "engine/py.typed" in contents(wheel)


def test_both_wheels_hold_the_same_engine(wheel: Path, tmp_path: Path) -> None:
    """The wheel of the arena works without an index that has `league-engine`: it has the same files itself."""
    assert contents(build(ROOT, tmp_path, "--wheel")) == contents(wheel)
