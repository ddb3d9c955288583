"""A cache of encoded actions, so that each action of a game is encoded once for many matches.

Referee and rehearsal both build their messages with it, so both send the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

from arena.protocol.messages import encode
from engine.core import Action, Game

KNOWN_ACTIONS: Final = 50_000
"""Maximum number of cached actions of one game. Games create each action once, so few games come near it."""


class ActionBytes:
    """Cached JSON of a game's seat actions. Each action is encoded once for many matches. Use `action_bytes`."""

    __slots__ = ("_encode", "_kept", "_known")

    def __init__(self, game: Game) -> None:
        self._encode = game.encode
        # The key is the identity, because equal tuples may be different kinds of action.
        self._known: dict[int, bytes] = {}
        self._kept: list[Action] = []
        """The cached actions themselves, so that Python cannot reuse their ids."""

    def one(self, action: Action) -> bytes:
        """Return the action as a JSON object."""
        known = self._known.get(id(action))
        if known is None:
            if len(self._known) >= KNOWN_ACTIONS:
                self._known.clear()
                self._kept.clear()
            known = self._known[id(action)] = encode(self._encode(action))
            self._kept.append(action)
        return known

    def all(self, actions: Sequence[Action]) -> bytes:
        """Return the actions as a JSON array, in the same order."""
        known = self._known
        try:
            # `join` gets a list because it would convert an iterator to a list first, which is slower.
            return b"[%b]" % b",".join([known[id(action)] for action in actions])
        except KeyError:
            return b"[%b]" % b",".join([self.one(action) for action in actions])


@cache
def action_bytes(game: Game) -> ActionBytes:
    """Return the cache of this game. All its matches in this process share it."""
    return ActionBytes(game)
