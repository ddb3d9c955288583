"""Read what the sandbox's monitor reports about the bot that it started: JSON lines, read on demand."""

from __future__ import annotations

import json
import os
import select
from typing import Final

_TOLD_S: Final = 1.0
"""Longest wait for the bot's process id, which arrives within milliseconds after the sandbox starts, or never."""


class SandboxStatus:
    """The reading end of the monitor's messages. The caller closes the descriptor."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._text = b""

    def bot(self) -> int:
        """Return the id of the bot's first process on this host; 0 if the sandbox did not start it."""
        while b"\n" not in self._text and self._read(_TOLD_S):
            pass
        return next((message["child-pid"] for message in self._messages() if "child-pid" in message), 0)

    def has_run(self) -> bool:
        """Return whether the bot's command was really executed. Known after the monitor has exited."""
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
        whole_lines = self._text.rpartition(b"\n")[0]  # a killed monitor may have written an incomplete last line
        return [json.loads(line) for line in whole_lines.splitlines() if line.strip()]
