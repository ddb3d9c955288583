"""docs/adding-a-game.md is correct: a game in a separate package works like the built-in ones."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from engine.hell_village.components import read_built_in
from tests.support.hosts import confinement

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "tests" / "example_game"
PAGE = (ROOT / "docs" / "adding-a-game.md").read_text()
CONTRACT = ("tests/engine/test_contract.py", "tests/engine/test_pictures.py")
RANDOM = ROOT / "sample_bots" / "any_game_random.py"


def install(package: Path, folder: Path) -> None:
    """What `pip install --no-deps --target` makes of a package; with this environment's build tools, so no network."""
    source = folder.parent / f"{folder.name}-source"
    shutil.copytree(package, source, ignore=shutil.ignore_patterns("__pycache__"))
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check"]
    command = [sys.executable, "-m", "pip", "install", *options, "--target", str(folder), str(source)]
    subprocess.run(command, check=True, capture_output=True)


class Arena:
    """The program, in a home of its own, where one package more is installed."""

    def __init__(self, place: Path, packages: Path) -> None:
        variables = {name: value for name, value in os.environ.items() if not name.startswith("ARENA_")}
        self.place = place
        (place / "home").mkdir(mode=0o700, exist_ok=True)
        self.environment = {
            **variables, "PYTHONPATH": str(packages), "ARENA_HOME": str(place / "home"), "ARENA_AUTHOR": "ada"
        }  # fmt: skip

    def python(self, *arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, *arguments]
        return subprocess.run(command, cwd=cwd or self.place, env=self.environment, capture_output=True, text=True)

    def __call__(self, *arguments: str) -> str:
        ran = self.python("-m", "arena", *arguments)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder into which the example is installed."""
    folder = tmp_path_factory.mktemp("example") / "packages"
    install(EXAMPLE, folder)
    return folder


@pytest.fixture
def arena(tmp_path: Path, packages: Path) -> Arena:
    return Arena(tmp_path, packages)


def test_an_installed_game_is_listed_and_shown(arena: Arena) -> None:
    """Its entry point is enough for `game list` and `game show`, its options and rules included; a league is there."""
    assert re.search(r"^harbour_auction +2-3 +Harbour Auction$", arena("game", "list"), re.MULTILINE)
    assert '"second"' in arena("game", "show", "harbour_auction")
    assert "R2.3" in arena("game", "show", "harbour_auction", "--rules")
    assert "harbour_auction" in arena("league", "list")


def test_an_installed_game_is_played_in_a_night_replayed_and_verified(arena: Arena) -> None:
    """A bot for any game plays it: a match by hand, with an option and three seats, then a night with all it leaves."""
    confinement()
    bot = str(RANDOM)
    watched = arena("play", bot, bot, bot, "--game", "harbour_auction", "--option", "wins=second", "--watch")
    assert "a crate worth" in watched and "the auction is over" in watched
    (arena.place / "left.py").write_text(RANDOM.read_text())
    (arena.place / "right.py").write_text(RANDOM.read_text() + "\n# the other one\n")
    submitted = arena("submit", "left.py", "right.py", "--game", "harbour_auction")
    assert "right:1 by ada is entered in harbour_auction" in submitted
    arena("night", "run", "harbour_auction", "--encounters", "2", "--quiet", "--workers", "2")
    matches = json.loads(arena("match", "list", "--json"))
    assert len(matches) == 4
    assert "left" in arena("leaderboard", "harbour_auction")
    replayed = arena("match", "replay", "harbour_auction-1-0")
    assert len(re.findall(r"seat [01] wins [1-6]$", replayed, re.MULTILINE)) == 4
    assert arena("match", "picture", "harbour_auction-1-0").startswith("<svg ")
    assert "4 of 4 matches replay exactly" in arena("match", "verify", "--league", "harbour_auction")
    assert "match the stored values exactly" in arena("rating", "verify", "harbour_auction")


def test_a_bot_carries_a_game_that_it_imports(arena: Arena) -> None:
    """Bots see `engine` alone: one that asks for the rules declines, unless its own folder holds the package."""
    confinement()
    search = ROOT / "sample_bots" / "any_game_search"
    for name in ("bare", "laden"):
        shutil.copytree(search, arena.place / name, ignore=shutil.ignore_patterns("__pycache__"))
    install(EXAMPLE, arena.place / "carried")
    shutil.copytree(arena.place / "carried", arena.place / "laden", dirs_exist_ok=True)
    ran = arena.python("-m", "arena", "check", "bare", "--game", "harbour_auction")
    assert ran.returncode != 0
    assert "the bot does not play harbour_auction" in ran.stdout
    assert re.search(r"3 seats too +ok", arena("check", "laden", "--game", "harbour_auction"))


def test_the_example_keeps_the_contract_and_its_own_rules(arena: Arena) -> None:
    """The contract takes up an installed game by itself, and the example's own tests pass as an author runs them."""
    options = ["-m", "pytest", "-q", "-p", "no:cacheprovider"]
    contract = arena.python(*options, *CONTRACT, "-k", "harbour_auction", cwd=ROOT)
    assert contract.returncode == 0, contract.stdout
    own = arena.python(*options, "-c", os.devnull, "--rootdir", str(EXAMPLE), str(EXAMPLE / "tests"))
    assert own.returncode == 0, own.stdout


def blocks(language: str) -> list[str]:
    """The blocks of the page in that language."""
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def test_the_code_that_is_shown_is_the_examples() -> None:
    """Each block of Python is a piece of the package, word for word; the last one is another card table's."""
    sources = [path.read_text() for path in (EXAMPLE / "harbour_auction").glob("*.py")]
    *quoted, plug_in = blocks("python")
    assert len(quoted) >= 6
    for block in quoted:
        assert any(block in source for source in sources), block
    assert blocks("toml")[0] in (EXAMPLE / "pyproject.toml").read_text()
    assert plug_in in (ROOT / "engine" / "hell_village" / "RULES.md").read_text()


def test_another_card_table_is_a_game_in_five_lines(tmp_path: Path) -> None:
    """The lines that are shown, a table and an entry point make a game with that table, listed beside the built-in."""
    package = tmp_path / "another" / "hell_village_other"
    package.mkdir(parents=True)
    table = read_built_in()
    table["constants"]["start_ep"]["value"] += 1
    (package / "cards.json").write_text(json.dumps(table))
    (package / "__init__.py").write_text(blocks("python")[-1])
    project = (EXAMPLE / "pyproject.toml").read_text().replace(blocks("toml")[0], blocks("toml")[1])
    project = project.replace("harbour-auction", "hell-village-other").replace("harbour_auction", "hell_village_other")
    (package.parent / "pyproject.toml").write_text(project)
    install(package.parent, tmp_path / "packages")
    arena = Arena(tmp_path, tmp_path / "packages")
    assert "hell_village_other" in arena("game", "list")
    look = "from engine.catalog import get_game; print(*(get_game(k).tables.start_ep for k in %r))"
    ran = arena.python("-c", look % (["hell_village", "hell_village_other"],))
    before, after = map(int, ran.stdout.split())
    assert after == before + 1
