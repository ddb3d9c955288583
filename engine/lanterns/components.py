"""The contents of the box: colours, tiles, tokens and counts, read once from `components.json` (R1, R3).

Positions use small numbers for speed. A *colour* is its index 0 to 6 in the colour order (R1.1). A *cell* is one
integer for a pair of coordinates; cells sort by x, then by y. A *code* is `4 * tile + rotation`, one integer for a tile
on the lake.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any, Final, NamedTuple


class Face(NamedTuple):
    """One kind of lake tile with its number (R1.4)."""

    tile: int
    sides: str
    """The colours of the sides N, E, S, W at rotation 0."""
    platform: bool
    copies: int
    rotations: tuple[int, ...]
    """The rotations that look different: only 0 and 1 if the tile looks the same after half a turn."""


BOX: Final[dict[str, Any]] = json.loads(files(__package__).joinpath("components.json").read_text("utf-8"))
"""The whole data file with its source marks."""

COLOURS: Final[str] = BOX["colours"]["order"]
"""The colour letters in colour order."""
COLOUR_NAMES: Final[dict[str, str]] = BOX["colours"]["names"]
COLOUR_OF: Final = {letter: colour for colour, letter in enumerate(COLOURS)}

FACES: Final = tuple(
    Face(row["tile"], row["sides"], row["platform"], row["copies"], (0, 1) if row["period"] == 2 else (0, 1, 2, 3))
    for row in BOX["faces"]["list"]
)
START_TILE: Final[int] = BOX["start_tile"]["face"]
POOL: Final = tuple(face.tile for face in FACES if face.tile != START_TILE for _ in range(face.copies))
"""The faces of the 35 pool tiles, ascending. Each copy is an entry of its own."""
_MISSING: Final = POOL.index(BOX["tile_counts"]["older"]["missing_face"])
OLDER_POOL: Final = POOL[:_MISSING] + POOL[_MISSING + 1 :]
"""The pool of the older box: one tile less (A3)."""

DIRECTIONS: Final = "".join(BOX["seat_directions"]["directions"])
"""The letters of the directions 0 to 3, clockwise from north (R2.1)."""


def shown_sides(tile: int, rotation: int) -> str:
    """Return the colours that a tile shows towards N, E, S, W after this number of clockwise quarter turns (R2.2).

    >>> [shown_sides(3, rotation) for rotation in range(4)]
    ['BKOG', 'GBKO', 'OGBK', 'KOGB']
    """
    sides = FACES[tile].sides
    return "".join(sides[(direction - rotation) % 4] for direction in range(4))


SHOWN_LETTERS: Final = tuple(shown_sides(face.tile, rotation) for face in FACES for rotation in range(4))
"""The four letters that each code shows."""
SHOWN: Final = tuple(tuple(COLOUR_OF[letter] for letter in letters) for letters in SHOWN_LETTERS)
"""The four colours that each code shows towards N, E, S, W."""

_COLUMN: Final = 128
_ORIGIN: Final = 64 * _COLUMN + 64
REACH: Final[int] = max(sizes["placements"] for sizes in BOX["tile_counts"]["by_seats"].values())
"""The largest distance from the start tile along x or y: no more tiles than this are ever placed."""


def cell_at(x: int, y: int) -> int:
    """Return the cell of a pair of coordinates. Both must be within `REACH` + 1 of the start tile."""
    return x * _COLUMN + y + _ORIGIN


def cell_position(cell: int) -> tuple[int, int]:
    """Return the coordinates (x, y) of a cell.

    >>> cell_position(cell_at(-3, 32))
    (-3, 32)
    """
    return cell // _COLUMN - 64, cell % _COLUMN - 64


START_CELL: Final = cell_at(0, 0)
STEPS: Final = tuple(
    cell_at(*BOX["seat_directions"]["steps"][letter]) - START_CELL for letter in BOX["seat_directions"]["directions"]
)
"""What to add to a cell to get its neighbour in each direction."""

CARD_LIMIT: Final[int] = BOX["lantern_cards"]["limit_held"]
EXCHANGE_PRICE: Final[int] = BOX["favor_tokens"]["exchange_price"]["value"]
GENERIC_VALUE: Final[int] = BOX["dedications"]["generic"]["value"]
KINDS: Final = tuple(BOX["dedications"]["kinds"])
"""The kinds of dedication: `four`, `pairs`, `seven`. Other modules use the index 0 to 2 in this tuple."""
