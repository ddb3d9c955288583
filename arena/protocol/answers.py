"""Which legal action an answer names, or why it names none. One judge for matches and rehearsals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena.errors import Cause
from arena.model.faults import BotFault
from arena.protocol.messages import Answer, encode
from arena.protocol.strict_json import quote
from engine.core import Action, ActionError, Game


def judge(game: Game, answer: Answer, legal: Sequence[Action], turn: int) -> Action:
    """The legal action that a bot's answer names.

    Raises `BotFault`: `illegal_action` for what is not in the list, `malformed` for what is no action of the game.
    """
    named = answer.action
    if isinstance(named, int):
        if named < len(legal):
            return legal[named]
        raise BotFault(Cause.ILLEGAL_ACTION, f"turn {turn}: expected an index below {len(legal)}, got {named}")
    action = _decode(game, named, legal, turn)
    for allowed in legal:
        # Tuples of two kinds of action may be equal; only the type tells them apart.
        if allowed is action or (type(allowed) is type(action) and allowed == action):
            return allowed
    raise BotFault(
        Cause.ILLEGAL_ACTION, f"turn {turn}: expected one of the {len(legal)} legal actions, got {_shown(named)}"
    )


def _decode(game: Game, named: dict[str, Any], legal: Sequence[Action], turn: int) -> Action:
    try:
        return game.decode(named)
    except ActionError as error:
        reason = str(error)
    except Exception:
        # What a bot writes never voids a match, even if the game's reader trips over it; but if that is what the
        # arena itself writes for a legal action, the reader is broken and the bot is not to blame.
        if any(game.encode(allowed) == named for allowed in legal):
            raise
        reason = f"expected an action of {game.key}"
    raise BotFault(Cause.MALFORMED, f"turn {turn}: {reason}, got {_shown(named)}")


def _shown(named: dict[str, Any]) -> str:
    return quote(encode(named))
