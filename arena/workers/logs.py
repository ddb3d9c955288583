"""One rotating log file for a whole night: the parent writes it, workers send their records over their own pipes.

Every line carries the match that it is about, tracebacks included, so that `grep MATCH arena.log` tells its story.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Final

from multiprocessing_logging import MultiProcessingHandler

from arena.text.sanitize import terminal

LOGGER: Final = logging.getLogger("arena")
"""Parent of all loggers of the arena; nothing is written unless a log is open."""
LOG_FILE: Final = "arena.log"
_FILE_BYTES: Final = 4 << 20
_OLD_FILES: Final = 4
_NO_MATCH: Final = "-"

_current: ContextVar[str] = ContextVar("match", default=_NO_MATCH)

LOGGER.addHandler(logging.NullHandler())


@contextlib.contextmanager
def about_match(match_id: str) -> Iterator[None]:
    """Records that are made inside carry this match id."""
    token = _current.set(match_id)
    try:
        yield
    finally:
        _current.reset(token)


@contextlib.contextmanager
def night_log(folder: Path, level: int = logging.INFO) -> Iterator[Path]:
    """The log file, open for the arena's records of this process and of the workers that it starts."""
    path = folder / LOG_FILE
    handler = _LogFile(path, maxBytes=_FILE_BYTES, backupCount=_OLD_FILES, encoding="utf-8", errors="backslashreplace")
    handler.setFormatter(_MatchLines())
    handler.addFilter(_stamp)
    before = LOGGER.level, LOGGER.propagate
    LOGGER.addHandler(handler)
    LOGGER.setLevel(level)
    LOGGER.propagate = False
    try:
        yield path
    finally:
        LOGGER.level, LOGGER.propagate = before
        LOGGER.removeHandler(handler)
        handler.close()


def send_records(send: Callable[[logging.LogRecord], None]) -> None:
    """In a freshly forked worker: the arena's records go to `send`, and to nobody's file."""
    for handler in list(LOGGER.handlers):
        LOGGER.removeHandler(handler)
    handler = WorkerHandler(send)
    handler.addFilter(_stamp)
    LOGGER.addHandler(handler)
    LOGGER.propagate = False


def take_record(record: logging.LogRecord) -> None:
    """In the parent: write a record that a worker sent."""
    LOGGER.handle(record)


class WorkerHandler(MultiProcessingHandler):  # type: ignore[misc]
    """A `MultiProcessingHandler` of one worker alone, whose records travel over the pipe that its results take.

    The original's queue has a lock that all writers share: a worker that is killed while it holds it silences all
    others, and its reader is a thread, which must not run where workers are forked. A pipe of one's own has neither,
    and a record written before a result arrives before it.
    """

    def __init__(self, send: Callable[[logging.LogRecord], None]) -> None:
        logging.Handler.__init__(self)  # not the original's: it makes the queue and starts the thread
        self._deliver = send

    def _send(self, record: logging.LogRecord) -> None:
        self._deliver(record)

    def handleError(self, record: logging.LogRecord) -> None:
        """Leave the record out: the parent is gone, and a worker never prints."""

    def close(self) -> None:
        """Nothing waits to be sent: each record is in the pipe when `emit` returns."""
        logging.Handler.close(self)


class _LogFile(RotatingFileHandler):
    """A log that cannot be written (a full disk) is no reason to disturb a night or its display."""

    def handleError(self, record: logging.LogRecord) -> None:
        """Leave the record out."""

    def close(self) -> None:
        """Close it even if its last lines cannot be written."""
        with contextlib.suppress(OSError):
            super().close()


class _MatchLines(logging.Formatter):
    """Moment in UTC, level, match, process and text, on each line anew."""

    def format(self, record: logging.LogRecord) -> str:
        text = record.getMessage()
        if record.exc_info and not record.exc_text:
            record.exc_text = self.formatException(record.exc_info)
        if record.exc_text:
            text = f"{text}\n{record.exc_text}"
        moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        match = getattr(record, "match", _NO_MATCH)
        start = f"{moment}.{int(record.msecs):03d}Z {record.levelname} {match} {record.processName}"
        # A log is read in terminals, and holds what bots wrote.
        return "\n".join(f"{start}: {terminal(line)}" for line in text.splitlines() or [""])


def _stamp(record: logging.LogRecord) -> bool:
    if not hasattr(record, "match"):
        record.match = _current.get()
    return True
