"""Find the legal action that an answer names. Matches and rehearsals use the same function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena.model.causes import Cause
from arena.model.faults import BotFault
from arena.protocol.messages import Answer, encode
from arena.protocol.strict_json import quote
from engine.core import Action, ActionError, Game


def judge(game: Game, answer: Answer, legal: Sequence[Action], turn: int) -> Action:
    """Return the legal action that a bot's answer names.

    Raises `BotFault`: `illegal_action` if the action is not in the list, `malformed` if the game has no such action.
    The message does not contain the length of the list: spectators read it, and the list depends on hidden information.
    """
    named = answer.action
    if isinstance(named, int):
        if named < len(legal):
            return legal[named]
        raise BotFault(Cause.ILLEGAL_ACTION, f"turn {turn}: expected an index of a legal action, got {named}")
    action = _decode(game, named, legal, turn)
    for allowed in legal:
        # Equal tuples may be different kinds of action, so the types must be equal, too.
        if allowed is action or (type(allowed) is type(action) and allowed == action):
            return allowed
    raise BotFault(Cause.ILLEGAL_ACTION, f"turn {turn}: expected one of the legal actions, got {_shown(named)}")


def _decode(game: Game, named: dict[str, Any], legal: Sequence[Action], turn: int) -> Action:
    try:
        return game.decode(named)
    except ActionError as error:
        reason = str(error)
    except Exception:
        # The output of a bot never makes a match void, even if `game.decode` fails on it. But if the arena itself
        # encodes a legal action like this, `game.decode` has a bug and the bot is not at fault.
        if any(game.encode(allowed) == named for allowed in legal):
            raise
        reason = f"expected an action of {game.key}"
    raise BotFault(Cause.MALFORMED, f"turn {turn}: {reason}, got {_shown(named)}")


def _shown(named: dict[str, Any]) -> str:
    return quote(encode(named))
