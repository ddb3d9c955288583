"""Tests of the wheel: it is built, installed into a new environment, and run outside of the source tree."""

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program `arena` of a fresh environment that has the wheel, and this environment's libraries."""
    folder = tmp_path_factory.mktemp("wheel")
    # Without isolation: the build tools of this environment, so that the test needs no network.
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    environment = folder / "venv"
    venv.create(environment, with_pip=False)
    python = environment / "bin" / "python"
    (packages,) = (environment / "lib").glob("python3*/site-packages")
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "--quiet", str(wheel)]
    subprocess.run(install, check=True, capture_output=True)
    # The libraries come from this environment, but not the editable arena in it: its path file is not read here.
    (found,) = {Path(path) for path in sys.path if path.endswith("site-packages") and Path(path, "click").is_dir()}
    (packages / "libraries.pth").write_text(f"import sys; sys.path.append({str(found)!r})\n")
    return environment / "bin" / "arena"


def run(arena: Path, place: Path, *arguments: str) -> str:
    environment = {"PATH": os.environ["PATH"], "ARENA_HOME": str(place / "home"), "ARENA_AUTHOR": "ada"}
    ran = subprocess.run([arena, *arguments], cwd=place, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_the_wheel_says_its_licence_and_that_it_is_typed(installed: Path) -> None:
    """Whoever installs the arena gets the text of the licence, and types for their own checker."""
    (packages,) = (installed.parents[1] / "lib").glob("python3*/site-packages")
    (described,) = packages.glob("league_arena-*.dist-info")
    assert "License-Expression: MIT\n" in (described / "METADATA").read_text()
    assert (described / "licenses" / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()
    assert (packages / "arena" / "py.typed").is_file()


def test_the_installed_program_does_the_main_job(installed: Path, tmp_path: Path) -> None:
    """Starters, migrations, component tables and rules are in the wheel: two bots are submitted and play a night."""
    assert "Commands:" in run(installed, tmp_path, "--help")
    where: list[str | Path] = [
        installed.parent / "python",
        "-c",
        "import arena, engine; print(arena.__file__, engine.__file__)",
    ]
    paths = subprocess.run(where, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert str(ROOT / "arena") not in paths and str(ROOT / "engine") not in paths
    for name, language in (("left", "python"), ("right", "perl")):
        suffix = {"python": "py", "perl": "pl"}[language]
        run(installed, tmp_path, "new", name, "--lang", language)
        assert f"{name}:1 by ada is entered" in run(installed, tmp_path, "submit", f"{name}.{suffix}")
    run(installed, tmp_path, "night", "run", "lanterns", "--all", "--quiet", "--workers", "1")
    assert "left" in run(installed, tmp_path, "leaderboard", "lanterns")
    for key in ("burn_my_village", "lanterns", "hell_village"):
        assert "R1" in run(installed, tmp_path, "game", "show", key, "--rules")
    run(installed, tmp_path, "doctor")
