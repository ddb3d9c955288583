"""What one seat, or a spectator, considers possible: every deal of the cards that it has not seen."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from engine.core import Belief, Game
from harbour_auction.state import HarbourState


class HarbourBelief(Belief):
    """All deals of the unseen cards, each as likely as any other."""

    __slots__ = ("_game", "_seen")

    def __init__(self, game: Game, observation: Mapping[str, Any]) -> None:
        self._game = game
        self._seen = observation

    def sample(self, rng: Random) -> HarbourState:
        seen = self._seen
        state = HarbourState(self._game, seen["seats"], dict(seen["options"]))
        state.round = seen["round"]
        state.crate = seen["crate"]
        state.points = [table["points"] for table in seen["tables"]]
        state.shown = [list(table["shown"]) for table in seen["tables"]]
        me = seen.get("me", {"hand": [], "laid": None})  # a spectator has no cards
        known = {*me["hand"], me["laid"], *(card for cards in state.shown for card in cards)}
        unseen = [card for card in state.cards if card not in known]
        rng.shuffle(unseen)
        for seat, table in enumerate(seen["tables"]):
            if seat == seen["viewer"]:
                state.hands[seat], state.laid[seat] = list(me["hand"]), me["laid"]
            else:
                state.hands[seat] = sorted(unseen.pop() for _ in range(table["cards"]))
                state.laid[seat] = unseen.pop() if table["laid"] else None
        return state  # the rest of `unseen` is the pile aside, which no rule needs
