"""One rotating log file for a whole night: the parent writes it, and workers send their records over their own pipes.

Every line contains the id of its match, also in tracebacks, so that `grep MATCH arena.log` shows the whole match.
"""

from __future__ import annotations

import contextlib
import logging
import os
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Final

from multiprocessing_logging import MultiProcessingHandler

from arena.linux.private import open_private
from arena.text.sanitize import terminal

LOGGER: Final = logging.getLogger("arena")
"""Parent of all loggers of the arena. Nothing is written unless a log is open."""
LOG_FILE: Final = "arena.log"
_FILE_BYTES: Final = 4 << 20
_OLD_FILES: Final = 4
_NO_MATCH: Final = "-"

_current: ContextVar[str] = ContextVar("match", default=_NO_MATCH)

LOGGER.addHandler(logging.NullHandler())


@contextlib.contextmanager
def about_match(match_id: str) -> Iterator[None]:
    """Add this match id to all records that are created inside."""
    token = _current.set(match_id)
    try:
        yield
    finally:
        _current.reset(token)


@contextlib.contextmanager
def night_log(folder: Path, level: int = logging.INFO) -> Iterator[Path]:
    """Open the log file for the records of this process and of the workers that it starts. Yield the path."""
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
    """Pass the arena's records of this newly forked worker to `send`, and write none to a file."""
    for handler in list(LOGGER.handlers):
        LOGGER.removeHandler(handler)
    handler = WorkerHandler(send)
    handler.addFilter(_stamp)
    LOGGER.addHandler(handler)
    LOGGER.propagate = False


def take_record(record: logging.LogRecord) -> None:
    """Write a record that the parent received from a worker."""
    LOGGER.handle(record)


class WorkerHandler(MultiProcessingHandler):  # type: ignore[misc]
    """A `MultiProcessingHandler` for a single worker. Its records travel over the same pipe as its results.

    The original class has a queue with a lock that all writers share: a worker that is killed while it holds the lock
    blocks all others. It also reads the queue in a thread, and no thread may run in a process that forks workers. The
    worker's own pipe has neither problem, and a record that is written before a result arrives before it.
    """

    def __init__(self, send: Callable[[logging.LogRecord], None]) -> None:
        logging.Handler.__init__(self)  # the `__init__` of the original class would create the queue and the thread
        self._deliver = send

    def _send(self, record: logging.LogRecord) -> None:
        self._deliver(record)

    def handleError(self, record: logging.LogRecord) -> None:
        """Drop the record: the parent has exited, and a worker never prints."""

    def close(self) -> None:
        """Close the handler without a flush: each record is in the pipe when `emit` returns."""
        logging.Handler.close(self)


class _LogFile(RotatingFileHandler):
    """A log file whose write errors (such as a full disk) do not disturb a night or its display."""

    def _open(self) -> TextIOWrapper:
        """Open the file, which only its owner may read: it contains output of bots."""
        os.close(open_private(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC))
        return super()._open()

    def handleError(self, record: logging.LogRecord) -> None:
        """Drop the record."""

    def close(self) -> None:
        """Close the file even if its last lines cannot be written."""
        with contextlib.suppress(OSError):
            super().close()


class _MatchLines(logging.Formatter):
    """Start each line of a record with the time in UTC, level, match and process."""

    def format(self, record: logging.LogRecord) -> str:
        text = record.getMessage()
        if record.exc_info and not record.exc_text:
            record.exc_text = self.formatException(record.exc_info)
        if record.exc_text:
            text = f"{text}\n{record.exc_text}"
        moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        match = getattr(record, "match", _NO_MATCH)
        start = f"{moment}.{int(record.msecs):03d}Z {record.levelname} {match} {record.processName}"
        # A log contains output of bots and is read in terminals, so control characters are escaped.
        return "\n".join(f"{start}: {terminal(line)}" for line in text.splitlines() or [""])


def _stamp(record: logging.LogRecord) -> bool:
    if not hasattr(record, "match"):
        record.match = _current.get()
    return True
