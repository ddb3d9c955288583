"""What happened, one function an event; each gives the tuple that `apply` returns.

Events with few possible values are made once and shared: nobody changes an event.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from engine.core import Event
from engine.lanterns.actions import Place


def oriented(seat: int, rotation: int) -> tuple[Event, ...]:
    """The start tile's red side faces the seat."""
    return (Event("orient", {"seat": seat, "rotation": rotation}),)


def dealt(first_cards: list[str], hands: Sequence[Sequence[int]]) -> tuple[Event, ...]:
    """Every seat has its first card, seen by all, and its first tiles, seen by itself."""
    return (Event("shuffle", {"cards": first_cards}, {seat: {"hand": list(hand)} for seat, hand in enumerate(hands)}),)


@cache
def skipped(seat: int, step: str) -> tuple[Event, ...]:
    """The seat left out an optional step."""
    return (Event("skip", {"seat": seat, "step": step}),)


@cache
def exchanged(seat: int, give: str, take: str) -> tuple[Event, ...]:
    """The seat swapped a card with the supply, for favor tokens."""
    return (Event("exchange", {"seat": seat, "give": give, "take": take}),)


@cache
def dedicated(seat: int, cards: str, value: int) -> tuple[Event, ...]:
    """The seat returned a set and took a token of that value."""
    return (Event("dedicate", {"seat": seat, "cards": cards, "value": value}),)


@cache
def discarded(seat: int, card: str) -> tuple[Event, ...]:
    """The seat returned a card because of the limit."""
    return (Event("discard", {"seat": seat, "card": card}),)


def placed(action: Place, seat: int, bonus: str, favor: int, gains: list[str | None]) -> tuple[Event, ...]:
    """The seat placed a tile; with the cards and tokens for matches, and the card that each seat took."""
    tile, x, y, rotation, _type = action
    return (
        Event(
            "place",
            {
                "seat": seat,
                "tile": tile,
                "x": x,
                "y": y,
                "rotation": rotation,
                "bonus": bonus,
                "favor": favor,
                "gains": gains,
            },
        ),
    )


@cache
def drawn(seat: int, tile: int) -> tuple[Event, ...]:
    """The seat drew a tile, which only it sees."""
    return (Event("draw", {"seat": seat}, {seat: {"tile": tile}}),)
