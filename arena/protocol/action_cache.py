"""The actions of a game in bytes, each encoded once for many matches.

Referee and rehearsal build their messages from here, so that both send the same bytes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

from arena.protocol.messages import encode
from engine.core import Action, Game

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
