"""The fault of a bot: what it loses by. It is no `ArenaError`, which is never a bot's loss."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.errors import Cause

if TYPE_CHECKING:
    from arena.model.clock import TurnTimes


class BotFault(Exception):
    """A bot broke the protocol or its limits.

    `cause` is the verdict, `detail` one line for its author: what was expected, what came (quoted, escaped, cut).
    """

    def __init__(self, cause: Cause, detail: str) -> None:
        super().__init__(f"{cause}: {detail}")
        self.cause = cause
        self.detail = detail
        self.times: TurnTimes | None = None
        """What the turn took that was forfeited; None where there was no turn."""
