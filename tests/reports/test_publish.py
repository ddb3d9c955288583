"""Published leaderboards are the same files for the same matches, complete, and safe to open."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.errors import StoreError
from arena.ratings.live import Rating
from arena.ratings.standings import BoardEntry, Contender, Tally
from arena.reports.leaderboard import rows
from arena.reports.publish import Page, publish


def page(league: str, *, bot: str = "greedy", time_us: int = 1000) -> Page:
    """A league of one bot."""
    tally = Tally(matches=12, rank_sum=3, opponents=12, points=18, wins=9, losses=3, turns=50, time_us=time_us)
    board = rows([BoardEntry(Contender(1, bot, 2, "ann|bob"), tally, Rating(30.0, 1.0))])
    return Page(league, "lanterns", "Lanterns", {"short": True}, (2, 3, 4), 1, 12, tuple(board), ("arena night run",))


def test_a_league_has_three_files_and_an_entry_in_the_index(tmp_path: Path) -> None:
    """Markdown for people, CSV and JSON for programs, and the index that links them."""
    folder = tmp_path / "leaderboards"
    assert [file.name for file in publish(folder, [page("friday")])] == [
        "friday.md",
        "friday.csv",
        "friday.json",
        "README.md",
    ]
    text = (folder / "friday.md").read_text()
    assert text.startswith("# friday\n\n- Game: Lanterns (`lanterns`), 2, 3 and 4 seats, options: short true\n")
    assert "- 12 matches in 1 night\n" in text
    assert "```\narena night run\n```" in text
    assert "| 1 | greedy | 2 | ann\\|bob | 27.00 | 30.00 | 1.00 | 12 | 1.25 | 9/0/3 | 0 |" in text
    assert json.loads((folder / "friday.json").read_text())["rows"][0]["rating"] == 27.0
    index = (folder / "README.md").read_text()
    assert "| [friday](friday.md) | Lanterns | 1 | 12 | greedy v2 |" in index
    assert sorted(file.name for file in folder.iterdir()) == ["README.md", "friday.csv", "friday.json", "friday.md"]


def test_publishing_again_changes_no_byte_even_with_other_times(tmp_path: Path) -> None:
    """No times and no dates: the files can be compared and committed."""
    publish(tmp_path, [page("friday", time_us=1000)])
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    publish(tmp_path, [page("friday", time_us=999_999)])
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_other_leagues_stay_in_the_index(tmp_path: Path) -> None:
    """One league is published at a time; files that are no pages are passed over."""
    publish(tmp_path, [page("friday")])
    (tmp_path / "notes.json").write_text("{}")
    (tmp_path / "broken.json").write_text("{")
    publish(tmp_path, [page("monday", bot="random")])
    index = (tmp_path / "README.md").read_text()
    assert [line.split("]")[0] for line in index.splitlines() if line.startswith("| [")] == ["| [friday", "| [monday"]


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """One sentence, and nothing half written."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match=r"the leaderboards cannot be written to .*file"):
        publish(tmp_path / "file", [page("friday")])
