"""The options of the rules (RULES.md, Options), and everything that stays the same in a match."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from engine.core import Option, Scalar
from engine.hell_village.components import Tables

OPTIONS: Final[dict[str, Option]] = {
    "super_workplaces": Option(False, (False, True), "four super workplaces come into play in the later rounds (R11)"),
    "war_room_dice": Option(
        "either", ("either", "separate", "sum"), "several own dice in the War Room: each alone, their sum, or either"
    ),
    "market": Option("batch", ("batch", "sequential"), "cards taken at the Market come after all trades, or at once"),
    "kick_own": Option(False, (False, True), "one's own dice may be kicked"),
    "industry_turn": Option("none", ("none", "half"), "an industry may be laid turned by half a turn"),
    "self_trigger": Option(False, (False, True), "Goblin King and Dagon count the play of themselves"),
    "bonus_per_die": Option(False, (False, True), "extras of a workplace count once for each own die there"),
    "warlock_dice": Option("one", ("one", "any"), "dice that Warlock takes in a round"),
    "imp_reroll": Option("replace", ("replace", "minus_one"), "Imp's roll stands as it is, or is lowered by 1"),
    "reshuffle": Option(
        "when_needed",
        ("when_needed", "when_empty"),
        "the discard pile is shuffled when a card is to be drawn from an empty pile, or as soon as the pile is empty",
    ),
    "several_dice": Option(
        "sum", ("sum", "each"), "own dice in one workplace are added to one value, or each die is used alone"
    ),
    "dullahan_dice": Option("own", ("own", "any"), "Dullahan sets dice of its owner, or dice in any hands"),
    "final_tie": Option("shared", ("shared", "resources"), "equal scores share a rank, or more resources rank better"),
}


@dataclass(frozen=True, slots=True)
class Ruleset:
    """Everything that is fixed for a whole match: the tables, the number of seats, the options."""

    tables: Tables
    seats: int
    options: Mapping[str, Scalar]
    super_workplaces: bool
    war_room_dice: str
    market_sequential: bool
    kick_own: bool
    industry_turn: bool
    self_trigger: bool
    bonus_per_die: bool
    warlock_any: bool
    imp_minus_one: bool
    reshuffle_when_empty: bool
    each_die: bool
    dullahan_any: bool
    tie_by_resources: bool
    spaces: tuple[int, ...]
    """The number of dice that each workplace can hold."""
    open_workplaces: tuple[int, ...]
    """The numbers of the workplaces that are not closed."""


def make_ruleset(tables: Tables, seats: int, options: Mapping[str, Scalar]) -> Ruleset:
    """Return the rules of a match with a value for every option."""
    spaces = tables.spaces[seats]
    return Ruleset(
        tables=tables,
        seats=seats,
        options=dict(options),
        super_workplaces=bool(options["super_workplaces"]),
        war_room_dice=str(options["war_room_dice"]),
        market_sequential=options["market"] == "sequential",
        kick_own=bool(options["kick_own"]),
        industry_turn=options["industry_turn"] == "half",
        self_trigger=bool(options["self_trigger"]),
        bonus_per_die=bool(options["bonus_per_die"]),
        warlock_any=options["warlock_dice"] == "any",
        imp_minus_one=options["imp_reroll"] == "minus_one",
        reshuffle_when_empty=options["reshuffle"] == "when_empty",
        each_die=options["several_dice"] == "each",
        dullahan_any=options["dullahan_dice"] == "any",
        tie_by_resources=options["final_tie"] == "resources",
        spaces=spaces,
        open_workplaces=tuple(number for number, count in enumerate(spaces) if count),
    )
