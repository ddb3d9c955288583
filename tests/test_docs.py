"""The documentation is correct: its commands run, its generated pages are up to date, its links work."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from arena.cli.reference import pages
from arena.cli.root import root
from arena.config.settings import ENVIRONMENT_KEYS, load_settings, parse_toml
from arena.model.causes import Cause
from arena.model.rules import LeagueRules
from arena.submission.manifest import read_manifest
from benchmarks.__main__ import NAMES as BENCHMARKS
from engine.catalog import get_game

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.glob("*.md"), *ROOT.glob("*.md")])

BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", pages())
def test_generated_pages_are_up_to_date(name: str) -> None:
    """What is made from the code is what the code would make now; else: `make docs`."""
    assert (DOCS / name).read_text() == pages()[name], f"docs/{name} is out of date: run `make docs`"


def sessions(page: Path) -> list[tuple[str, str]]:
    """Every command of a page that is shown with its prompt, and the output that is shown with it."""
    found = []
    for block in BLOCK.findall(page.read_text()):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output.strip("\n")))
    return found


@pytest.mark.parametrize("page", [page for page in PAGES if sessions(page)], ids=lambda page: page.stem)
def test_every_command_that_is_shown_runs(page: Path, tmp_path: Path) -> None:
    """In a new shell, one after the other; output is as shown, where … stands for anything.

    Pages that submit bots do not change the default home, so the pages can be followed in any order.
    """
    variables = {name: value for name, value in os.environ.items() if not name.startswith("ARENA_")}
    environment = {
        **variables,
        "HOME": str(tmp_path / "login"),
        "XDG_DATA_HOME": str(tmp_path / "login"),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    lasting = ""
    for command, expected in sessions(page):
        ran = subprocess.run(
            ["sh", "-c", lasting + command], cwd=tmp_path, env=environment, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        assert ran.returncode == 0, f"$ {command}\n{ran.stdout}"
        pattern = ".*".join(re.escape(part) for part in expected.split("…"))
        assert re.fullmatch(pattern, ran.stdout.strip("\n"), re.DOTALL), f"$ {command}\n{ran.stdout}"
        if made := re.fullmatch(r"mkdir \S+ && (cd \S+)", command):
            lasting += f"{made[1]}\n"
        elif command.startswith("export "):
            lasting += f"{command}\n"
    assert not (tmp_path / "login").exists()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page: Path) -> None:
    """Every link inside the project names a file, and a heading of it where it has one."""
    for target in re.findall(r"\]\((?!https?:)([^)\s]+)\)", page.read_text()):
        name, _, heading = target.partition("#")
        file = (page.parent / name) if name else page
        assert file.exists(), f"{page.name} links to {target}"
        if heading:
            titles = re.findall(r"^#+ (.*)$", file.read_text(), re.MULTILINE)
            anchors = {re.sub(r"[^\w\- ]", "", title).strip().lower().replace(" ", "-") for title in titles}
            assert heading in anchors, f"{page.name} links to {target}"


def test_every_arena_command_in_the_pages_is_one() -> None:
    """Whatever is written as `arena …` in the text names a command that there is."""
    for page in PAGES:
        for words in re.findall(r"`arena ((?:[a-z-]+ ?)+)", page.read_text()):
            group: object = root
            for word in words.split():
                commands = getattr(group, "list_commands", None)
                if commands is None:
                    break  # arguments of the command
                context = root.make_context("arena", ["--help"], resilient_parsing=True)
                assert word in commands(context), f"{page.name}: arena {words}"
                group = group.get_command(context, word)  # type: ignore[attr-defined]


def test_settings_are_documented_with_their_defaults(tmp_path: Path) -> None:
    """Every key of arena.toml and of a league stands in the table, with the default that it has."""
    text = (DOCS / "running-a-league.md").read_text()
    for key in ENVIRONMENT_KEYS:
        assert f"| `{key}` | `ARENA_{key.upper()}` |" in text
    for key, field in LeagueRules.model_fields.items():
        if key in ("name", "game", "options", "rating"):
            continue
        default = json.loads(json.dumps(field.default))
        written = f"{default:g}" if isinstance(default, float) else json.dumps(default)
        assert f"| `{key}` | `{written}` |" in text, f"{key} has the default {written}"


def test_the_settings_and_the_manifest_that_are_shown_are_valid(tmp_path: Path) -> None:
    """Both examples can be copied as they stand."""
    (settings,) = re.findall(r"^```toml\n(.*?)^```", (DOCS / "running-a-league.md").read_text(), re.M | re.S)
    file = tmp_path / "arena.toml"
    assert load_settings({}, file, table=parse_toml(file, settings.encode())).find_league("friday").seats == (2, 4)
    (manifest,) = re.findall(r"^```toml\n(.*?)^```", (DOCS / "writing-a-bot.md").read_text(), re.M | re.S)
    assert read_manifest(manifest.encode()).games == ("burn_my_village",)


def test_every_cause_of_a_forfeit_is_documented() -> None:
    """The table of the protocol is the enum of the code."""
    text = (DOCS / "protocol.md").read_text()
    assert re.findall(r"^\| `(\w+)` \| (.*) \|$", text, re.MULTILINE) == [(cause, cause.meaning) for cause in Cause]


def test_the_readme_installs_what_ci_installs() -> None:
    """CI installs all that the one apt line of the README names, and its make targets are there."""
    readme, script = (ROOT / "README.md").read_text(), (ROOT / ".ci" / "run").read_text()

    def packages(text: str) -> set[str]:
        (line,) = re.findall(r"apt-get install ([^>\n]*)", text)
        return {word for word in line.split() if not word.startswith("-")}

    assert packages(readme) <= packages(script)
    contributing = (ROOT / "CONTRIBUTING.md").read_text()
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"(?:^|`)make ([a-z]+)", readme + contributing, re.MULTILINE)) <= targets


def test_every_module_has_its_room_in_the_architecture() -> None:
    """Someone new finds each file of the arena in the table of modules."""
    rows = dict(re.findall(r"^\| `(\w+)` \| ([^|]*) \|$", (DOCS / "architecture.md").read_text(), re.MULTILINE))
    for path in (ROOT / "arena").glob("*/*"):
        name = f"{path.name}/" if path.is_dir() else path.stem
        if not path.name.startswith("__") and path.parent.name != "__pycache__" and name != "migrations/":
            assert f"`{name}`" in rows[path.parent.name], f"{path.parent.name}/{name} is not listed"


def test_every_benchmark_that_is_named_can_be_run() -> None:
    """Figures can be taken again by the commands that stand beside them."""
    for page in [*PAGES, ROOT / "Makefile"]:
        for name in re.findall(r"python -m benchmarks (\w+)", page.read_text()):
            assert name in BENCHMARKS, f"{page.name}: python -m benchmarks {name}"
        for name in re.findall(r"python -m benchmarks\.(\w+)", page.read_text()):
            module = ROOT / "benchmarks" / f"{name}.py"
            assert "__main__" in module.read_text(), f"{page.name}: python -m benchmarks.{name}"
    for name in BENCHMARKS:
        assert re.search(r"^def run\(", (ROOT / "benchmarks" / f"{name}.py").read_text(), re.MULTILINE), name


@pytest.mark.parametrize("rules", [*(ROOT / "engine").glob("*/RULES.md")], ids=lambda rules: rules.parent.name)
def test_every_game_says_what_its_observation_holds(rules: Path) -> None:
    """The section of the rules to which the starters send their authors names each field."""
    game = get_game(rules.parent.name)
    section = rules.read_text().partition("\n## Observation\n")[2].partition("\n## ")[0]
    for field in game.new(game.seats[0], game.complete_options({})).observation(0):
        assert re.search(rf"`{field}[`\[]", section), f"{rules} does not tell about {field}"


def test_the_starters_send_their_authors_to_the_rules() -> None:
    """Whoever makes `choose` clever must know what it is given."""
    for starter in (ROOT / "arena" / "submission" / "starters").glob("*/bot.*"):
        words = re.sub(r"[\s#/*]+", " ", starter.read_text())
        assert starter.suffix == ".toml" or "`arena game show GAME --rules`, section Observation" in words, starter


def test_the_changelog_knows_this_version() -> None:
    """A release has its entry."""
    from arena import __version__

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["tool"]["hatch"]["version"]["path"] == "arena/__init__.py"
    assert f"## {__version__}" in (ROOT / "CHANGELOG.md").read_text()
