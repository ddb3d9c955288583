"""Verification of leaderboards: it names differences, but not those in the last digit from another machine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.errors import UsageError
from arena.model.records import FinishedMatch
from arena.ratings.live import RatingSettings
from arena.reports.verify import differences, read_board, settles_in_any_order

ROW = {"bot": "ann", "version": 1, "mu": 25.5, "forfeits": {"crashed": 1}, "times": {"mean_s": 0.1, "max_s": None}}


def test_only_what_differs_is_named() -> None:
    """Equal rows have no difference; a digit, a count, a missing line and an unknown value have one each."""
    assert differences([ROW], [dict(ROW)]) == []
    assert differences([{**ROW, "mu": 25.5 * (1 + 1e-12)}], [ROW]) == []
    assert differences([{**ROW, "mu": 25.6}], [ROW]) == ["ann:1: mu is 25.6, the matches give 25.5"]
    assert "forfeits" in differences([{**ROW, "forfeits": {"crashed": 2}}], [ROW])[0]
    assert differences([ROW, ROW], [ROW])[0] == "2 lines were printed, the matches give 1"
    assert differences([{**ROW, "elo": 1500}], [ROW]) == ["ann:1: elo is 1500, which is not computed"]


def test_what_was_not_printed_is_not_asked_for() -> None:
    """Published boards have no times."""
    assert differences([{"bot": "ann", "version": 1}], [ROW]) == []


@pytest.mark.parametrize("text", ["{}", "[1]", '{"rows": 3}', '[{"mu": 1}]'])
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    """A file that holds no board ends in one sentence."""
    file = tmp_path / "board.json"
    file.write_text(text, "utf-8")
    with pytest.raises(UsageError, match="expected what"):
        read_board(file)


def test_both_kinds_of_boards_are_read(tmp_path: Path) -> None:
    """A list of rows, live or settled, and a page with rows."""
    file = tmp_path / "board.json"
    file.write_text(json.dumps([ROW]), "utf-8")
    assert read_board(file).page is None and not read_board(file).settled
    file.write_text(json.dumps({"rows": [{**ROW, "better_than_next": None}]}), "utf-8")
    assert read_board(file).page is not None and read_board(file).settled


def test_settled_ratings_are_proved_by_another_order() -> None:
    """The proof holds for matches of several seat counts, in blocks and alone."""
    results = [
        FinishedMatch((1, 2), (0, 1), (1, 0)), FinishedMatch((2, 1), (0, 0), (1, 0)),
        FinishedMatch((1, 2, 3), (2, 0, 1)), FinishedMatch((3, 2), (0, 1), (1, 1)),
    ] * 3  # fmt: skip
    assert settles_in_any_order(results, [], RatingSettings())
