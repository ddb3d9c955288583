"""The allow-list of pictures: what is plain drawing is accepted, everything else is refused with its name."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engine.svg import HUES, Picture
from engine.svg_check import ALLOWED, MOST_BYTES, PictureError, check_picture

HEAD = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><title>t</title><desc>d</desc>'


def inside(text: str) -> str:
    """A picture with this text inside."""
    return f"{HEAD}{text}</svg>"


def test_what_the_builder_draws_is_accepted_unchanged() -> None:
    """Everything that the builder can write, with the worst of texts."""
    picture = Picture('<title> & "more"', "a\x00b\u202ec\ud800")
    picture.header("</svg><script>alert(1)</script>", "&amp;")
    for number, hue in enumerate(HUES):
        picture.card(number, 5, "<", hue, id=f"card-{number}")
    with picture.group("a-group", 1.26, -0.01, size=10, anchor="end", bold=True, stroke="line"):
        picture.rect(0, 0, 1, 1, None, "line", dashed=True, radius=1, thick=2)
        picture.circle(0, 0, 1, "#123456")
        picture.line(0, 0, 1, 1)
        picture.polygon([(0, 0), (1.5, 0), (0, 1)], "red", "line")
        picture.path("M0 0L1 1Z", "blue")
    picture.seat(9, 9, 3, acts=True)
    svg = picture.svg(99)
    assert check_picture(svg) is svg
    assert "<script" not in svg
    assert "\x00" not in svg and "\u202e" not in svg


REFUSED = {
    "a script": (inside("<script>1</script>"), "the element 'script' is not allowed"),
    "a style": (inside("<style>*{}</style>"), "the element 'style' is not allowed"),
    "a link": (inside('<a href="x"><rect/></a>'), "the element 'a' is not allowed"),
    "HTML": (inside("<foreignObject/>"), "the element 'foreignObject' is not allowed"),
    "an image": (inside('<image href="x"/>'), "the element 'image' is not allowed"),
    "an animation": (inside('<set attributeName="x" to="y"/>'), "the element 'set' is not allowed"),
    "a copy": (inside('<use href="#x"/>'), "the element 'use' is not allowed"),
    "capitals": (inside("<SCRIPT/>"), "the element 'SCRIPT' is not allowed"),
    "another name space": (inside('<x:script xmlns:x="http://www.w3.org/2000/svg"/>'), "'x:script' is not allowed"),
    "an event handler": (inside('<rect onclick="x()"/>'), "the attribute 'onclick' of rect is not allowed"),
    "a style attribute": (inside('<rect style="fill:red"/>'), "the attribute 'style' of rect is not allowed"),
    "a link of an attribute": (inside('<rect xlink:href="x"/>'), "'xlink:href' of rect is not allowed"),
    "a name space of an element": (inside('<g xmlns="http://www.w3.org/1999/xhtml"/>'), "the attribute 'xmlns' of g"),
    "a colour from elsewhere": (inside('<rect fill="url(https://x)"/>'), "fill of rect: expected a colour such as"),
    "an id of the page": (inside('<g id="header"/>'), "id of g: expected an id such as pic-tile-3, got 'header'"),
    "a class of the page": (inside('<g class="button"/>'), "class of g: expected classes such as f-ink"),
    "two equal ids": (inside('<g id="pic-a"/><g id="pic-a"/>'), "the id 'pic-a' is used twice"),
    "a size that is no number": (inside('<text font-size="expression(1)">a</text>'), "font-size of text: expected a"),
    "an endless number": (inside(f'<rect x="{"9" * 99}"/>'), "x of rect: expected a number, got '999"),
    "an element in a title": (HEAD.replace("<title>t", "<title><g/>") + "</svg>", "an element g is not allowed inside"),
    "a second title": (inside("<g><title>t</title></g>"), "an element title is allowed at the top only"),
    "a picture in a picture": (inside("<svg/>"), "the picture must be one svg element"),
    "another root": ("<g/>", "the picture must be one svg element"),
    "loose text": (inside("hello"), "text is not allowed inside svg: 'hello'"),
    "reversed text": (inside("<text>a\u202eb</text>"), "the character '\\u202e' is not allowed"),
    "no title": ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 4"/>', "must begin with svg, title and desc"),
    "no name space": ('<svg viewBox="0 0 4 4"/>', "svg needs xmlns="),
    "no size": ('<svg xmlns="http://www.w3.org/2000/svg"/>', "svg needs a viewBox"),
    "a huge size": (inside("").replace("40 40", "40 99999"), "each at most 5000"),
    "a document type": (f"<!DOCTYPE svg>{inside('')}", "a document type (DOCTYPE) is not allowed"),
    "entities": ('<!DOCTYPE svg [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><svg>&b;</svg>', "(DOCTYPE) is not allowed"),
    "an entity": (inside("<text>&nbsp;</text>"), "not well-formed XML: undefined entity"),
    "a declaration": (f"<?xml version='1.0'?>{inside('')}", "an XML declaration is not allowed"),
    "an instruction": (inside("<?xml-stylesheet href='x'?>"), "a processing instruction is not allowed"),
    "a comment": (inside("<!-- x -->"), "a comment is not allowed"),
    "a CDATA section": (inside("<text><![CDATA[<script>]]></text>"), "a CDATA section is not allowed"),
    "depth": (inside("<g>" * 99 + "</g>" * 99), "elements inside each other are not allowed"),
    "half a picture": (HEAD, "not well-formed XML: no element found"),
    "two pictures": (inside("") * 2, "not well-formed XML: junk after document element"),
    "no picture": ("", "not well-formed XML: no element found"),
    "half a character": (inside("<text>\ud800</text>"), "holds half a character"),
    "size": (inside("<g/>" * MOST_BYTES), "expected at most 60000"),
}  # fmt: skip


@pytest.mark.parametrize(("svg", "reason"), REFUSED.values(), ids=REFUSED)
def test_everything_else_is_refused_with_its_name(svg: str, reason: str) -> None:
    """The message says what is not allowed, and it is one short line of plain text."""
    with pytest.raises(PictureError) as refusal:
        check_picture(svg)
    message = str(refusal.value)
    assert reason in message
    assert message.isprintable() and message.isascii() and len(message) < 200


@pytest.mark.parametrize("value", [None, 3, b"<svg/>", ["<svg/>"]], ids=str)
def test_a_picture_is_a_text(value: object) -> None:
    """A game that returns anything else is told what it returned."""
    with pytest.raises(PictureError, match=f"got {type(value).__name__}"):
        check_picture(value)


def test_a_refusal_names_its_line() -> None:
    """The author of a game finds the place."""
    with pytest.raises(PictureError, match=r"^line 3: the element 'script'"):
        check_picture(inside("\n\n<script/>"))


def test_nothing_on_the_list_is_active() -> None:
    """No element loads, runs or links, and no attribute takes an address, a script or a style."""
    assert set(ALLOWED) == {
        "svg", "title", "desc", "g", "rect", "circle", "ellipse", "line", "polyline", "polygon", "path", "text",
        "tspan",
    }  # fmt: skip
    for attributes in ALLOWED.values():
        assert not [name for name in attributes if name.startswith("on") or "href" in name or name in ("style", "src")]


BROKEN: dict[str, tuple[Callable[[Picture], None], str]] = {
    "a small text": (lambda picture: picture.text(0, 0, "a", size=9), "cannot be read on a phone"),
    "an odd id": (lambda picture: picture.card(0, 0, "a", "red", id="Card 7"), "expected an id of small letters"),
    "an unknown colour": (lambda picture: picture.rect(0, 0, 1, 1, "pink"), "expected a name of the palette"),
}


@pytest.mark.parametrize(("draw", "reason"), BROKEN.values(), ids=BROKEN)
def test_the_builder_refuses_what_would_be_refused_later(draw: Callable[[Picture], None], reason: str) -> None:
    """A mistake is found where it is made."""
    with pytest.raises(ValueError, match=reason):
        draw(Picture("t", "d"))


def test_the_builder_refuses_an_id_that_is_used_twice() -> None:
    """Two elements with one id could not be moved."""
    picture = Picture("t", "d")
    picture.card(0, 0, "a", "red", id="card")
    with pytest.raises(ValueError, match="the id 'card' is used twice"):
        picture.card(0, 0, "a", "red", id="card")
