"""A position of the game in the form that `engine.core` asks for: each promise is kept by the rules below."""

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
        """The list of the rules' section "Decisions", in its order."""
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
        """`track`, then `shuffle`."""
        return setup.chance_key(self)

    def sample_chance(self, rng: Random) -> Action:
        """An even order of the six types, then of the whole deck."""
        return setup.sample(self, rng)

    def observation(self, viewer: Viewer) -> dict[str, Any]:
        """All that the viewer may know; see `RULES.md`, section R9."""
        return observe(self, viewer)

    def scores(self) -> tuple[int, ...]:
        """R8.2; defined at the end only."""
        if self.ended is None:
            raise LookupError("the match is not over: nothing is scored yet")
        return tuple([self.points_if_over(seat) for seat in range(self.seats)])

    def points_if_over(self, seat: int) -> int:
        """What a seat would have if the match were over now, its treasures joined to its columns (R7.3, R8.2).

        For bots that search: a quick measure of a position in which hidden cards have been filled in.
        """
        hand, columns = self.hands[seat], self.columns[seat]
        joined = scoring.joining(hand, columns)
        return scoring.score(hand - joined, columns + joined + self.wilds[seat], self.track, self.rules.values)

    def ranks(self) -> tuple[int, ...]:
        """R8.3 and R8.4; defined at the end only."""
        laid = [cards + wilds for cards, wilds in zip(self.columns, self.wilds, strict=True)]
        return scoring.ranks(self.scores(), laid, self.track)
