"""The game object that the catalog finds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.core import Action, Game, Scalar
from engine.lanterns import actions, text
from engine.lanterns.belief import LanternsBelief
from engine.lanterns.components import BOX
from engine.lanterns.ruleset import OPTIONS, make_ruleset
from engine.lanterns.state import LanternsState


class Lanterns(Game):
    """Lanterns: The Harvest Festival, for 2 to 4 seats."""

    key = "lanterns"
    title = "Lanterns: The Harvest Festival"
    version = 1
    seats = range(2, 5)
    options = OPTIONS
    draw_probability = 0.01
    max_turns = max(BOX["max_decisions"]["by_seats"].values())
    notice = (
        "Where the published rules are silent or differ, RULES.md says what is played and why; "
        "most of those choices are options."
    )

    def new(self, seats: int, options: Mapping[str, Scalar] | None = None) -> LanternsState:
        """Return a new match before its first chance. Raises `ValueError` (wrong number of seats) or `OptionError`."""
        return LanternsState(self, make_ruleset(self.check_seats(seats), self.complete_options(options)))

    def encode(self, action: Action) -> dict[str, Any]:
        """Return the action as a JSON object."""
        return actions.encode(action)

    def decode(self, data: Mapping[str, Any]) -> Action:
        """Return the action that a JSON object names. Raises `MalformedAction`."""
        return actions.decode(data)

    def belief(self, observation: Mapping[str, Any]) -> LanternsBelief:
        """Return every deal of the tiles that the viewer of this observation does not see."""
        return LanternsBelief(self, observation)

    def draw(self, observation: Mapping[str, Any]) -> str:
        """Return the lake with coordinates, the stacks and the seats, as text of at most 80 columns."""
        return text.draw(observation)

    def picture(self, observation: Mapping[str, Any]) -> str:
        """Return the lake with the seats around it, the stacks and the cards, as an SVG picture."""
        from engine.lanterns import picture  # bots import the game and draw nothing

        return picture.draw(observation)

    def describe(self, event: Mapping[str, Any]) -> str:
        """Return one event, as its viewer sees it, as one line."""
        return text.describe(event)


GAME = Lanterns()
