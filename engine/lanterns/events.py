"""The events of the game. Each function returns the tuple of events that `apply` returns.

Events with few possible values are created once and shared, since nobody changes an event.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from engine.core import Event
from engine.lanterns.actions import Place


def oriented(seat: int, rotation: int) -> tuple[Event, ...]:
    """Report that the red side of the start tile faces the seat."""
    return (Event("orient", {"seat": seat, "rotation": rotation}),)


def dealt(first_cards: list[str], hands: Sequence[Sequence[int]]) -> tuple[Event, ...]:
    """Report every seat's first card to all, and its first tiles to the seat itself."""
    return (Event("shuffle", {"cards": first_cards}, {seat: {"hand": list(hand)} for seat, hand in enumerate(hands)}),)


@cache
def skipped(seat: int, step: str) -> tuple[Event, ...]:
    """Report that the seat skipped an optional step."""
    return (Event("skip", {"seat": seat, "step": step}),)


@cache
def exchanged(seat: int, give: str, take: str) -> tuple[Event, ...]:
    """Report that the seat paid favor tokens and swapped a card with the supply."""
    return (Event("exchange", {"seat": seat, "give": give, "take": take}),)


@cache
def dedicated(seat: int, cards: str, value: int) -> tuple[Event, ...]:
    """Report that the seat returned a set and took a token of this value."""
    return (Event("dedicate", {"seat": seat, "cards": cards, "value": value}),)


@cache
def discarded(seat: int, card: str) -> tuple[Event, ...]:
    """Report that the seat returned a card because of the limit."""
    return (Event("discard", {"seat": seat, "card": card}),)


def placed(action: Place, seat: int, bonus: str, favor: int, gains: list[str | None]) -> tuple[Event, ...]:
    """Report a placement, the cards and tokens for its matches, and the card that each seat took."""
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
    """Report that the seat drew a tile. Only the seat itself sees which one."""
    return (Event("draw", {"seat": seat}, {seat: {"tile": tile}}),)
