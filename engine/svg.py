r"""Draw a position as an SVG picture: shapes and texts with colours that a page may replace, and nothing active.

A `Picture` escapes every text and writes one element a line. Each colour of `PALETTE` is written twice: as an
attribute, so that the file looks right by itself, and as a class (`f-NAME` fills, `s-NAME` strokes), so that a page can
replace it with `style_sheet`. Ids get the prefix `pic-`. `engine.svg_check` accepts nothing but plain drawing.

>>> picture = Picture("Two cards", "Seat 0 holds a card worth 7.")
>>> picture.card(10, 10, "7", "red", id="card-7")
>>> print(picture.svg(50).partition("\n")[2])
 <title>Two cards</title>
 <desc>Seat 0 holds a card worth 7.</desc>
 <rect x="0" y="0" width="400" height="50" class="f-paper" fill="#ffffff"/>
 <g id="pic-card-7" transform="translate(10 10)" text-anchor="middle" font-size="12" font-weight="bold">
  <rect x="0" y="0" width="22" height="22" rx="3" class="f-red s-line" fill="#b40f18" stroke="#8a929a"/>
  <text x="11" y="15.3" class="f-on-red" fill="#ffffff">7</text>
 </g>
</svg>
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from html import escape
from typing import Final, NamedTuple

WIDTH: Final = 400
"""The width of every picture, in its own units. It fills whatever width a page gives to it."""
SMALLEST: Final = 10
"""The smallest size of a text: 9 pixels where the picture is 360 pixels wide."""
MARGIN: Final = 10


class Paint(NamedTuple):
    """A colour as `#rrggbb` on a light page and on a dark one."""

    light: str
    dark: str


PALETTE: Final = {
    "paper": Paint("#ffffff", "#16181b"),
    "panel": Paint("#eef1f4", "#23272c"),
    "water": Paint("#d9ebf5", "#1b3140"),
    "wood": Paint("#f3e9d8", "#3a3226"),
    "ink": Paint("#1d1d1f", "#f2f2f0"),
    "muted": Paint("#565c63", "#aab2ba"),
    "line": Paint("#8a929a", "#77808a"),
    "accent": Paint("#a8350f", "#ffb38a"),
    "on-accent": Paint("#ffffff", "#1d1d1f"),
    # The colours of things on the table are the same on both kinds of page.
    "blue": Paint("#2b55dd", "#2b55dd"),
    "green": Paint("#10ab76", "#10ab76"),
    "black": Paint("#23202b", "#23202b"),
    "orange": Paint("#f79a25", "#f79a25"),
    "purple": Paint("#a055a6", "#a055a6"),
    "red": Paint("#b40f18", "#b40f18"),
    "white": Paint("#fbf8ee", "#fbf8ee"),
    "on-blue": Paint("#ffffff", "#ffffff"),
    "on-green": Paint("#1d1d1f", "#1d1d1f"),
    "on-black": Paint("#ffffff", "#ffffff"),
    "on-orange": Paint("#1d1d1f", "#1d1d1f"),
    "on-purple": Paint("#ffffff", "#ffffff"),
    "on-red": Paint("#ffffff", "#ffffff"),
    "on-white": Paint("#1d1d1f", "#1d1d1f"),
}
"""Every named colour. Text on a colour `NAME` has the colour `on-NAME`; text on the others is `ink` or `muted`."""

HUES: Final = ("blue", "green", "black", "orange", "purple", "red", "white")
"""Colours of cards, dice and tokens. Colour-blind readers can tell them apart, but use a letter or a shape as well."""

_ID: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def style_sheet() -> str:
    """Return CSS that paints every picture of a page in light or dark colours, as the reader prefers.

    Every colour is a custom property `--pic-NAME`, so a page can set its own.
    """
    rules = [
        f".f-{name} {{ fill: var(--pic-{name}); }}\n.s-{name} {{ stroke: var(--pic-{name}); }}" for name in PALETTE
    ]
    light = "\n".join(f"  --pic-{name}: {paint.light};" for name, paint in PALETTE.items())
    dark = "\n".join(f"    --pic-{name}: {paint.dark};" for name, paint in PALETTE.items() if paint.dark != paint.light)
    head = [f":root {{\n{light}\n}}", f"@media (prefers-color-scheme: dark) {{\n  :root {{\n{dark}\n  }}\n}}"]
    return "\n".join([*head, *rules, ""])


def text_width(words: str, size: float, bold: bool = False) -> float:
    """Return about how wide a text is, in units of the picture: rather too wide than too narrow."""
    return len(words) * size * (0.68 if bold else 0.61)


def fitted(words: str, size: float, room: float, bold: bool = False) -> str:
    """Return the text, cut so that it is not wider than `room`.

    >>> fitted("Black Steel Golem", 10, 80), fitted("Imp", 10, 80)
    ('Black Steel..', 'Imp')
    """
    if text_width(words, size, bold) <= room:
        return words
    return words[: max(1, int(room / text_width("m", size, bold)) - 1)].rstrip() + ".."


def wrapped(words: Iterable[str], size: float, room: float) -> list[str]:
    """Return texts joined by a space, in lines that are not wider than `room`."""
    lines: list[str] = []
    for word in words:
        if lines and text_width(f"{lines[-1]} {word}", size) <= room:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


class Picture:
    """One picture while it is drawn, from the top left corner: x grows to the right, y grows downwards.

    Colours are names of `PALETTE` or texts such as `#2b55dd`. What is drawn later covers what was drawn before.
    """

    def __init__(self, title: str, desc: str) -> None:
        self._title, self._desc = title, desc
        self._lines: list[str] = []
        self._ids: set[str] = set()
        self._depth = 1

    def svg(self, height: float) -> str:
        """Return the whole picture as one SVG document of this height."""
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {number(height)}" role="img" '
            f'font-family="sans-serif" font-size="11"{_paint("ink", None)}>'
        )
        paper = f' <rect x="0" y="0" width="{WIDTH}" height="{number(height)}"{_paint("paper", None)}/>'
        about = [f" <title>{_escaped(self._title)}</title>", f" <desc>{_escaped(self._desc)}</desc>"]
        return "\n".join([head, *about, paper, *self._lines, "</svg>"])

    @contextmanager
    def group(
        self, id: str | None = None, x: float = 0, y: float = 0, *,
        size: float | None = None, anchor: str | None = None, bold: bool = False, stroke: str | None = None,
    ) -> Iterator[None]:  # fmt: skip
        """Draw everything inside relative to `(x, y)`, as one element that keeps its id from picture to picture.

        Texts inside have the given look, and shapes without a stroke have the given one. Raises `ValueError` if the id
        is not made of small letters, digits and single hyphens, or was used before.
        """
        outline = _paint(None, stroke).replace(' fill="none"', "") if stroke is not None else ""
        self._add("g", self._identity(id, x, y) + _look(size, anchor, bold) + outline, None, close=False)
        self._depth += 1
        yield
        self._depth -= 1
        self._lines.append(" " * self._depth + "</g>")

    def rect(
        self, x: float, y: float, width: float, height: float, fill: str | None, stroke: str | None = None, *,
        radius: float = 0, thick: float = 1, dashed: bool = False,
    ) -> None:  # fmt: skip
        """Draw a rectangle with round corners of this radius."""
        box = f' x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}"'
        round_ = f' rx="{number(radius)}"' if radius else ""
        self._add("rect", box + round_ + _paint(fill, stroke, thick, dashed))

    def circle(
        self, x: float, y: float, radius: float, fill: str | None, stroke: str | None = None, *, thick: float = 1
    ) -> None:
        """Draw a circle around `(x, y)`."""
        spot = f' cx="{number(x)}" cy="{number(y)}" r="{number(radius)}"'
        self._add("circle", spot + _paint(fill, stroke, thick))

    def line(self, x1: float, y1: float, x2: float, y2: float, stroke: str = "line", *, thick: float = 1) -> None:
        """Draw a straight line."""
        ends = f' x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}"'
        self._add("line", ends + _paint(None, stroke, thick))

    def polygon(
        self, points: Sequence[tuple[float, float]], fill: str | None, stroke: str | None = None, *, thick: float = 1
    ) -> None:
        """Draw a closed shape with these corners."""
        corners = " ".join(f"{number(x)},{number(y)}" for x, y in points)
        self._add("polygon", f' points="{corners}"' + _paint(fill, stroke, thick))

    def path(
        self, data: str, fill: str | None, stroke: str | None = None, *,
        at: tuple[float, float] = (0, 0), thick: float = 1,
    ) -> None:  # fmt: skip
        """Draw an SVG path, seen from `at`: `M` moves, `L` draws a line, `A` an arc, `Z` closes."""
        self._add("path", f'{_move(*at)} d="{escape(data)}"' + _paint(fill, stroke, thick))

    def text(
        self, x: float, y: float, words: str, fill: str = "ink", *,
        size: float | None = None, anchor: str | None = None, bold: bool = False,
    ) -> None:  # fmt: skip
        """Write a line of text whose baseline is at `y`. `anchor` says what is at `x`: `start`, `middle` or `end`.

        Raises `ValueError` if the text would be too small on a phone.
        """
        look = _look(size, anchor, bold)
        paint = "" if fill == "ink" else _paint(fill, None)  # the whole picture writes in ink
        self._add("text", f' x="{number(x)}" y="{number(y)}"{look}{paint}', words)

    # --- what most games have --------------------------------------------------------------------------------------

    def header(self, words: str, aside: str = "") -> None:
        """Write the first line: what happens now, and at the right end how far the match is. It ends at y = 28."""
        self.text(MARGIN, 20, words, size=13, bold=True)
        if aside:
            self.text(WIDTH - MARGIN, 20, aside, "muted", size=SMALLEST, anchor="end")

    def seat(self, x: float, y: float, seat: int, *, acts: bool = False, radius: float = 9) -> None:
        """Draw the round badge of a seat around `(x, y)`. The seat to act is filled and has a second ring."""
        if acts:
            self.circle(x, y, radius + 2.5, None, "accent", thick=1.5)
        self.circle(x, y, radius, "accent" if acts else "paper", "accent" if acts else "muted", thick=1.5)
        fill = "on-accent" if acts else "ink"
        self.text(x, y + 4, str(seat), fill, size=11, anchor="middle", bold=True)

    def card(
        self, x: float, y: float, words: str, hue: str, *,
        id: str | None = None, width: float = 22, height: float = 22, size: float = 12,
    ) -> None:  # fmt: skip
        """Draw a card in one of the `HUES`, with a short text in its middle. `(x, y)` is its top left corner."""
        with self.group(id, x, y, anchor="middle", size=size, bold=True):
            self.rect(0, 0, width, height, hue, "line", radius=3)
            self.text(width / 2, height / 2 + size * 0.36, words, f"on-{hue}")

    # --- writing -----------------------------------------------------------------------------------------------------

    def _identity(self, id: str | None, x: float, y: float) -> str:
        move = _move(x, y)
        if id is None:
            return move
        if not _ID.fullmatch(id):
            raise ValueError(f"expected an id of small letters, digits and single hyphens, got {id!r}")
        if id in self._ids:
            raise ValueError(f"the id {id!r} is used twice in one picture")
        self._ids.add(id)
        return f' id="pic-{id}"{move}'

    def _add(self, element: str, attributes: str, words: str | None = None, *, close: bool = True) -> None:
        end = ">" if not close else "/>" if words is None else f">{_escaped(words)}</{element}>"
        self._lines.append(f"{' ' * self._depth}<{element}{attributes}{end}")


def number(value: float) -> str:
    """Return a number as it is written in a picture: with at most one decimal.

    >>> number(3), number(-2.26), number(-0.01)
    ('3', '-2.3', '0')
    """
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def _move(x: float, y: float) -> str:
    return f' transform="translate({number(x)} {number(y)})"' if x or y else ""


def _escaped(words: str) -> str:
    # XML has no way to write a control character, and a reversed or invisible text can imitate another one.
    return escape("".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in words))


def _look(size: float | None, anchor: str | None, bold: bool) -> str:
    if size is not None and size < SMALLEST:
        raise ValueError(f"a text of size {size} cannot be read on a phone: expected at least {SMALLEST}")
    where = f' text-anchor="{anchor}"' if anchor else ""
    large = f' font-size="{number(size)}"' if size is not None else ""
    return where + large + (' font-weight="bold"' if bold else "")


def _paint(fill: str | None, stroke: str | None, thick: float = 1, dashed: bool = False) -> str:
    classes = [f"{kind}-{name}" for kind, name in (("f", fill), ("s", stroke)) if name in PALETTE]
    written = f' class="{" ".join(classes)}"' if classes else ""
    written += f' fill="{_colour(fill)}"'
    if stroke is not None:
        written += f' stroke="{_colour(stroke)}"' + (f' stroke-width="{number(thick)}"' if thick != 1 else "")
    return written + (' stroke-dasharray="3 2"' if dashed else "")


def _colour(name: str | None) -> str:
    if name is None:
        return "none"
    if name in PALETTE:
        return PALETTE[name].light
    if not name.startswith("#"):
        raise ValueError(f"expected a name of the palette or a colour such as #2b55dd, got {name!r}")
    return escape(name)
