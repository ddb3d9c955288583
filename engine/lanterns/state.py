"""A position of Lanterns in the form that `engine.core` asks for: each promise is kept by the rules below."""

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
        """Every allowed action, in the order of the rules' table of decisions; empty for chance and at the end."""
        return choices.legal_actions(self)

    def apply(self, action: Action) -> tuple[Event, ...]:
        """Play one action and return what happened; raises `IllegalAction`, changing nothing, if it is not allowed."""
        return _APPLY[self.step](self, action)

    @property
    def chance_key(self) -> str:
        """`orient`, then `shuffle`; nothing later is random."""
        return setup.chance_key(self)

    def sample_chance(self, rng: Random) -> Action:
        """A seat for the red side, or an order of the pool, all equally likely (R3.3, R3.4)."""
        return setup.sample(self, rng)

    def observation(self, viewer: Viewer) -> dict[str, Any]:
        """All that one viewer may know; see `observation.observe`."""
        return observe(self, viewer)

    def scores(self) -> tuple[float, ...]:
        """The sum of each seat's tokens, at any time (R10.3)."""
        return tuple(map(scoring.score, self.taken))

    def ranks(self) -> tuple[int, ...]:
        """Finishing order by score, favor tokens, held cards (R10.4)."""
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
