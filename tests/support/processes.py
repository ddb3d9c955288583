"""Start real processes of bots for tests, and find them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from arena.sandbox.launcher import Sandbox
from arena.transport.base import (
    Launch,
)
from arena.transport.process import BotProcess


@contextlib.contextmanager
def started(sandbox: Sandbox, *command: str) -> Iterator[BotProcess]:
    transport = BotProcess(Launch(command, "/usr", sandbox))
    try:
        yield transport
    finally:
        assert transport.close(polite=False).survivors == 0


def soon(transport: BotProcess, seconds: float = 10.0) -> float:
    return transport.clock() + seconds


def family(mark: str) -> dict[int, str]:
    """Every process whose command line holds the mark -> its state."""
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if mark.encode() in (process / "cmdline").read_bytes():
                state = (process / "stat").read_text().rpartition(") ")[2][0]
                if b"bwrap" not in (process / "comm").read_bytes():
                    found[int(process.name)] = state
    return found
