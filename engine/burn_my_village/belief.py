"""What a viewer considers possible: all that it sees stays the same, and the unseen cards are dealt again (R9)."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from engine.burn_my_village.components import CODES, WILD_NAME, rules_for
from engine.burn_my_village.counts import GUARD, SHIFTS, UNITS, as_codes, pack, pack_cards
from engine.burn_my_village.state import VillageState
from engine.core import Belief, Game


class VillageBelief(Belief):
    """All states that one observation allows. Each arrangement of the unseen cards is equally likely (R9.4)."""

    __slots__ = ("_hidden", "_pool", "_seen")

    def __init__(self, game: Game, observation: Mapping[str, Any]) -> None:
        state = _visible_part(game, observation)
        self._seen = state
        self._pool: list[int] = []
        self._hidden: list[tuple[int, int]] = []
        """Each other seat that holds cards which nobody else knows, with their number."""
        if not isinstance(state.to_act, int):
            return  # before the shuffle and at the end nothing is hidden
        laid_wilds = sum(column["wilds"] for table in observation["tables"] for column in table["bribes"].values())
        visible = state.discards + sum(state.hands) + sum(state.columns) + sum(map(pack_cards, state.stalls))
        unseen = pack_cards(state.deck) - visible - laid_wilds * UNITS[CODES[WILD_NAME]]
        self._pool = as_codes(unseen)
        for seat, table in enumerate(observation["tables"]):
            hidden = table["hand_size"] - sum(table["known"].values())
            if hidden and seat != observation["viewer"]:
                self._hidden.append((seat, hidden))
        state.deck = ()

    def sample(self, rng: Random) -> VillageState:
        """Return one of the states: the unseen cards are shuffled and dealt to the other seats and the deck."""
        state = self._seen.clone()
        if self._pool:
            pool = self._pool[:]
            rng.shuffle(pool)
            dealt = 0
            for seat, count in self._hidden:
                state.hands[seat] += pack_cards(pool[dealt : dealt + count])
                dealt += count
            state.deck = tuple(pool[dealt:])
        return state


def _visible_part(game: Game, observation: Mapping[str, Any]) -> VillageState:
    """Return the state with the viewer's hand, the known part of all other hands, and all used cards as its deck."""
    seats = observation["seats"]
    options = {name: observation["options"][name] for name in game.options}
    state = VillageState(game, seats, rules_for(seats, options))
    state.to_act = observation["to_act"]
    state.turn = observation["turn"]
    state.ended = observation["ended"]
    state.track = [CODES[name] for name in observation["track"]]
    state.stalls = [tuple([CODES[name] for name in goods]) for goods in observation["stalls"]]
    state.next_stall = observation["next_stall"]
    state.discards = pack(observation["discards"])
    for seat, table in enumerate(observation["tables"]):
        state.known[seat] = pack(table["known"])
        state.hands[seat] = state.known[seat]
        for name, column in table["bribes"].items():
            shift = SHIFTS[CODES[name]]
            state.columns[seat] += column["cards"] << shift
            state.wilds[seat] += column["wilds"] << shift
            state.bribed[seat] |= GUARD << shift
    if observation["viewer"] is not None:
        state.hands[observation["viewer"]] = pack(observation["hand"])
    if state.ended is not None:
        state.deck = ()
    return state
