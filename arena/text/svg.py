"""Draw small SVG pictures without a library: points with intervals, and lines over time. Untrusted text is escaped.

>>> picture = interval_plot("Ratings", [Interval("mybot:1", 25.0, 20.0, 30.0)], "skill")
>>> picture.startswith("<svg ") and "mybot:1" in picture
True
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

WIDTH = 760
ROW = 22
MARGIN = 16
TOP = 56
PLOT_HEIGHT = 320

COLOURS = ("#1b6ca8", "#c8553d", "#3a7d44", "#8a5a9e", "#b07d12", "#4a4e69", "#d1495b", "#2e8b8b")
"""Dark enough for thin lines on white; with different marks, most colour-blind readers can distinguish them."""
_MARKS = ("circle", "square", "diamond", "triangle")


@dataclass(frozen=True, slots=True)
class Interval:
    """One line of an interval plot."""

    label: str
    value: float
    low: float
    high: float
    band: int = 0
    """Number of the band. Neighbouring bands have different background shades."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a line plot."""

    label: str
    points: Sequence[tuple[float, float]]
    spread: Sequence[tuple[float, float]] = ()
    """Low and high end at each point; if empty, none is drawn."""


@dataclass(frozen=True, slots=True)
class Axes:
    """The title and the axes of a line plot."""

    title: str
    across: str
    up: str
    ticks: Sequence[tuple[float, str]] = ()
    """Ticks of the x axis, as (position, label). If empty, round numbers are chosen."""
    shaded: tuple[float, float] | None = None
    """Low and high end of a shaded horizontal stripe, the target range."""


@dataclass(frozen=True, slots=True)
class _Scale:
    """A linear map from numbers to pixels."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)


def interval_plot(title: str, lines: Sequence[Interval], axis: str) -> str:
    """Return an SVG document with one point and interval for each line, in the given order."""
    left = MARGIN + max((text_width(line.label) for line in lines), default=0) + 12
    low = min((line.low for line in lines), default=0.0)
    high = max((line.high for line in lines), default=1.0)
    ticks = round_ticks(low, high)
    scale = _Scale(ticks[0], ticks[-1], left, WIDTH - MARGIN - 12)
    bottom = TOP + ROW * len(lines)
    parts = [_title(title)]
    for number, line in enumerate(lines):
        if line.band % 2:
            parts.append(_rectangle(MARGIN / 2, TOP + ROW * number, WIDTH - MARGIN, ROW, "#eef2f5"))
    for tick in ticks:
        parts.append(_line(scale(tick), TOP, scale(tick), bottom, "#d5dbe0"))
        parts.append(_text(scale(tick), bottom + 16, number_text(tick), anchor="middle", colour="#555"))
    for number, line in enumerate(lines):
        y = TOP + ROW * (number + 0.5)
        parts.append(_text(left - 10, y + 4, line.label, anchor="end"))
        parts.append(_line(scale(line.low), y, scale(line.high), y, COLOURS[0], width=2.5))
        parts += [_line(scale(end), y - 4, scale(end), y + 4, COLOURS[0], width=1.5) for end in (line.low, line.high)]
        parts.append(_mark(0, scale(line.value), y, COLOURS[0]))
    parts.append(_text((left + WIDTH) / 2, bottom + 34, axis, anchor="middle", colour="#555"))
    return _document(parts, bottom + 44)


def line_plot(axes: Axes, lines: Sequence[Line]) -> str:
    """Return an SVG document with lines over a common axis, and a legend."""
    across = [x for line in lines for x, _ in line.points] + [x for x, _ in axes.ticks]
    up = [y for line in lines for _, y in line.points] + [end for line in lines for ends in line.spread for end in ends]
    up += axes.shaded or ()
    rows = round_ticks(min(up, default=0.0), max(up, default=1.0))
    left = MARGIN + 20 + max(text_width(number_text(tick)) for tick in rows)
    end = TOP + PLOT_HEIGHT
    marks = list(axes.ticks) or [
        (tick, number_text(tick)) for tick in round_ticks(min(across, default=0.0), max(across, default=1.0))
    ]
    first, last = min([*across, marks[0][0]]), max([*across, marks[-1][0]])
    room = (last - first or 1.0) * 0.03
    x = _Scale(first - room, last + room, left, WIDTH - MARGIN)
    y = _Scale(rows[0], rows[-1], end, TOP)
    parts = [_title(axes.title)]
    if axes.shaded is not None:
        top, bottom = y(axes.shaded[1]), y(axes.shaded[0])
        parts.append(_rectangle(left, top, WIDTH - MARGIN - left, bottom - top, "#dcebdd"))
    for tick in rows:
        parts.append(_line(left, y(tick), WIDTH - MARGIN, y(tick), "#d5dbe0"))
        parts.append(_text(left - 6, y(tick) + 4, number_text(tick), anchor="end", colour="#555"))
    parts += [_text(x(tick), end + 18, name, anchor="middle", colour="#555") for tick, name in marks]
    for number, line in enumerate(lines):
        parts += _drawn(line, number, x, y)
    parts.append(_text((left + WIDTH) / 2, end + 38, axes.across, anchor="middle", colour="#555"))
    parts.append(_text(MARGIN, TOP - 14, axes.up, colour="#555"))
    legend = end + 62
    for number, line in enumerate(lines):
        at = legend + 18 * number
        parts.append(_mark(number, left + 6, at - 4, COLOURS[number % len(COLOURS)]))
        parts.append(_text(left + 18, at, line.label))
    return _document(parts, legend + 18 * len(lines))


def round_ticks(low: float, high: float, about: int = 7) -> list[float]:
    """Return round numbers, the first not above `low`, the last not below `high`.

    >>> round_ticks(3.2, 38.0)
    [0.0, 5.0, 10.0, 15.0, 20.0, 25.0, 30.0, 35.0, 40.0]
    """
    span = max(high - low, 1e-9)
    raw = span / about
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= raw * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(step * number, 12) for number in range(first, max(last, first + 1) + 1)]


def number_text(value: float) -> str:
    """Return a number without superfluous digits."""
    return f"{value:.10g}"


def text_width(text: str) -> float:
    """Return about how many pixels wide a text of the default size is; rather too many than too few."""
    return 7.4 * len(text)


def _drawn(line: Line, number: int, x: _Scale, y: _Scale) -> Iterable[str]:
    colour = COLOURS[number % len(COLOURS)]
    for (at, _), (low, high) in zip(line.points, line.spread, strict=False):
        yield _line(x(at), y(low), x(at), y(high), colour, width=1.2)
    path = " ".join(f"{x(at):.1f},{y(value):.1f}" for at, value in line.points)
    yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.8"/>'
    for at, value in line.points:
        yield _mark(number, x(at), y(value), colour)


def _mark(kind: int, x: float, y: float, colour: str) -> str:
    name = _MARKS[kind % len(_MARKS)]
    if name == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>'
    corners = {
        "square": ((-4, -4), (4, -4), (4, 4), (-4, 4)),
        "diamond": ((0, -5.5), (5.5, 0), (0, 5.5), (-5.5, 0)),
        "triangle": ((0, -5), (5, 4), (-5, 4)),
    }[name]
    points = " ".join(f"{x + right:.1f},{y + down:.1f}" for right, down in corners)
    return f'<polygon points="{points}" fill="{colour}"/>'


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, width: float = 1.0) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" stroke-width="{width:g}"/>'


def _rectangle(x: float, y: float, width: float, height: float, colour: str) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{colour}"/>'


def _text(x: float, y: float, text: str, *, anchor: str = "start", colour: str = "#1d1d1f") -> str:
    look = f'font-size="12" text-anchor="{anchor}" fill="{colour}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" {look}>{_shown(text)}</text>'


def _title(text: str) -> str:
    return f'<text x="{MARGIN}" y="24" font-size="16" font-weight="bold" fill="#1d1d1f">{_shown(text)}</text>'


def _shown(text: str) -> str:
    # A control character is not allowed in XML, not even escaped.
    return escape("".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text))


def _document(parts: Sequence[str], height: float) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height:.0f}" '
        f'viewBox="0 0 {WIDTH} {height:.0f}" font-family="system-ui, sans-serif">'
    )
    return "\n".join([head, _rectangle(0, 0, WIDTH, height, "#ffffff"), *parts, "</svg>"]) + "\n"
