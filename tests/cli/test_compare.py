"""Tests of `arena compare`: a verdict in one sentence, JSON for scripts, and no change of the leaderboard."""

import json
from pathlib import Path

import pytest

from arena.compare.kept_blocks import LOCK_FILE
from arena.errors import StoreError
from arena.linux.lockfile import file_lock
from tests.cli.conftest import Arena

BOTS = Path(__file__).parents[2] / "sample_bots"
GREEDY, RANDOM = str(BOTS / "village_greedy.py"), str(BOTS / "village_random.py")


def test_greedy_is_better_than_random(arena: Arena, place: Path) -> None:
    """Two files, one verdict, with its matches and its error rate; asked again the answer is there at once."""
    ran = arena("compare", GREEDY, RANDOM, "--game", "burn_my_village", "--margin", "0.2")
    assert ran.status == 0
    assert "village_greedy is better than village_random: " in ran.out
    assert "at most 5 % of such tests" in ran.out and " matches in " in ran.out
    assert ": how much better the results fit a village_greedy that is better by 20 points of 100 than" in ran.out
    again = arena("compare", GREEDY, RANDOM, "--game", "burn_my_village", "--margin", "0.2", "--json")
    found = json.loads(again.out)
    assert found["verdict"] == "better" and found["matches"] == 2 * found["blocks"]
    assert f"continuing after {found['blocks']} blocks" in again.err
    assert len(list((place / "home" / "comparisons").iterdir())) == 1
    assert arena("leaderboard", "burn_my_village", "--json").out.strip() == "[]"
    assert "no match" in arena("match", "list").out or arena("match", "list", "--json").out.strip() == "[]"


def test_a_comparison_may_end_undecided(arena: Arena) -> None:
    """At its limit of matches it says that it does not know."""
    ran = arena("compare", RANDOM, GREEDY, "--game", "burn_my_village", "--seats", "3", "--matches", "12")
    assert ran.status == 0
    assert ran.out.startswith("undecided: ") and "12 matches in 2 blocks" in ran.out


def test_one_comparison_is_played_once_at_a_time(arena: Arena, place: Path) -> None:
    """The second process is refused in one sentence; the first one's results stay as they are."""
    command = ("compare", RANDOM, GREEDY, "--game", "burn_my_village", "--matches", "2")
    assert arena(*command).status == 0
    (folder,) = (place / "home" / "comparisons").iterdir()
    kept = (folder / "blocks.jsonl").read_bytes()
    with file_lock(folder / LOCK_FILE, StoreError):
        ran = arena(*command, "--fresh")
    assert (ran.status, ran.out) == (1, "")
    assert ran.err.startswith("arena: this comparison is being played by process ") and ran.err.count("\n") == 1
    assert (folder / "blocks.jsonl").read_bytes() == kept


def test_a_bot_that_cannot_start_is_not_compared(arena: Arena, place: Path) -> None:
    """No verdict, after a few matches: the reason, its causes in text and JSON, and status 1, also when resumed."""
    (place / "broken.py").write_text("import nothing_of_this_name\n")
    command = ("compare", "broken.py", RANDOM, "--game", "burn_my_village")
    ran = arena(*command)
    assert ran.status == 1
    assert ran.out.startswith("no verdict: ")
    assert "better than" not in ran.out
    assert "forfeits of broken: 6 of 6 matches (6 crashed); the last: expected an answer, but the process " in ran.out
    assert "No module named" in ran.out
    assert "forfeits of village_random: none in 6 matches" in ran.out
    assert "arena: no verdict: broken forfeited all of its 6 matches (`arena check broken.py` shows why)" in ran.err
    again = arena(*command, "--json")
    found = json.loads(again.out)
    assert (again.status, found["verdict"], found["matches"]) == (1, None, 6)
    assert found["forfeits"] == {"new": 6, "old": 0}
    assert found["forfeits_by_cause"] == {"new": {"crashed": 6}, "old": {}}
    assert "No module named" in found["last_forfeit"]["new"] and found["last_forfeit"]["old"] is None


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((RANDOM, RANDOM, "--game", "burn_my_village"), "are the same program: expected two different ones"),
        ((GREEDY, RANDOM, "--against", "burn_my_village"), "must have other bots: expected 1, got 0"),
        ((GREEDY, RANDOM, "--against", "lanterns", "--game", "lanterns"), "--against gives the rules too"),
        ((GREEDY, RANDOM, "--game", "burn_my_village", "--seats", "9"), "seats"),
        ((GREEDY, "nobody", "--game", "burn_my_village"), "nobody"),
    ],
)
def test_what_cannot_be_compared(arena: Arena, arguments: tuple[str, ...], sentence: str) -> None:
    """One sentence, exit status 2, nothing kept."""
    ran = arena("compare", *arguments)
    assert ran.status == 2
    assert sentence in ran.err and "Traceback" not in ran.err
