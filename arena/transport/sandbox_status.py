"""What the sandbox's monitor tells about the bot that it has started: JSON lines, read as they are asked for."""

from __future__ import annotations

import json
import os
import select
from typing import Final

_TOLD_S: Final = 1.0
"""The bot's process id follows the start of the sandbox within milliseconds, or never."""


class SandboxStatus:
    """The reading end of the monitor's messages; whoever gave the descriptor closes it."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._text = b""

    def bot(self) -> int:
        """The bot's first process as this host counts; 0 if the sandbox never got so far."""
        while b"\n" not in self._text and self._read(_TOLD_S):
            pass
        return next((message["child-pid"] for message in self._messages() if "child-pid" in message), 0)

    def has_run(self) -> bool:
        """Whether the bot's command was really executed; known when the monitor has ended."""
        while self._read(0.0):
            pass
        return any("exit-code" in message for message in self._messages())

    def _read(self, patience_s: float) -> bool:
        waiting = select.poll()
        waiting.register(self._descriptor, select.POLLIN)
        if not waiting.poll(patience_s * 1000):
            return False
        data = os.read(self._descriptor, 4096)
        self._text += data
        return bool(data)

    def _messages(self) -> list[dict[str, int]]:
        whole_lines = self._text.rpartition(b"\n")[0]  # a monitor that was killed may have left half of one
        return [json.loads(line) for line in whole_lines.splitlines() if line.strip()]
