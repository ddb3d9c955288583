"""A position as an `engine.core.State`: each method calls the rules."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from engine.burn_my_village import choices, scoring, setup, turns
from engine.burn_my_village.actions import Bribe, Buy, Draw
from engine.burn_my_village.observation import observe
from engine.burn_my_village.position import Position
from engine.core import Action, Event, State, Viewer


class VillageState(Position, State):
    """A position that can be played. Change it through `apply` alone."""

    __slots__ = ()

    def legal_actions(self) -> Sequence[Action]:
        """Return the legal actions in the order of section "Decisions" of RULES.md."""
        return choices.legal_actions(self)

    def apply(self, action: Action) -> tuple[Event, ...]:
        """Play one action. Raises `IllegalAction`, and changes nothing, if it is not allowed here."""
        seat = self.to_act
        if not isinstance(seat, int):
            return setup.apply(self, action)
        if isinstance(action, Bribe):
            events = turns.bribe(self, seat, action)
        elif isinstance(action, Buy):
            events = turns.buy(self, seat, action)
        elif isinstance(action, Draw):
            events = turns.draw(self, seat)
        else:
            raise self.refusal(action, "it is a seat's turn to draw, buy or bribe")
        self.turn += 1
        if self.ended is None:
            self.to_act = seat + 1 if seat + 1 < self.seats else 0
        return events

    @property
    def chance_key(self) -> str:
        """Return the key of the pending chance: first `track`, then `shuffle`."""
        return setup.chance_key(self)

    def sample_chance(self, rng: Random) -> Action:
        """Return an order of the six types, or later of the whole deck. All orders are equally likely."""
        return setup.sample(self, rng)

    def observation(self, viewer: Viewer) -> dict[str, Any]:
        """Return everything that the viewer may know (RULES.md, section R9)."""
        return observe(self, viewer)

    def scores(self) -> tuple[int, ...]:
        """Return the points of each seat (R8.2). Raises `LookupError` before the end."""
        if self.ended is None:
            raise LookupError("the match is not over: nothing is scored yet")
        return tuple([self.points_if_over(seat) for seat in range(self.seats)])

    def points_if_over(self, seat: int) -> int:
        """Return the points that a seat would have if the match ended now, with its Treasures joined (R7.3, R8.2).

        Search bots use it as a quick evaluation of a sampled state.
        """
        hand, columns = self.hands[seat], self.columns[seat]
        joined = scoring.joining(hand, columns)
        return scoring.score(hand - joined, columns + joined + self.wilds[seat], self.track, self.rules.values)

    def ranks(self) -> tuple[int, ...]:
        """Return the rank of each seat (R8.3, R8.4). Raises `LookupError` before the end."""
        laid = [cards + wilds for cards, wilds in zip(self.columns, self.wilds, strict=True)]
        return scoring.ranks(self.scores(), laid, self.track)
