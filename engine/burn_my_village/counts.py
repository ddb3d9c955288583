"""A multiset of cards as one integer. Copying, comparing and paying are single operations.

Each card name has six bits: five bits for its count (there are at most 20 cards of a name) and a guard bit above them.
The guard bit is 0 in every multiset. It catches the borrow when one multiset is subtracted from another.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from engine.burn_my_village.components import CODES, NAMES

FIELD_BITS: Final = 6
FIELD: Final = (1 << FIELD_BITS) - 1
COUNT: Final = FIELD >> 1
GUARD: Final = COUNT + 1
SHIFTS: Final = tuple(FIELD_BITS * code for code in range(len(NAMES)))
UNITS: Final = tuple(1 << shift for shift in SHIFTS)
"""One card of each code."""
ONES: Final = sum(UNITS)
GUARDS: Final = GUARD * ONES
WILD_SHIFT: Final = SHIFTS[-1]
_NAMED_SHIFTS: Final = tuple(zip(NAMES, SHIFTS, strict=True))


def pack(counts: Mapping[str, int]) -> int:
    """Return the multiset with these counts by name.

    >>> as_json(pack({"wild": 2, "axe": 1}))
    {'axe': 1, 'wild': 2}
    """
    return sum(count << SHIFTS[CODES[name]] for name, count in counts.items())


def pack_cards(codes: Iterable[int]) -> int:
    """Return the multiset of these cards."""
    return sum([UNITS[code] for code in codes])


def as_json(packed: int) -> dict[str, int]:
    """Return the count of each name in the multiset, in canonical order."""
    return {name: count for name, shift in _NAMED_SHIFTS if (count := packed >> shift & COUNT)}


def as_codes(packed: int) -> list[int]:
    """Return the code of each card, in canonical order."""
    return [code for code, shift in enumerate(SHIFTS) for _ in range(packed >> shift & COUNT)]


def size(packed: int) -> int:
    """Return the number of cards."""
    return sum([packed >> shift & COUNT for shift in SHIFTS])


def covers(have: int, need: int) -> bool:
    """Return whether `have` contains all of `need`.

    >>> covers(pack({"axe": 2}), pack({"axe": 2})), covers(pack({"axe": 2}), pack({"axe": 1, "wild": 1}))
    (True, False)
    """
    return ((have | GUARDS) - need) & GUARDS == GUARDS


def remove_up_to(have: int, spent: int) -> int:
    """Return `have` without `spent`. No count falls below zero.

    >>> as_json(remove_up_to(pack({"axe": 2, "wild": 1}), pack({"axe": 1, "wild": 3})))
    {'axe': 1}
    """
    difference = (have | GUARDS) - spent
    kept = difference & GUARDS  # a guard bit remains where nothing was borrowed
    return difference & (kept - (kept >> (FIELD_BITS - 1)))


def at_most(packed: int, limit: int) -> int:
    """Return `packed` with at most `limit` cards of each name.

    >>> as_json(at_most(pack({"axe": 9, "crown": 1}), 3))
    {'axe': 3, 'crown': 1}
    """
    above = (packed + (COUNT - limit) * ONES) & GUARDS
    full = above - (above >> (FIELD_BITS - 1))
    return (packed & ~full) | (full & (limit * ONES))
