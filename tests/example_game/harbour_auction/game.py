"""The game object that the arena finds, and its text for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.core import Action, Game, Option, Scalar
from harbour_auction import actions, picture
from harbour_auction.belief import HarbourBelief
from harbour_auction.state import ROUNDS, HarbourState


class HarbourAuction(Game):
    """Harbour Auction for two or three seats."""

    key = "harbour_auction"
    title = "Harbour Auction"
    version = 1
    seats = range(2, 4)
    options = {  # noqa: RUF012 - shared by all matches and never changed
        "wins": Option("highest", ("highest", "second"), "which of the laid cards wins the crate"),
    }
    draw_probability = 0.05
    max_turns = 3 * ROUNDS

    def new(self, seats: int, options: Mapping[str, Scalar] | None = None) -> HarbourState:
        return HarbourState(self, self.check_seats(seats), self.complete_options(options))

    def encode(self, action: Action) -> dict[str, Any]:
        return actions.encode(action)

    def decode(self, data: Mapping[str, Any]) -> Action:
        return actions.decode(data)

    def belief(self, observation: Mapping[str, Any]) -> HarbourBelief:
        return HarbourBelief(self, observation)

    def draw(self, observation: Mapping[str, Any]) -> str:
        crate = "no crate yet" if observation["crate"] is None else f"a crate worth {observation['crate']}"
        over = observation["to_act"] is None
        rows = ["the auction is over" if over else f"round {max(observation['round'], 0) + 1} of {ROUNDS}, {crate}"]
        for seat, table in enumerate(observation["tables"]):
            mark = ">" if seat == observation["to_act"] else " "
            laid = ", one laid" if table["laid"] else ""
            shown = " ".join(map(str, table["shown"])) or "nothing"
            rows.append(f"{mark} seat {seat}: {table['points']:2} points, {table['cards']} cards{laid}, showed {shown}")
        if "me" in observation:
            rows.append(f"your hand: {' '.join(map(str, observation['me']['hand'])) or 'empty'}")
        return "\n".join(rows)

    def picture(self, observation: Mapping[str, Any]) -> str:
        return picture.draw(observation)

    def describe(self, event: Mapping[str, Any]) -> str:
        match event["type"]:
            case "deal":
                hand = f": {' '.join(map(str, event['hand']))}" if "hand" in event else ""
                return f"seat {event['seat']} is dealt its cards{hand}"
            case "crate":
                return f"a crate worth {event['worth']} is up"
            case "lay":
                return f"seat {event['seat']} lays {event.get('card', 'a card')}"
            case _:
                cards = ", ".join(map(str, event["cards"]))
                return f"the cards are {cards}: seat {event['winner']} wins {event['worth']}"
