"""A position as an `engine.core.State`: each method calls the rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Final

from engine.core import Action, Event, State, Viewer
from engine.lanterns import choices, go, scoring, setup
from engine.lanterns.cards import count
from engine.lanterns.observation import observe
from engine.lanterns.position import Position
from engine.lanterns.steps import DEDICATE, DISCARD, EXCHANGE, OVER, PLACE, SETUP


class LanternsState(Position, State):
    """A position that can be played. Change it through `apply` alone."""

    __slots__ = ()

    def legal_actions(self) -> Sequence[Action]:
        """Return the legal actions in the order of the table of decisions in RULES.md."""
        return choices.legal_actions(self)

    def apply(self, action: Action) -> tuple[Event, ...]:
        """Play one action and return what happened. Raises `IllegalAction`, and changes nothing, if not allowed."""
        return _APPLY[self.step](self, action)

    @property
    def chance_key(self) -> str:
        """`orient`, then `shuffle`. Nothing later is random."""
        return setup.chance_key(self)

    def sample_chance(self, rng: Random) -> Action:
        """Return a seat for the red side, or an order of the pool, all equally likely (R3.3, R3.4)."""
        return setup.sample(self, rng)

    def observation(self, viewer: Viewer) -> dict[str, Any]:
        """Return everything that one viewer may know (RULES.md, Observation)."""
        return observe(self, viewer)

    def scores(self) -> tuple[float, ...]:
        """Return the sum of each seat's tokens, at any time (R10.3)."""
        return tuple(map(scoring.score, self.taken))

    def ranks(self) -> tuple[int, ...]:
        """Return the rank of each seat by score, favor tokens, held cards (R10.4)."""
        return scoring.ranks([*map(scoring.score, self.taken)], self.favor, [*map(count, self.held)])


def _refuse(state: Position, action: Action) -> tuple[Event, ...]:
    raise state.refusal(action)


_APPLY: Final[dict[str, Callable[[Position, Action], tuple[Event, ...]]]] = {
    SETUP: setup.apply,
    EXCHANGE: go.exchange,
    DEDICATE: go.dedicate,
    DISCARD: go.discard,
    PLACE: go.place,
    OVER: _refuse,
}
