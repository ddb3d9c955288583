"""The game object that the catalog finds, and the way to make another game from another component table."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from engine.core import Action, Game, Scalar
from engine.hell_village import actions, reading, text
from engine.hell_village.belief import HellBelief
from engine.hell_village.check_components import check_tables
from engine.hell_village.components import Tables, read_built_in
from engine.hell_village.ruleset import OPTIONS, make_ruleset
from engine.hell_village.state import HellState

NOTICE = (
    "Names and abilities of the 28 demons, the workplaces, the super workplaces and the course of play follow the "
    "published rules. The project's reconstruction, because no source states them: dice, cost and EP of every hell "
    "card, all 12 plans and 24 industries, the payment cards but Peaceful Day, the knowledge cards, the numbers on the "
    "turn-order tiles, most spaces of the workplaces, and the lengths of the rows (RULES.md, Reconstruction)."
)


class HellVillage(Game):
    """Hell Village for 2 to 5 seats. Other `tables` and another `key` make another game with the same rules.

    >>> HellVillage().new(2).chance_key
    'payments'
    """

    seats = range(2, 6)
    options = OPTIONS
    draw_probability = 0.02
    max_turns = 6000

    def __init__(
        self,
        tables: Mapping[str, Any] | None = None,
        key: str = "hell_village",
        *,
        version: int = 2,
        title: str = "Hell Village",
        notice: str | None = None,
    ) -> None:
        """Make the game of a component table. Raises `ValueError` with every problem of the table, or without a key."""
        if tables is not None:
            if key == "hell_village":
                raise ValueError("another component table is another game: expected a key other than 'hell_village'")
            problems = check_tables(tables)
            if problems:
                raise ValueError("the component table cannot be played:\n" + "\n".join(problems))
        self.key = key
        self.title = title
        self.version = version
        self.notice = (
            (NOTICE if tables is None else "Plays a component table of its own.") if notice is None else notice
        )
        self.tables = Tables(read_built_in() if tables is None else deepcopy(tables))
        defaults = self.complete_options()
        self._default_rules = {seats: make_ruleset(self.tables, seats, defaults) for seats in self.seats}

    def new(self, seats: int, options: Mapping[str, Scalar] | None = None) -> HellState:
        """Return a new match before its first chance. Raises `ValueError` (wrong number of seats) or `OptionError`."""
        self.check_seats(seats)
        if not options:
            return HellState(self, self._default_rules[seats])
        return HellState(self, make_ruleset(self.tables, seats, self.complete_options(options)))

    def encode(self, action: Action) -> dict[str, Any]:
        """Return the action as a JSON object."""
        return actions.encode(action)

    def decode(self, data: Mapping[str, Any]) -> Action:
        """Return the action that a JSON object names. Raises `MalformedAction`."""
        return reading.decode(data, self.tables)

    def belief(self, observation: Mapping[str, Any]) -> HellBelief:
        """Return what the viewer of this observation considers possible (R12)."""
        return HellBelief(self, self.tables, observation)

    def check_tables(self, data: object) -> list[str]:
        """Return every problem of a component table as a sentence. With no problem it can be played."""
        return check_tables(data)

    def draw(self, observation: Mapping[str, Any]) -> str:
        """Return workplaces, village and seats as text of at most 80 columns."""
        return text.draw(self.tables, observation)

    def picture(self, observation: Mapping[str, Any]) -> str:
        """Return payments, workplaces, village and seats as an SVG picture."""
        from engine.hell_village import picture  # bots import the game and draw nothing

        return picture.draw(self.tables, observation)

    def describe(self, event: Mapping[str, Any]) -> str:
        """Return one event, as its viewer sees it, as one line."""
        return text.describe(self.tables, event)
