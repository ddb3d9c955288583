"""Tests of the views of a league: settled ratings, head to head, seats, history, pictures, and verification."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest

from arena.cli.app import App
from arena.cli.main import main
from tests.cli.conftest import Arena, go_to

BOTS = Path(__file__).parents[2] / "sample_bots"
LEAGUE = "burn_my_village"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working folder in whose home three bots have played two short nights; not to be changed."""
    folder = tmp_path_factory.mktemp("played")
    files = [str(BOTS / name) for name in ("village_greedy.py", "village_random.py", "any_game_random.py")]
    with pytest.MonkeyPatch.context() as patch:
        go_to(folder, patch)
        assert main(["submit", *files, "--game", LEAGUE]) == 0
        for _ in range(2):
            assert main(["night", "run", LEAGUE, "--seats", "2", "--encounters", "4", "--quiet"]) == 0
    return folder


@pytest.fixture
def league(arena: Arena, place: Path, played: Path) -> Arena:
    """A home in which three bots have played two short nights."""
    shutil.copytree(played, place, dirs_exist_ok=True)
    return arena


def test_views_of_a_league(league: Arena, place: Path) -> None:
    """Each view shows every bot, as a table and for a script; pictures are SVG documents."""
    board = json.loads(league("leaderboard", "--by", "settled", "--json", "--plot", "board.svg").out)
    assert {row["bot"] for row in board} == {"village_greedy", "village_random", "any_game_random"}
    assert board[0]["bot"] == "village_greedy" and board[0]["better_than_next"] > 0.9 and board[0]["band"] == "A"
    assert all(row["low"] < row["mu"] < row["high"] for row in board)
    part = json.loads(league("leaderboard", "--by", "settled", "--json", "--night", "1").out)
    assert sum(row["matches"] for row in part) * 2 == sum(row["matches"] for row in board)
    fixed = json.loads(
        league(
            "leaderboard",
            "--by",
            "settled",
            "--json",
            "--anchor",
            "village_random=10",
            "--anchor",
            "any_game_random:1=12",
        ).out
    )
    assert {row["bot"]: row["mu"] for row in fixed if row["anchored"]} == {"village_random": 10, "any_game_random": 12}
    table = league("leaderboard", "--by", "settled").out
    assert "better than next" in table and "a statistical tie" in table
    league("leaderboard", "--plot", "live.svg")
    for name in ("board.svg", "live.svg"):
        assert ElementTree.parse(place / name).getroot().tag.endswith("svg")

    pairs = json.loads(league("versus", "--json").out)
    assert len(pairs) == 6
    assert all(pair["wins"] + pair["draws"] + pair["losses"] == pair["meetings"] for pair in pairs)
    assert "village_greedy:1" in league("versus", LEAGUE).out
    assert league("versus", "--format", "csv").out.startswith("bot,against,meetings")
    assert league("versus", "--format", "markdown").out.startswith("| # | bot |")
    (seats,) = json.loads(league("versus", "--by", "seat", "--json").out)
    assert [line["seat"] for line in seats["by_seat"]] == [0, 1] and seats["left_out"] == 0
    assert "2 seats: " in league("versus", "--by", "seat").out
    assert league("versus", "--by", "seat", "--format", "csv").out.count("\n") == 3

    nights = json.loads(league("bot", "history", "village_greedy", "--json", "--plot", "history.svg").out)
    assert [point["night"] for point in nights] == [1, 2] and all(point["matches"] > 0 for point in nights)
    assert "village_greedy:1" in league("bot", "history", "village_greedy").out
    assert ElementTree.parse(place / "history.svg").getroot().tag.endswith("svg")


WRONG = [
    (("leaderboard", "--anchor", "village_random=1"), 2, "expected --by settled with it"),
    (("leaderboard", "--by", "settled", "--anchor", "village_random"), 2, "expected BOT=MU"),
    (("leaderboard", "--by", "settled", "--anchor", "nobody=1"), 2, "nobody"),
    (("leaderboard", "--by", "settled", "--plot", "no/such/folder.svg"), 1, "cannot be written"),
    (("leaderboard", "--plot", "board.png"), 2, "pictures are SVG: expected a name that ends in .svg, got 'board.png'"),
    (("bot", "history", "village_greedy", "--plot", "plot"), 2, "expected a name that ends in .svg, got 'plot'"),
    (("bot", "history", "nobody"), 2, "nobody"),
    (("versus", "nowhere"), 2, "nowhere"),
    (("rating", "verify", "--board", "nothing.json"), 2, "cannot be read"),
    (("rating", "verify", "--board", "no.json"), 2, "is not valid JSON"),
    (("rating", "verify", "--board", "other.json"), 2, "expected what `arena leaderboard --json` prints"),
]


def test_wrong_questions_get_one_sentence(league: Arena, place: Path) -> None:
    """Exit status 1 or 2 and what was expected."""
    (place / "no.json").write_text("no", "utf-8")
    (place / "other.json").write_text("[1]", "utf-8")
    for arguments, status, sentence in WRONG:
        ran = league(*arguments)
        assert (ran.status, sentence in ran.err) == (status, True), arguments
    assert not list(place.glob("*.png"))


def test_every_printed_number_is_proved(league: Arena, place: Path) -> None:
    """Boards as printed and as published come out of the matches; a changed digit is found, wherever it stands."""
    boards = {
        "live.json": ("leaderboard", "--json"),
        "old.json": ("leaderboard", "--json", "--all-versions"),
        "night.json": ("leaderboard", "--json", "--night", "2"),
        "settled.json": ("leaderboard", "--by", "settled", "--json"),
        "fixed.json": ("leaderboard", "--by", "settled", "--json", "--anchor", "village_random=10"),
    }
    for name, arguments in boards.items():
        (place / name).write_text(league(*arguments).out, "utf-8")
        extra = {"night.json": ("--night", "2"), "fixed.json": ("--anchor", "village_random=10")}.get(name, ())
        ran = league("rating", "verify", "--board", name, *extra)
        assert ran.status == 0 and "all 3 ratings" in ran.out and f"all 3 lines of {name} match" in ran.out
    assert league("rating", "verify", "--board", "night.json").status == 1
    for name in ("live.json", "settled.json"):
        rows = json.loads((place / name).read_text("utf-8"))
        rows[1]["mu"] += 1e-6
        (place / name).write_text(json.dumps(rows), "utf-8")
        ran = league("rating", "verify", "--board", name)
        assert ran.status == 1 and f"{rows[1]['bot']}:1: mu is " in ran.out and "1 value of" in ran.err
    league("publish")
    page = place / "leaderboards" / f"{LEAGUE}.json"
    assert league("rating", "verify", "--board", str(page)).status == 0
    table = page.with_suffix(".md")
    table.write_text(table.read_text("utf-8").replace(" 1 | village", " 2 | village"), "utf-8")
    ran = league("rating", "verify", "--board", str(page))
    assert ran.status == 1 and f"{LEAGUE}.md is not what `arena publish` would write now" in ran.out
    found = json.loads(league("rating", "verify", "--json").out)
    assert found["settled_in_any_order"] and found["ratings_after_nights"] == 6 and not found["different_after_nights"]


def test_columns_are_explained_to_a_person_alone(league: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal a line beside the result says what the cells mean; a script's result stays what it is."""
    tables = {
        ("leaderboard",): "ratings depend on the order of matches, those of --by settled do not)",
        ("leaderboard", "--by", "settled"): "W/D/L counts matches with two seats)",
        ("versus",): "67 % of the points in 6 meetings",
        ("versus", "--by", "seat"): "first: alone or tied)",
    }
    piped = {arguments: league(*arguments) for arguments in tables}
    assert [ran.err for ran in piped.values()] == [""] * len(tables)
    monkeypatch.setattr(App, "at_terminal", True)
    for arguments, words in tables.items():
        ran = league(*arguments)
        assert words in ran.err and ran.out == piped[arguments].out
        assert league(*arguments, "--format", "csv").err == ""


def test_an_empty_answer_says_what_it_is_about(league: Arena) -> None:
    """A part without matches, a filter that nothing fits, withdrawn bots: not the same as a league without matches."""
    for by in ("trueskill", "settled"):
        ran = league("leaderboard", "--by", by, "--since", "2999-01-01")
        assert "finished matches of burn_my_village is in that part" in ran.out and not ran.err
    assert "is in that part" in league("leaderboard", "--seats", "5", "--format", "markdown").out
    assert "is in that part" in league("versus", "--seats", "5").out
    assert "is in that part" in league("versus", "--by", "seat", "--seats", "5").out
    assert league("match", "list", "--forfeits").out == "no match fits\n"
    assert league("match", "list", "--offset", "999").out.startswith(
        "--offset skips every match that fits: expected less"
    )
    for arguments in (
        ("versus", "--night", "7"), ("match", "list", "--league", LEAGUE, "--night", "7"),
        ("match", "verify", "--league", LEAGUE, "--night", "7"),
    ):  # fmt: skip
        ran = league(*arguments)
        assert (ran.status, ran.out) == (2, "") and "has no night 7" in ran.err
    for bot in ("village_greedy", "village_random", "any_game_random"):
        league("bot", "withdraw", bot)
    assert "withdrawn: --all-versions shows them" in league("leaderboard").out
    assert "withdrawn: --all-versions shows them" in league("versus").out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("match", "verify", "--league", "lanterns"), "lanterns has no finished match: there is nothing to verify"),
        (("match", "verify", "lanterns-1-0", "--night", "1"), "night 1 of which league?"),
        (("match", "replay", "lanterns-1-0", "--raw", "--turn", "1"), "--raw prints the whole replay"),
        (("rating", "verify", "lanterns"), "league 'lanterns' has no finished match: there is nothing to verify"),
        (("rating", "verify", "lanterns", "--night", "1"), "expected --board with them"),
    ],
)
def test_nothing_is_not_called_proved(arena: Arena, arguments: tuple[str, ...], sentence: str) -> None:
    """What looked at no match, or would not look at what was asked for, is wrong usage."""
    ran = arena(*arguments)
    assert (ran.status, ran.out) == (2, "") and sentence in ran.err


def test_a_league_without_matches_has_views_too(arena: Arena) -> None:
    """Before the first night every view says that there is nothing yet."""
    assert "no league has had a night yet" in arena("versus").err
    for arguments in (
        ("leaderboard", LEAGUE, "--by", "settled"),
        ("versus", LEAGUE),
        ("versus", LEAGUE, "--by", "seat"),
    ):
        ran = arena(*arguments)
        assert ran.status == 0 and ("no match" in ran.out or "no complete encounter" in ran.out)
