"""The signs of Hell Village in a picture: resources, cards, dice, and the colour of each seat."""

from __future__ import annotations

from typing import Final

from engine.hell_village.components import KINDS
from engine.svg import SMALLEST, Picture, text_width

SEAT_HUES: Final = ("red", "blue", "orange", "purple", "green")
"""The colour of each seat's dice and industries. The number of the seat is always drawn beside it."""

SIGNS: Final = {
    "sacrifice": ("M6 0L10 7A4.5 4.5 0 1 1 2 7Z", "red"),
    "armor": ("M1 1H11V5Q11 10 6 12Q1 10 1 5Z", "blue"),
    "food": ("M6 4L9 0V3.5A4.5 4.5 0 1 1 6 3Z", "green"),
    "any": ("M6 0L12 6L6 12L0 6Z", "purple"),
    "card": ("M2 0H10V12H2Z", "orange"),
}
"""The outline of each sign, 12 units wide and high, and its colour. No two have the same shape."""


def sign(picture: Picture, name: str, x: float, y: float) -> None:
    """Draw the sign of a resource kind, of `any` resource or of a `card`."""
    outline, hue = SIGNS[name]
    picture.path(outline, hue, at=(x, y))


def amount(picture: Picture, name: str, count: int, x: float, y: float) -> float:
    """Draw a sign with a number beside it, in the look of the group. Return the x at which it ends."""
    sign(picture, name, x, y)
    picture.text(x + 14, y + 10.5, str(count))
    return x + 14 + text_width(str(count), 11, bold=True)


def amounts(picture: Picture, counts: tuple[int, ...], x: float, y: float) -> None:
    """Draw what is asked or given of each kind, and of any kind if there is a fourth number, from left to right."""
    for name, count in zip((*KINDS, "any"), counts, strict=False):
        if count:
            x = amount(picture, name, count, x, y) + 3


DIE: Final = 27
"""The width of a die with the number of its seat."""


def die(picture: Picture, value: int, seat: int, x: float, y: float, id: str) -> None:
    """Draw a die in the colour of its seat, with the number of the seat at its right."""
    hue = SEAT_HUES[seat]
    with picture.group(id, x, y, anchor="middle"):
        picture.rect(0, 0, DIE - 2, 20, "paper", hue, radius=4, thick=1.5)
        picture.rect(0, 0, 16, 20, hue, radius=4)
        picture.text(8, 14.5, str(value), f"on-{hue}", size=13, bold=True)
        picture.text(20.3, 14, str(seat), size=SMALLEST)
