"""The options of the game, and everything that they and the number of seats fix for a whole match."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from engine.core import Option, Scalar
from engine.lanterns.cards import EACH
from engine.lanterns.components import BOX, DIRECTIONS, FACES, OLDER_POOL, POOL, START_TILE

OPTIONS: Final[Mapping[str, Option]] = {
    "edition": Option(
        "official",
        ("official", "text", "older"),
        "text: 6 cards a colour at 2 seats and 24 favor tokens; older: the same with 35 tiles instead of 36",
    ),
    "two_player_stack": Option("edition", ("edition", "5", "6"), "cards a colour at 2 seats, whatever the edition"),
    "favor_supply": Option("edition", ("edition", "20", "24"), "favor tokens in all, whatever the edition"),
    "two_player_seats": Option(
        "opposite", ("opposite", "adjacent"), "where 2 seats sit: north and south, or north and east"
    ),
    "hand_limit_when": Option("before_place", ("before_place", "after_place"), "when the limit of 12 cards is checked"),
    "platform_favor": Option(
        "per_platform", ("per_platform", "per_match"), "per_match: a new tile's platform pays for each matching side"
    ),
    "generic_limit": Option("none", ("none", "3"), "3: the generic tokens run out"),
    "start_is_platform": Option("no", ("no", "yes"), "yes: the start tile counts as a platform for its neighbours"),
}


@dataclass(frozen=True, slots=True)
class Ruleset:
    """The rules for one number of seats and one choice of options: everything that stays the same in a match."""

    seats: int
    options: Mapping[str, Scalar]
    """Every option with its value."""
    sides: tuple[int, ...]
    """The direction that each seat owns (R2.4)."""
    clockwise: tuple[tuple[int, ...], ...]
    """For each seat all seats in order, beginning with that seat."""
    supply: int
    """The card supply before the first cards are taken, packed (R3.1)."""
    favor: int
    dedications: tuple[tuple[int, ...], ...]
    """The token values of each kind, top first (R3.2)."""
    generic: int | None
    """The number of generic tokens, or `None` if they never run out (R6.3)."""
    pool: tuple[int, ...]
    """The faces that are shuffled and dealt, ascending (R3.4)."""
    hand: int
    stack: int
    placements: int
    limit_before_place: bool
    favor_per_match: bool
    platforms: tuple[bool, ...]
    """Whether the tile of each code counts as a platform."""


def make_ruleset(seats: int, options: Mapping[str, Scalar]) -> Ruleset:
    """Return the rules for a number of seats and a value for every option. Equal arguments give the same object."""
    return _make_ruleset(seats, tuple(options.items()))


@cache
def _make_ruleset(seats: int, settled: tuple[tuple[str, Scalar], ...]) -> Ruleset:
    options = dict(settled)
    count, edition = str(seats), options["edition"]
    a_colour = BOX["cards_per_colour"][edition][count]
    if seats == 2 and options["two_player_stack"] != "edition":
        a_colour = int(str(options["two_player_stack"]))
    favor = options["favor_supply"]
    sides = BOX["seat_directions"]["by_seats"][count]
    sizes = BOX["tile_counts"]["by_seats"][count]
    start_counts = options["start_is_platform"] == "yes"
    return Ruleset(
        seats=seats,
        options=options,
        sides=tuple(map(DIRECTIONS.index, sides[options["two_player_seats"]] if seats == 2 else sides)),
        clockwise=tuple(tuple((first + offset) % seats for offset in range(seats)) for first in range(seats)),
        supply=a_colour * EACH,
        favor=BOX["favor_tokens"][edition] if favor == "edition" else int(str(favor)),
        dedications=tuple(map(tuple, BOX["dedications"]["by_seats"][count].values())),
        generic=None if options["generic_limit"] == "none" else BOX["dedications"]["generic"]["in_box"],
        pool=OLDER_POOL if edition == "older" else POOL,
        hand=sizes["hand"],
        stack=sizes["stack"],
        placements=sizes["placements"],
        limit_before_place=options["hand_limit_when"] == "before_place",
        favor_per_match=options["platform_favor"] == "per_match",
        platforms=tuple(
            face.platform or (start_counts and face.tile == START_TILE) for face in FACES for _rotation in range(4)
        ),
    )
