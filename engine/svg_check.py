"""Refuse a picture that holds anything but plain drawing.

The picture of a game from another package is a stranger's text. Before it is shown, `check_picture` reads it with an
allow-list of elements, attributes and values: no script, no style, no link, no image, no event handler, no animation,
nothing from another file. An accepted picture can be embedded in a page.
"""

from __future__ import annotations

import re
from typing import Final, NoReturn
from xml.parsers import expat

MOST_BYTES: Final = 60_000
DEEPEST: Final = 12
"""Maximum nesting depth of elements."""

NAMESPACE: Final = "http://www.w3.org/2000/svg"

_NUMBER: Final = r"-?\d{1,5}(?:\.\d{1,3})?"
_COLOUR: Final = r"#[0-9a-fA-F]{3}|#[0-9a-fA-F]{6}|none"
_FORMS: Final = {
    "number": (rf"{_NUMBER}", "a number"),
    "numbers": (rf"{_NUMBER}(?:[ ,]{_NUMBER})*", "numbers"),
    "colour": (_COLOUR, "a colour such as #2b55dd, or none"),
    "id": (r"pic-[a-z0-9]+(?:-[a-z0-9]+)*", "an id such as pic-tile-3"),
    "class": (r"[fs]-[a-z0-9-]{1,30}(?: [fs]-[a-z0-9-]{1,30})*", "classes such as f-ink or s-line"),
    "move": (
        rf"(?:(?:translate|rotate|scale)\({_NUMBER}(?:[ ,]{_NUMBER}){{0,2}}\) ?)+",
        "translate, rotate or scale with numbers",
    ),
    "data": (r"[MmLlHhVvCcSsQqTtAaZz0-9 ,.\-]+", "the data of a path"),
    "font": (r"[a-zA-Z, \-]{1,60}", "names of fonts"),
    "anchor": ("start|middle|end", "start, middle or end"),
    "weight": ("normal|bold", "normal or bold"),
    "cap": ("butt|round|square", "butt, round or square"),
    "join": ("miter|round|bevel", "miter, round or bevel"),
    "role": ("img", "img"),
    "namespace": (re.escape(NAMESPACE), NAMESPACE),
}
"""What a value looks like: a pattern, and the words for a message."""
_PATTERNS: Final = {name: re.compile(pattern) for name, (pattern, _) in _FORMS.items()}

_LOOK: Final = {
    "id": "id", "class": "class", "transform": "move", "fill": "colour", "stroke": "colour", "stroke-width": "number",
    "stroke-dasharray": "numbers", "stroke-linecap": "cap", "stroke-linejoin": "join", "opacity": "number",
    "fill-opacity": "number", "stroke-opacity": "number", "font-size": "number", "font-weight": "weight",
    "text-anchor": "anchor",
}  # fmt: skip
_SHAPES: Final = {
    "svg": {"xmlns": "namespace", "viewBox": "numbers", "role": "role", "font-family": "font"},
    "g": {},
    "rect": dict.fromkeys(("x", "y", "width", "height", "rx", "ry"), "number"),
    "circle": dict.fromkeys(("cx", "cy", "r"), "number"),
    "ellipse": dict.fromkeys(("cx", "cy", "rx", "ry"), "number"),
    "line": dict.fromkeys(("x1", "y1", "x2", "y2"), "number"),
    "polyline": {"points": "numbers"},
    "polygon": {"points": "numbers"},
    "path": {"d": "data"},
    "text": {"x": "number", "y": "number"},
    "tspan": dict.fromkeys(("x", "y", "dx", "dy"), "number"),
}  # fmt: skip
ALLOWED: Final[dict[str, dict[str, str]]] = {
    "title": {},
    "desc": {},
    **{element: {**_LOOK, **own} for element, own in _SHAPES.items()},
}
"""The form of the value of every allowed attribute of every allowed element."""

_HOLDS_TEXT: Final = {"title", "desc", "text", "tspan"}
_HOLDS_ELEMENTS: Final = {"svg", "g"}


class PictureError(ValueError):
    """A picture is not plain drawing. The message names the line and what is not allowed there."""


def check_picture(svg: object) -> str:
    """Return the picture unchanged. Raises `PictureError` unless it is plain drawing, as this module's allow-lists say.

    It must be one `svg` element that begins with a `title` and a `desc`, of at most 60,000 bytes.
    """
    if not isinstance(svg, str):
        raise PictureError(f"expected a picture as text, got {type(svg).__name__}")
    try:
        size = len(svg.encode("utf-8"))
    except UnicodeEncodeError:
        raise PictureError("the picture holds half a character (a surrogate)") from None
    if size > MOST_BYTES:
        raise PictureError(f"the picture has {size} bytes: expected at most {MOST_BYTES}")
    _Checker().read(svg)
    return svg


class _Checker:
    """Reads a picture element by element, and stops at the first thing that is not allowed."""

    def __init__(self) -> None:
        self._open: list[str] = []
        self._ids: set[str] = set()
        self._seen: list[str] = []
        self._parser = parser = expat.ParserCreate("utf-8")
        parser.buffer_text = True
        parser.ordered_attributes = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        # A document type can define entities that grow without bound: nothing behind these is ever read.
        parser.StartDoctypeDeclHandler = lambda *_: self._refuse("a document type (DOCTYPE) is not allowed")
        parser.ProcessingInstructionHandler = lambda *_: self._refuse("a processing instruction is not allowed")
        parser.XmlDeclHandler = lambda *_: self._refuse("an XML declaration is not allowed")
        parser.CommentHandler = lambda _: self._refuse("a comment is not allowed")
        # HTML reads such a section otherwise than XML does.
        parser.StartCdataSectionHandler = lambda: self._refuse("a CDATA section is not allowed")

    def read(self, svg: str) -> None:
        try:
            self._parser.Parse(svg.encode("utf-8"), True)
        except expat.ExpatError as error:
            reason = expat.errors.messages.get(error.code, "") or expat.ErrorString(error.code)
            raise PictureError(f"line {error.lineno}: the picture is not well-formed XML: {reason}") from None
        if self._seen[:3] != ["svg", "title", "desc"]:
            raise PictureError("the picture must begin with svg, title and desc, in this order")

    def _refuse(self, why: str) -> NoReturn:
        raise PictureError(f"line {self._parser.CurrentLineNumber}: {why}")

    def _start(self, element: str, attributes: list[str]) -> None:
        inside = self._open[-1] if self._open else None
        if element not in ALLOWED:
            self._refuse(f"the element {element[:40]!a} is not allowed")
        if (element == "svg") != (inside is None):
            self._refuse("the picture must be one svg element")
        if inside is not None and inside not in _HOLDS_ELEMENTS and (inside, element) != ("text", "tspan"):
            self._refuse(f"an element {element} is not allowed inside {inside}")
        if element in ("title", "desc") and inside != "svg":
            self._refuse(f"an element {element} is allowed at the top only")
        if len(self._open) >= DEEPEST:
            self._refuse(f"more than {DEEPEST} elements inside each other are not allowed")
        given = dict(zip(attributes[::2], attributes[1::2], strict=True))
        for name, value in given.items():
            self._attribute(element, name, value)
        if element == "svg":
            self._root(given)
        self._open.append(element)
        if len(self._seen) < 3:
            self._seen.append(element)

    def _attribute(self, element: str, name: str, value: str) -> None:
        form = ALLOWED[element].get(name)
        if form is None:
            self._refuse(f"the attribute {name[:40]!a} of {element} is not allowed")
        if not _PATTERNS[form].fullmatch(value):
            self._refuse(f"{name} of {element}: expected {_FORMS[form][1]}, got {value[:40]!a}")
        if name == "id":
            if value in self._ids:
                self._refuse(f"the id {value!a} is used twice")
            self._ids.add(value)

    def _root(self, given: dict[str, str]) -> None:
        if given.get("xmlns") != NAMESPACE:
            self._refuse(f"svg needs xmlns={NAMESPACE!r}")
        box = given.get("viewBox", "").replace(",", " ").split(" ")
        if len(box) != 4 or box[:2] != ["0", "0"] or not all(0 < float(side) <= 5000 for side in box[2:]):
            self._refuse("svg needs a viewBox '0 0 WIDTH HEIGHT', each at most 5000")

    def _end(self, _element: str) -> None:
        self._open.pop()

    def _text(self, words: str) -> None:
        if self._open and self._open[-1] in _HOLDS_TEXT:
            for letter in words:
                if not letter.isprintable() and letter != "\n":
                    self._refuse(f"the character {letter!a} is not allowed")
        elif words.strip(" \n\t"):
            self._refuse(f"text is not allowed inside {self._open[-1]}: {words.strip()[:40]!a}")
