"""What a viewer considers possible: all that it sees stays the same, and the unseen tiles are dealt again (K1, K2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from random import Random
from typing import Any

from engine.core import Belief, Game
from engine.lanterns.cards import pack_counts
from engine.lanterns.components import KINDS, START_TILE, STEPS, cell_at
from engine.lanterns.ruleset import make_ruleset
from engine.lanterns.state import LanternsState


class LanternsBelief(Belief):
    """Every deal of the unseen tiles to other hands, stack and removed tiles, all equally likely.

    The belief follows the rules alone. It does not guess hidden tiles from what the opponents played.
    """

    __slots__ = ("_known", "_sizes", "_stack", "_unseen")

    def __init__(self, game: Game, observation: Mapping[str, Any]) -> None:
        """Read an observation of this game, as `State.observation` gives it."""
        self._known = _public_state(game, observation)
        viewer = observation["viewer"]
        unseen = Counter(self._known.rules.pool)
        unseen.subtract(entry["tile"] for entry in observation["board"] if entry["tile"] != START_TILE)
        if viewer is not None:
            hand = tuple(entry["tile"] for entry in observation["hand"])
            unseen.subtract(hand)
            self._known.hands[viewer] = hand
        self._sizes = [
            (table["seat"], table["hand_size"]) for table in observation["tables"] if table["seat"] != viewer
        ]
        self._stack: int = observation["stack"]
        # Before the deal no tile is hidden: the whole pool is still to be shuffled.
        dealt = self._stack or observation["removed"]
        self._unseen = sorted(unseen.elements()) if dealt else []

    def sample(self, rng: Random) -> LanternsState:
        """Return one full state. Equal observations and equal generators give equal states (K4)."""
        state = self._known.clone()
        deck = self._unseen[:]
        rng.shuffle(deck)
        first = 0
        for seat, size in self._sizes:
            state.hands[seat] = tuple(sorted(deck[first : first + size]))
            first += size
        state.stack = tuple(deck[first : first + self._stack])
        state.removed = tuple(sorted(deck[first + self._stack :]))
        return state


def _public_state(game: Game, observation: Mapping[str, Any]) -> LanternsState:
    """Return the position of an observation with all hidden parts left empty."""
    rules = make_ruleset(observation["seats"], game.complete_options(observation["options"]))
    state = LanternsState(game, rules)
    to_act = observation["to_act"]
    state.step = observation["step"]
    state.turn = observation["turn"]
    state.start_seat = observation["start_seat"]
    # If nobody is to act, the match has not begun or is over. In both cases the next go would be the start seat's.
    state.seat = to_act if isinstance(to_act, int) else state.start_seat or 0
    state.placements_left = observation["placements_left"]
    state.supply = pack_counts(observation["supply"])
    state.favor_supply = observation["favor_supply"]
    state.dedications = [tuple(observation["dedications"][kind]) for kind in KINDS]
    state.generic_left = observation["generic_left"]
    for table in observation["tables"]:
        seat = table["seat"]
        state.held[seat] = pack_counts(table["cards"])
        state.favor[seat] = table["favor"]
        state.taken[seat] = tuple(table["taken"])
    state.lake = {
        cell_at(entry["x"], entry["y"]): 4 * entry["tile"] + entry["rotation"] for entry in observation["board"]
    }
    state.frontier = sorted({cell + step for cell in state.lake for step in STEPS} - state.lake.keys())
    return state
