"""A match in bytes: actions encoded once, events kept once and told to each seat as it may see them.

Referee and rehearsal build their messages from here, so that both send the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final

from arena.protocol import encode
from engine.core import Action, Event, Game

KNOWN_ACTIONS: Final = 50_000
"""So many actions of one game are kept encoded at most; games make theirs once, so few ever come near."""


class ActionBytes:
    """JSON of a game's actions of seats, each made once for many matches. Get one from `action_bytes`."""

    __slots__ = ("_encode", "_kept", "_known")

    def __init__(self, game: Game) -> None:
        self._encode = game.encode
        # By identity, since tuples of two kinds may be equal.
        self._known: dict[int, bytes] = {}
        self._kept: list[Action] = []
        """The actions themselves, so that no id of them is used again."""

    def one(self, action: Action) -> bytes:
        """The action as a JSON object."""
        known = self._known.get(id(action))
        if known is None:
            if len(self._known) >= KNOWN_ACTIONS:
                self._known.clear()
                self._kept.clear()
            known = self._known[id(action)] = encode(self._encode(action))
            self._kept.append(action)
        return known

    def all(self, actions: Sequence[Action]) -> bytes:
        """The actions as a JSON array, in their order."""
        known = self._known
        try:
            # A list, not an iterator: `join` would first make one of it, and not as quickly.
            return b"[%b]" % b",".join([known[id(action)] for action in actions])
        except KeyError:
            return b"[%b]" % b",".join([self.one(action) for action in actions])


@cache
def action_bytes(game: Game) -> ActionBytes:
    """The encoded actions of this game, the same for all its matches in this process."""
    return ActionBytes(game)


class EventLog:
    """All events of a match, kept once; each seat is told what it has not been told yet, as it may see it."""

    __slots__ = ("_private", "_public", "_told")

    def __init__(self, seats: int) -> None:
        self._public: list[bytes] = []
        self._private: tuple[dict[int, bytes], ...] = tuple({} for _ in range(seats))
        """For each seat: index of an event -> how this seat sees it, where that is more than the public view."""
        self._told = [0] * seats

    def add(self, events: Iterable[Event]) -> None:
        """These happened now, in this order."""
        for event in events:
            for seat in event.private:
                self._private[seat][len(self._public)] = encode(event.seen_by(seat))
            self._public.append(encode(event.seen_by(None)))

    def news(self, seat: int) -> bytes:
        """A JSON array of all that happened since this seat was last told."""
        start = self._told[seat]
        self._told[seat] = len(self._public)
        seen = self._public[start:]
        private = self._private[seat]
        if private:
            for index, event in private.items():
                seen[index - start] = event
            private.clear()
        return b"[%b]" % b",".join(seen)
