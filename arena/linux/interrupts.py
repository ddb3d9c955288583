"""Signals that end a command: the command first closes its bots, and no further signal interrupts that.

The first signal raises `Interrupted` in the main thread, so that all resources are released. While a bot is started or
closed, the exception waits: it would leave an unknown process. Further signals only print a message.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator
from types import FrameType
from typing import Final

ENDING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

_depth = 0
_waiting: int | None = None
_seen: int | None = None


class Interrupted(KeyboardInterrupt):
    """A signal asks the command to end."""


def _forget() -> None:
    global _depth, _waiting, _seen
    _depth, _waiting, _seen = 0, None, None


os.register_at_fork(after_in_child=_forget)


def install() -> None:
    """Handle these signals, except those that were ignored when the program started (`nohup`)."""
    for number in ENDING:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _take)


def seen() -> int | None:
    """Return the signal that ended the command, or None."""
    return _seen


@contextlib.contextmanager
def whole() -> Iterator[None]:
    """Complete the code inside without interruption. A signal that arrives meanwhile takes effect afterwards."""
    global _depth, _waiting
    _depth += 1
    try:
        yield
    finally:
        _depth -= 1
        if _depth == 0 and _waiting is not None:
            _waiting = None
            raise Interrupted


def _take(number: int, _frame: FrameType | None) -> None:
    global _seen, _waiting
    if _seen is not None:
        with contextlib.suppress(OSError):
            os.write(2, b"\nending the bots, which takes a minute at most\n")  # safe in a signal handler
        return
    _seen = number
    if _depth:
        _waiting = number
    else:
        raise Interrupted
