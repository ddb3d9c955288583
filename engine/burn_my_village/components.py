"""The cards, the track, the stalls and the options of the game, read from `components.json` once at import."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pkgutil import get_data
from typing import Any, Final

from engine.core import Option, Scalar

# pkgutil, since importlib.resources takes longer to import than everything else that a search bot needs.
COMPONENTS: Final[dict[str, Any]] = json.loads(get_data(__package__, "components.json") or b"")
"""The whole data file with its source marks."""

TYPES: Final[tuple[str, ...]] = tuple(COMPONENTS["types"]["canonical_order"])
"""The six treasure types in canonical order (R1.1)."""

WILD_NAME: Final[str] = COMPONENTS["wild_cards"]["name"]
NAMES: Final = (*TYPES, WILD_NAME)
"""Every card name in canonical order. The code of a card is its index in this tuple."""

CODES: Final = {name: code for code, name in enumerate(NAMES)}
WILD: Final = CODES[WILD_NAME]

PER_TYPE: Final[int] = COMPONENTS["treasure_cards"]["per_type"]
STALLS: Final = len(COMPONENTS["stalls"]["prices"])
FIRST_STALL: Final[int] = COMPONENTS["stalls"]["dealing_order"][0]
"""Cards are dealt to the stalls from this one down to stall 0, and then from this one again (R4.5)."""

TOP_SPACE: Final[int] = COMPONENTS["track"]["spaces"] - 1
WILD_PENALTY: Final[int] = COMPONENTS["wild_penalty"]["points"]
SEATS: Final = range(COMPONENTS["seats"]["min"], COMPONENTS["seats"]["max"] + 1)
MAX_TURNS: Final[int] = COMPONENTS["turn_limit"]["all_options"]

_DEFAULTS: Final[dict[str, Scalar]] = {
    name: value for name, value in COMPONENTS["default_options"].items() if name != "source"
}
OPTIONS: Final = {
    name: Option(_DEFAULTS[name], tuple(choices), text)
    for name, choices, text in (
        ("wilds", ("scaled", "trimmed", "all"), "how many Wilds are used at each number of seats (R2.2)"),
        ("market_start", COMPONENTS["market_start_cards_per_stall"]["choices"], "cards in each stall at setup (R2.5)"),
        ("track", COMPONENTS["track"]["choices"], "values of the six spaces, lowest first (R1.5)"),
        ("empty_draw", COMPONENTS["empty_draw"]["choices"], "may a seat always draw from an empty deck (R6.2)"),
        ("refill_start", COMPONENTS["refill_start"]["choices"], "where a refill starts (R4.5)"),
    )
}


@dataclass(frozen=True, slots=True)
class Rules:
    """Everything that the number of seats and the options fix for a whole match."""

    options: dict[str, Scalar]
    """Every option with its value."""
    values: tuple[int, ...]
    """The value of each space of the track, lowest first."""
    wilds: int
    """The number of Wilds in play (R2.2)."""
    pack: tuple[int, ...]
    """The codes of all cards in play, before the shuffle."""
    hand_at_start: int
    market_start: int
    draw_only_if_forced: bool
    """With an empty deck a seat may draw only if it has no other action."""
    refill_continues: bool
    """A refill starts after the stall where the last one ended."""


def rules_for(seats: int, options: dict[str, Scalar]) -> Rules:
    """Return the rules of a match with this number of seats and a value for every option."""
    wilds: int = COMPONENTS["wilds_used"][options["wilds"]][str(seats)]
    treasures = tuple(code for code in range(len(TYPES)) for _ in range(PER_TYPE))
    return Rules(
        options=options,
        values=tuple(COMPONENTS["track"]["choices"][options["track"]]),
        wilds=wilds,
        pack=treasures + (WILD,) * wilds,
        hand_at_start=COMPONENTS["hand_at_start"][str(seats)],
        market_start=COMPONENTS["market_start_cards_per_stall"]["choices"][options["market_start"]],
        draw_only_if_forced=options["empty_draw"] == "forced_only",
        refill_continues=options["refill_start"] == "continue",
    )


@cache
def default_rules(seats: int) -> Rules:
    """Return the rules of a match with the default options. They are cached, since most matches use them."""
    return rules_for(seats, dict(_DEFAULTS))
