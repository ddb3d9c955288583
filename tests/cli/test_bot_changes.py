"""Tests of changes of stored bots: back to an older version, a new name, removal, and the record of all of it."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.check.report import CheckReport
from tests.cli.conftest import GAME, Arena


@pytest.fixture
def instant() -> Iterator[pytest.MonkeyPatch]:
    """A check that every bot passes at once, until `undo`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "arena.check.runner.check",
            lambda program, rules, *_, **__: CheckReport(program.label, rules.name, rules.game, False, ()),
        )
        yield patch


@pytest.fixture
def two_versions(arena: Arena, instant: pytest.MonkeyPatch) -> Arena:
    """A bot with two versions."""
    for version in (1, 2):
        Path("mine.py").write_text(f"# {version}\n")
        assert arena("submit", "mine.py", "--game", GAME).status == 0
    return arena


def plays(arena: Arena, bot: str) -> dict[int, list[str]]:
    """The leagues in which each version of the bot plays."""
    return {row["version"]: row["leagues"] for row in json.loads(arena("bot", "show", bot, "--json").out)}


def kinds(arena: Arena, *bot: str) -> list[str]:
    """What was done, the newest first."""
    return [action["kind"] for action in json.loads(arena("bot", "log", *bot, "--json").out)]


def test_an_older_version_plays_again(two_versions: Arena) -> None:
    """Submitting it again names the command; the command changes the next night, is recorded, and can be undone."""
    arena = two_versions
    Path("mine.py").write_text("# 1\n")
    again = arena("submit", "mine.py", "--game", GAME)
    assert "nothing changes; `arena bot use mine:1` lets this version play again" in again.out
    assert plays(arena, "mine") == {1: [], 2: [GAME]}
    ran = arena("bot", "use", "mine:1")
    assert (ran.status, ran.out) == (0, f"mine:1 plays in {GAME}, from the next night on\n")
    assert plays(arena, "mine") == {1: [GAME], 2: []}
    assert arena("bot", "use", "mine:1").out == f"mine:1 plays in {GAME} already\n"
    assert json.loads(arena("bot", "use", "mine:2", "--json").out)["leagues"] == [GAME]
    assert kinds(arena, "mine") == ["use", "use", "submit", "submit"]
    for label, why in (("mine", "expected a version"), ("mine:3", "has no version 3"), ("other:1", "there is no bot")):
        ran = arena("bot", "use", label)
        assert ran.status == 2 and why in ran.err, label
    Path("other.py").write_text("# another\n")
    assert arena("submit", "other.py", "--game", "lanterns").status == 0
    assert "is not entered in lanterns" in arena("bot", "use", "mine:1", "--league", "lanterns").err


def test_a_version_that_fails_the_check_is_not_used(two_versions: Arena, instant: pytest.MonkeyPatch) -> None:
    """The check of today decides, and a refusal changes nothing."""
    instant.undo()
    ran = two_versions("bot", "use", "mine:1")
    assert ran.status == 1 and "fails the check" in ran.err
    assert plays(two_versions, "mine") == {1: [], 2: [GAME]}


def test_a_renamed_bot_keeps_its_versions_and_its_former_name(two_versions: Arena) -> None:
    """Both names find it, nobody else can take either, and the first name can come back."""
    arena = two_versions
    assert arena("bot", "rename", "mine", "clever").out == "mine is now called clever\n"
    assert plays(arena, "clever") == plays(arena, "mine") == {1: [], 2: [GAME]}
    assert [row["name"] for row in json.loads(arena("bot", "list", "--json").out)] == ["clever"]
    Path("mine.py").write_text("# of somebody else\n")
    taken = arena("submit", "mine.py", "--game", GAME, "--author", "eve")
    assert taken.status == 1 and "belongs to the bot that is now called 'clever'" in taken.err
    Path("other.py").write_text("# another\n")
    assert arena("submit", "other.py", "--game", GAME).status == 0
    for name, why in (
        ("clever", "there is a bot 'clever' already"),
        ("mine", "now called 'clever'"),
        ("A B", "no name"),
    ):
        ran = arena("bot", "rename", "other", name)
        assert ran.status == 1 and why in ran.err, name
    assert arena("bot", "rename", "clever", "mine").out == "clever is now called mine\n"
    assert kinds(arena, "mine") == kinds(arena, "clever") == ["rename", "rename", "submit", "submit"]


def test_only_what_never_played_is_deleted(two_versions: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    """A version or a whole bot goes with its files; content that another bot has stays."""
    arena, bots = two_versions, Path("home/bots")
    Path("same.py").write_text("# 1\n")
    assert arena("submit", "same.py", "--game", GAME).status == 0
    before = {folder.name for folder in bots.iterdir()}
    for answer, status in (("", 2), ("n\n", 1)):  # nobody can be asked, and a no
        monkeypatch.setattr("sys.stdin", io.StringIO(answer))
        refused = arena("bot", "delete", "mine:1")
        assert refused.status == status and "nothing is removed" in refused.err
    assert plays(arena, "mine") == {1: [], 2: [GAME]}
    assert arena("bot", "delete", "mine:1", "--yes").out == "mine:1 is deleted\n"
    assert {folder.name for folder in bots.iterdir()} == before
    assert plays(arena, "mine") == {2: [GAME]}
    assert len(json.loads(arena("bot", "delete", "mine", "--yes", "--json").out)["digests"]) == 1
    assert arena("bot", "show", "mine").status == 2
    assert len(list(bots.iterdir())) == 1
    assert kinds(arena, "mine")[0] == "delete"


def test_what_played_stays_and_can_be_pruned(arena: Arena, four_bots: None) -> None:
    """Results name it. Its files may go once no night needs them, and its replays are verified without them."""
    assert arena("night", "run", GAME, "--encounters", "1", "--quiet").status == 0
    assert arena("bot", "prune", "--dry-run", "--json").out.strip() == "[]"
    refused = arena("bot", "delete", "north", "--yes")
    assert refused.status == 2 and "results and replays name it" in refused.err
    source = Path("north.py")
    source.write_text(source.read_text() + "# changed\n")
    assert arena("submit", str(source), "--author", "north", "--game", GAME).status == 0
    old = json.loads(arena("bot", "show", "north:1", "--json").out)[0]
    assert "north:1" in arena("bot", "prune", "--dry-run").out and Path(old["folder"]).is_dir()
    assert [row["version"] for row in json.loads(arena("bot", "prune", "--yes", "--json").out)] == [1]
    assert not Path(old["folder"]).exists()
    assert kinds(arena, "north")[0] == "prune"
    assert arena("match", "verify", "--league", GAME).status == 0
    ran = arena("bot", "use", "north:1")
    assert ran.status == 1 and "submit it again" in ran.err
    source.write_text(source.read_text().replace("# changed\n", ""))
    assert arena("submit", str(source), "--author", "north", "--game", GAME).status == 0
    assert arena("bot", "use", "north:1").status == 0


def test_a_bot_of_an_open_night_is_not_renamed(arena: Arena, four_bots: None) -> None:
    """The night knows it by its name."""
    assert arena("night", "run", GAME, "--encounters", "3", "--budget", "0.001s", "--quiet").status == 0
    ran = arena("bot", "rename", "north", "pole")
    assert ran.status == 2 and "plays in an open night" in ran.err
    assert arena("night", "abandon", GAME).status == 0
    assert arena("bot", "rename", "north", "pole").status == 0
    assert "pole" in arena("bot", "list").out and arena("leaderboard", GAME).status == 0
