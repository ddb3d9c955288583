"""A position as an `engine.core.State`: each method calls the rules."""

from __future__ import annotations

from random import Random
from typing import Any

from engine.core import CHANCE, Action, Event, IllegalAction, State, Viewer, shown
from engine.hell_village import actions, flow, observation, scoring
from engine.hell_village.position import Position


class HellState(Position, State):
    """A position that can be played. Change it through `apply` alone."""

    __slots__ = ()

    def legal_actions(self) -> tuple[Action, ...]:
        """Return every legal action in the order of the decisions table in RULES.md."""
        legal = self.legal
        if legal is None:
            legal = self.legal = flow.legal(self)
        return legal

    def apply(self, action: Action) -> tuple[Event, ...]:
        """Play one action and return what happened. Raises `IllegalAction`, and changes nothing, if not allowed."""
        seat = self.to_act
        if seat == CHANCE:
            flow.check_chance(self, action)
            out: list[Event] = []
            flow.apply_chance(self, out, action)
        else:
            legal = self.legal
            if legal is None:
                legal = self.legal_actions()
            if action not in legal:
                # The number of legal actions depends on the hand, so no message names it.
                raise IllegalAction(f"expected a legal action of seat {seat}, got {shown(action, 200)}")
            assert isinstance(seat, int)
            out = [action_event(seat, action, flow.workplace_of(self))]
            self.turn += 1
            flow.choose(self, out, action)
        flow.advance(self, out)
        return tuple(out)

    @property
    def chance_key(self) -> str:
        """The name of the pending chance. Raises `LookupError` if none is pending."""
        if self.to_act != CHANCE:
            raise LookupError(f"no chance is pending: {self.to_act} is to act")
        return flow.chance_key(self)

    def sample_chance(self, rng: Random) -> Action:
        """Return one outcome of the pending chance. Raises `LookupError` if none is pending."""
        if self.to_act != CHANCE:
            raise LookupError(f"no chance is pending: {self.to_act} is to act")
        return flow.sample_chance(self, rng)

    def observation(self, viewer: Viewer) -> dict[str, Any]:
        """Return everything that one viewer may know, as fresh JSON data (RULES.md, Observation)."""
        return observation.observe(self, viewer)

    def scores(self) -> tuple[float, ...]:
        """Return EP with all cards in play, and at the end with the knowledge cards (R10.1, R10.4)."""
        return scoring.scores(self)

    def ranks(self) -> tuple[int, ...]:
        """Return the rank of each seat, 0 is best (R10.3)."""
        return scoring.ranks(self)


_events: dict[tuple[int, Action, str | None], Event] = {}


def action_event(seat: int, action: Action, at: str | None) -> Event:
    """Return the event of a seat's action, with the workplace if the action does not name it.

    Only the seat itself sees what it keeps at setup.
    """
    event = _events.get((seat, action, at))
    if event is None:
        fields = actions.encode(action)
        kind = fields.pop("type")
        if at is not None:
            fields["at"] = at
        if kind == "keep":  # not cached: there are too many
            return Event(kind, {"seat": seat}, {seat: fields})
        event = _events[seat, action, at] = Event(kind, {"seat": seat, **fields})
    return event
