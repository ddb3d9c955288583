"""The exception that makes a bot forfeit. The texts of the causes are in `arena.model.causes`.

It is not an `ArenaError`, because no bot loses by an `ArenaError`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.model.causes import Cause

if TYPE_CHECKING:
    from arena.model.clock import TurnTimes


class BotFault(Exception):
    """A bot broke the protocol or a limit.

    `cause` is the cause of the forfeit. `detail` is one line for the author: what was expected, and what the bot sent
    (quoted, escaped and truncated). `times` are the times of the turn at which the bot forfeited; None if there was no
    turn.
    """

    def __init__(self, cause: Cause, detail: str, times: TurnTimes | None = None) -> None:
        super().__init__(f"{cause}: {detail}")
        self.cause = cause
        self.detail = detail
        self.times = times
