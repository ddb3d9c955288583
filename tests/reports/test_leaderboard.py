"""One set of rows in four formats; all text is escaped and aligned, and fits the terminal."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.model.causes import Cause
from arena.ratings.live import Rating
from arena.ratings.standings import BoardEntry, Contender, Tally
from arena.reports.leaderboard import FORMATS, Format, Row, Style, render, rows
from arena.text.sanitize import cell_width

EVIL = "=cmd|' /C calc'!A1 \x1b[2J| <b>"


def entry(
    bot: str, mu: float, *, version: int = 1, newest: bool = True, withdrawn: bool = False, author: str = "ann"
) -> BoardEntry:
    """A version with a fixed set of counts and that mu."""
    tally = Tally(
        matches=12,
        rank_sum=5,
        opponents=12,
        points=14,
        wins=7,
        draws=0,
        losses=5,
        turns=100,
        time_us=1_234_567,
        time_max_us=98_765,
        forfeits={Cause.TURN_LATE: 2, Cause.CRASHED: 1},
    )
    return BoardEntry(Contender(1, bot, version, author, newest, withdrawn), tally, Rating(mu, 1.0 / 3))


BOARD = [
    entry("greedy", 20.0, version=1, newest=False),
    entry("greedy", 30.123456789, version=2),
    entry("random", 10.0, author=EVIL),
    entry("planner", 30.123456789),
    entry("gone", 40.0, withdrawn=True),
    BoardEntry(
        Contender(9, "fresh", 1, "日本語の名前です、長い長い長い名前"), Tally(no_contests=1), Rating(25.0, 25 / 3)
    ),
]


def test_rows_show_the_newest_version_of_each_bot_best_first() -> None:
    """Equal ratings share a rank; older versions and withdrawn bots only on demand."""
    assert [(row.rank, row.bot, row.version) for row in rows(BOARD)] == [
        (1, "greedy", 2),
        (1, "planner", 1),
        (3, "random", 1),
        (4, "fresh", 1),
    ]
    assert [row.bot for row in rows(BOARD, every_version=True)] == [
        "gone", "greedy", "planner", "greedy", "random", "fresh",
    ]  # fmt: skip


def test_rows_do_not_depend_on_the_order_of_entries() -> None:
    """The board of a set of entries is one board."""
    assert rows(reversed(BOARD)) == rows(BOARD)


def test_a_version_is_new_until_ten_matches() -> None:
    """A rating of few matches is marked."""
    flags = {matches: rows([BoardEntry(Contender(1, "x", 1, ""), Tally(matches=matches), Rating(1, 1))])[0].new
             for matches in (0, 9, 10)}  # fmt: skip
    assert flags == {0: True, 9: True, 10: False}


WIDE = """\
#  bot      version  author                              rating     mu  sigma  matches  mean rank  W/D/L  forfeits                mean ms  max ms
1  greedy         2  ann                                  29.12  30.12   0.33       12       1.42  7/0/5  crashed 1, turn_late 2     12.3    98.8
1  planner        1  ann                                  29.12  30.12   0.33       12       1.42  7/0/5  crashed 1, turn_late 2     12.3    98.8
4  fresh          1  日本語の名前です、長い長い長い名前    0.00  25.00   8.33    0 new          -      -  0                             -       -
"""  # noqa: E501


def test_the_table_of_a_wide_terminal() -> None:
    """Every column that was asked for, two decimals, causes by name, a dash for what is not there, aligned."""
    assert render([row for row in rows(BOARD) if row.bot != "random"]) == WIDE
    assert len({cell_width(line) for line in WIDE.splitlines()}) == 1


@pytest.mark.parametrize("width", [40, 60, 80, 100, 120, 200])
def test_the_table_fits_the_terminal(width: int) -> None:
    """A narrow terminal goes without columns and says without which; rank, bot and rating always stay."""
    text = render(rows(BOARD), "table", Style(width=width))
    table = [line for line in text.splitlines() if not line.startswith("(")]
    assert all(cell_width(line) <= width for line in table)
    assert table[0].split()[:2] == ["#", "bot"]
    assert "rating" in table[0]
    for title in ("author", "mu", "sigma", "mean ms", "matches"):
        assert (title in table[0]) != (title in text.splitlines()[-1])


def test_colours_can_be_switched_off_and_change_nothing_else() -> None:
    """With colours the same characters stand in the same places."""
    coloured = render(rows(BOARD), "table", Style(color=True))
    assert "\x1b[1m" in coloured
    assert re.sub(r"\x1b\[\d+m", "", coloured) == render(rows(BOARD))
    assert "\x1b" not in render(rows(BOARD))


@pytest.mark.parametrize("form", FORMATS)
def test_hostile_text_is_harmless_in_every_format(form: Format) -> None:
    """An author who writes escape sequences, table cells and formulas gets none of them."""
    text = render(rows(BOARD), form)
    assert "\x1b" not in text
    if form == "markdown":
        assert {line.replace("\\|", "").count("|") for line in text.splitlines()} == {14}
    if form == "csv":
        authors = [line["author"] for line in csv.DictReader(io.StringIO(text))]
        assert [author for author in authors if author.startswith(("=", "+", "-", "@"))] == []
    if form == "json":
        assert EVIL in [line["author"] for line in json.loads(text)]
        assert text.isascii()


def test_json_and_csv_have_numbers_in_full() -> None:
    """What a program reads back is the float that was stored."""
    lines = rows(BOARD)
    data = json.loads(render(lines, "json"))
    assert [line["mu"] for line in data] == [row.mu for row in lines]
    assert data[0]["forfeits"] == {"crashed": 1, "turn_late": 2}
    table = list(csv.DictReader(io.StringIO(render(lines, "csv"))))
    assert [float(line["rating"]) for line in table] == [row.rating for row in lines]
    assert (table[0]["forfeits"], table[0]["forfeits_crashed"], table[0]["forfeits_malformed"]) == ("3", "1", "0")
    assert table[3]["mean_rank"] == table[3]["wins"] == ""


def test_what_changes_from_run_to_run_stands_under_times_alone() -> None:
    """Two boards that differ only in turn times are equal without them, in every format."""

    def faster(row: Row) -> Row:
        fields = {name: getattr(row, name) for name in row.__slots__}
        return Row(**{**fields, "time_mean_s": 0.001, "time_max_s": 0.002})

    before = rows(BOARD)
    after = [faster(row) for row in before]
    for form in FORMATS:
        assert render(before, form, Style(times=False)) == render(after, form, Style(times=False))
    with_times, without = (
        json.loads(render(before, "json"))[0],
        json.loads(render(before, "json", Style(times=False)))[0],
    )
    assert with_times.pop("times") == {"mean_s": 0.01234567, "max_s": 0.098765}
    assert with_times == without


def test_an_empty_board_says_so() -> None:
    """No table of nothing; programs get an empty list."""
    assert render([]) == "no match has been played yet\n"
    assert json.loads(render([], "json")) == []


@given(st.lists(st.tuples(st.floats(0, 50), st.text(max_size=12)), max_size=12), st.integers(30, 140))
def test_any_board_renders_in_every_format(bots: list[tuple[float, str]], width: int) -> None:
    """One line a row, whatever authors are called; ranks are those of the ratings."""
    lines = rows(entry(f"bot{number}", mu, author=author) for number, (mu, author) in enumerate(bots))
    assert [row.rank for row in lines] == [1 + sum(other.rating > row.rating for other in lines) for row in lines]
    assert len(render(lines, "markdown").splitlines()) == len(lines) + 2
    assert len(list(csv.reader(io.StringIO(render(lines, "csv"))))) == len(lines) + 1
    assert len(json.loads(render(lines, "json"))) == len(lines)
    table = render(lines, "table", Style(width=width)).splitlines()
    assert sum(not line.startswith("(") for line in table) == len(lines) + 1
