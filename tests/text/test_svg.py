"""Pictures: well-formed, escaped, and the same for the same numbers."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from arena.text.svg import Axes, Interval, Line, interval_plot, line_plot, round_ticks

NASTY = 'a<b>&"\x00\x1b]c'


def test_pictures_are_well_formed_whatever_the_names() -> None:
    """Names from outside cannot break out of the picture."""
    board = interval_plot(NASTY, [Interval(NASTY, 1.0, 0.0, 2.0), Interval("b", 0.0, -1.0, 1.0, band=1)], NASTY)
    lines = line_plot(
        Axes(NASTY, NASTY, NASTY, ticks=[(0.0, NASTY), (1.0, "2")], shaded=(0.5, 0.75)),
        [Line(NASTY, [(0.0, 0.5), (1.0, 1.0)], [(0.25, 0.75), (0.5, 1.5)])] * 9,
    )
    for picture in (board, lines):
        root = ElementTree.fromstring(picture)
        assert root.tag.endswith("svg")
        assert any("a<b>&" in (text.text or "") for text in root.iter() if text.tag.endswith("text"))


def test_pictures_of_nothing_are_pictures() -> None:
    """No rows, no lines, one point: no error."""
    for picture in (
        interval_plot("none", [], "x"),
        interval_plot("one", [Interval("a", 3.0, 3.0, 3.0)], "x"),
        line_plot(Axes("none", "x", "y"), []),
        line_plot(Axes("one", "x", "y"), [Line("a", [(1.0, 1.0)])]),
    ):
        ElementTree.fromstring(picture)


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-3.3, 91), (1e-6, 2e-6), (5, 5), (-0.04, 0.04)])
def test_ticks_enclose_and_are_few(low: float, high: float) -> None:
    """Between 2 and 10 round numbers around all values, ascending."""
    ticks = round_ticks(low, high)
    assert ticks[0] <= low and ticks[-1] >= high
    assert ticks == sorted(set(ticks)) and 2 <= len(ticks) <= 10
