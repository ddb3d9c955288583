"""The game object that the catalog finds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.burn_my_village import actions, text
from engine.burn_my_village.belief import VillageBelief
from engine.burn_my_village.components import COMPONENTS, MAX_TURNS, OPTIONS, SEATS, default_rules, rules_for
from engine.burn_my_village.state import VillageState
from engine.core import Action, Game, Scalar


class BurnMyVillage(Game):
    """Collect treasures, bribe the dragon, and make it love what you gave (rules: `RULES.md`)."""

    key = COMPONENTS["game"]
    title = COMPONENTS["title"]
    version = COMPONENTS["version"]
    seats = SEATS
    options = OPTIONS
    draw_probability = 0.001  # a tie needs equal points and six equal columns: none in 3,000 random matches
    max_turns = MAX_TURNS
    notice = (
        "Some numbers of the components, the sixth type's name among them, are not published in the sources used; "
        "RULES.md marks them [C], and the most telling ones are options."
    )

    def new(self, seats: int, options: Mapping[str, Scalar] | None = None) -> VillageState:
        """Return a new match before the track is drawn."""
        seats = self.check_seats(seats)
        rules = rules_for(seats, self.complete_options(options)) if options else default_rules(seats)
        return VillageState(self, seats, rules)

    def encode(self, action: Action) -> dict[str, Any]:
        """Return the action as a JSON object."""
        return actions.encode(action)

    def decode(self, data: Mapping[str, Any]) -> Action:
        """Return the action that a JSON object names. Raises `MalformedAction`."""
        return actions.decode(data)

    def belief(self, observation: Mapping[str, Any]) -> VillageBelief:
        """Return what the viewer of this observation considers possible."""
        return VillageBelief(self, observation)

    def draw(self, observation: Mapping[str, Any]) -> str:
        """Return what one viewer sees as text."""
        return text.draw(observation)

    def picture(self, observation: Mapping[str, Any]) -> str:
        """Return the track, the stalls and what lies in front of the seats, as an SVG picture."""
        from engine.burn_my_village import picture  # bots import the game and draw nothing

        return picture.draw(observation)

    def describe(self, event: Mapping[str, Any]) -> str:
        """Return one event as one line."""
        return text.describe(event)
