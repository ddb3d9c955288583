"""Lantern cards as one integer: eight bits for each colour, blue lowest.

Adding and returning cards is plain arithmetic, and a copy costs nothing. One operation finds the colours that are there
at least once, twice or four times. No colour has more than eight cards, so no field overflows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from engine.lanterns.components import COLOUR_OF, COLOURS

ONE: Final = tuple(1 << 8 * colour for colour in range(len(COLOURS)))
"""One card of each colour."""
PILE: Final = tuple(255 << 8 * colour for colour in range(len(COLOURS)))
"""The bits of each colour's count: `cards & PILE[colour]` is true if there is such a card."""
EACH: Final = sum(ONE)
"""One card of every colour."""

# Adding 128 - k to a field sets its top bit exactly when the field is at least k (fields stay below 128).
_TOP: Final = 128 * EACH
_AT_LEAST_1: Final = 127 * EACH
_AT_LEAST_2: Final = 126 * EACH
_AT_LEAST_4: Final = 124 * EACH


def pack(letters: Iterable[str]) -> int:
    """Return the cards that the letters name, in any order.

    >>> unpack(pack("RBR"))
    {'B': 1, 'G': 0, 'K': 0, 'O': 0, 'P': 0, 'R': 2, 'W': 0}
    """
    return sum(ONE[COLOUR_OF[letter]] for letter in letters)


def pack_counts(counts: Mapping[str, int]) -> int:
    """Return the cards with these counts. A missing colour counts 0."""
    return sum(ONE[COLOUR_OF[letter]] * count for letter, count in counts.items())


def unpack(cards: int) -> dict[str, int]:
    """Return the count of each colour letter, zeros included, in colour order."""
    return {letter: cards >> 8 * colour & 255 for colour, letter in enumerate(COLOURS)}


def count(cards: int) -> int:
    """Return the number of cards.

    >>> count(pack("BBGKKKKW"))
    8
    """
    # 256 is 1 modulo 255, so the remainder is the sum of the fields; never more than 56.
    return cards % 255


def presence(cards: int) -> int:
    """Return a number that encodes which colours are there. It is a cache key for values that depend only on that."""
    return (cards + _AT_LEAST_1) & _TOP


def set_key(cards: int) -> int:
    """Return a number that tells for each colour whether there are 0, 1, 2 to 3, or more cards: it decides all sets."""
    return ((cards + _AT_LEAST_1) & _TOP) >> 2 | ((cards + _AT_LEAST_2) & _TOP) >> 1 | ((cards + _AT_LEAST_4) & _TOP)
