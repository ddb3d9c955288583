"""Read pictures back, see colours as others do, and write the golden pictures.

`python -m tests.engine.pictures` (or `make golden`) writes one picture of each built-in game to
`tests/engine/pictures/`. Look at a changed picture before you commit it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import dist
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree

from engine.catalog import BUILT_IN, get_game
from engine.core import CHANCE, Game
from engine.walk import random_walk

FOLDER = Path(__file__).parent / "pictures"
GOLDEN_TURNS = {"lanterns": 4, "burn_my_village": 12, "hell_village": 40}
"""The golden picture of each game is that of seat 0 after so many turns of a random match at the fewest seats."""

Matrix = tuple[tuple[float, float, float], ...]

SIGHT: dict[str, Matrix] = {
    "full": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900),
    ),
}  # fmt: skip
"""How linear sRGB is seen: Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color
Vision Deficiency", IEEE TVCG 15 (2009), the matrices for severity 1.0."""


@dataclass(frozen=True)
class Words:
    """One text of a picture, with its size and the box that it fills, rather too small a box than too large a one."""

    text: str
    size: float
    left: float
    right: float
    base: float

    def overlaps(self, other: Words) -> bool:
        across = min(self.right, other.right) - max(self.left, other.left)
        down = min(self.base, other.base) - max(self.base - 0.7 * self.size, other.base - 0.7 * other.size)
        return across > 1 and down > 1


def texts(svg: str) -> Iterator[Words]:
    """Every text of a picture, with what it inherits from its groups."""
    yield from _texts(ElementTree.fromstring(svg), 0.0, 0.0, {})


def _texts(element: ElementTree.Element, x: float, y: float, look: dict[str, str]) -> Iterator[Words]:
    look = {**look, **element.attrib}
    if moved := re.fullmatch(r"translate\((\S+) (\S+)\)", element.attrib.get("transform", "")):
        x, y = x + float(moved[1]), y + float(moved[2])
    if element.tag.endswith("}text"):
        words, size = element.text or "", float(look["font-size"])
        width = 0.5 * size * len(words)
        start = x + float(element.attrib["x"]) - {"middle": width / 2, "end": width}.get(look.get("text-anchor", ""), 0)
        yield Words(words, size, start, start + width, y + float(element.attrib["y"]))
    for child in element:
        yield from _texts(child, x, y, look)


def seen(game: Game, viewer: int | None, seats: int = 3, *, steps: int) -> dict[str, Any]:
    """Return an observation in the middle of a random match."""
    state = game.new(seats)
    for _ in zip(range(steps), random_walk(state, Random(4)), strict=False):
        pass
    return state.observation(viewer)


def words(svg: str) -> list[str]:
    """Return the texts of a picture."""
    return [text.text for text in texts(svg)]


def size_of(svg: str) -> tuple[float, float]:
    """Width and height of a picture in its own units."""
    _, _, width, height = map(float, ElementTree.fromstring(svg).attrib["viewBox"].split())
    return width, height


def ids(svg: str) -> list[str]:
    """Every id of a picture, in order."""
    return re.findall(r' id="([^"]*)"', svg)


def in_another_order(value: Any, rng: Random) -> Any:
    """The same JSON value, with the fields of all its objects in another order."""
    if isinstance(value, dict):
        keys = list(value)
        rng.shuffle(keys)
        return {key: in_another_order(value[key], rng) for key in keys}
    if isinstance(value, list):
        return [in_another_order(entry, rng) for entry in value]
    return value


def linear(colour: str) -> tuple[float, ...]:
    """The linear sRGB of `#rrggbb` (IEC 61966-2-1)."""
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    return tuple(part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)


def luminance(colour: str) -> float:
    """The relative luminance, as WCAG 2 defines it."""
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear(colour), strict=True))


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours, as WCAG 2 defines it: 4.5 is enough for any text."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def lab(colour: str, sight: str = "full") -> tuple[float, float, float]:
    """A colour in CIE Lab (D65), as somebody with this sight sees it."""
    seen = linear(colour)
    red, green, blue = (
        min(1.0, max(0.0, sum(weight * part for weight, part in zip(row, seen, strict=True)))) for row in SIGHT[sight]
    )
    x = (0.4124564 * red + 0.3575761 * green + 0.1804375 * blue) / 0.95047
    y = 0.2126729 * red + 0.7151522 * green + 0.0721750 * blue
    z = (0.0193339 * red + 0.1191920 * green + 0.9503041 * blue) / 1.08883
    fx, fy, fz = (part ** (1 / 3) if part > 216 / 24389 else (24389 / 27 * part + 16) / 116 for part in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def distance(one: str, other: str, sight: str) -> float:
    """How far apart two colours are in CIE Lab, to somebody with this sight. About 2 can just be told apart."""
    return dist(lab(one, sight), lab(other, sight))


def golden(key: str) -> str:
    """The golden picture of a game."""
    game = get_game(key)
    state = game.new(game.seats[0])
    turns = 0
    for step in random_walk(state, Random(f"picture:{key}")):
        turns += step.actor != CHANCE
        if turns == GOLDEN_TURNS[key]:
            break
    svg = game.picture(state.observation(0))
    assert svg is not None
    return svg + "\n"


def main() -> None:
    """Write the golden pictures."""
    FOLDER.mkdir(exist_ok=True)
    for key in BUILT_IN:
        path = FOLDER / f"{key}.svg"
        path.write_text(golden(key), "utf-8")
        print(path)


if __name__ == "__main__":
    main()
