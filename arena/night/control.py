"""Control of a night: a lock that permits one night at a time in a home, a control socket, and a stop request."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import socket
from collections.abc import Callable, Iterator
from enum import IntEnum
from pathlib import Path
from typing import Any, Final

from arena.errors import NightError, StoreError
from arena.linux.lockfile import FileLock, file_lock

LOCK_FILE: Final = "night.lock"
SOCKET_FILE: Final = "night.sock"
_PATIENCE_S: Final = 2.0
"""Longest wait for the other process. It is short, because both belong to one user on one host."""
_MESSAGE_BYTES: Final = 65_536

Answer = Callable[[dict[str, Any]], dict[str, Any]]


class Haste(IntEnum):
    """How soon a night must stop."""

    NONE = 0
    AFTER_ROUND = 1
    AFTER_RUNNING = 2
    """Stop after the matches that have started are finished."""
    NOW = 3
    """Drop the matches that have started. They are played again when the night resumes."""


class Stop:
    """A stop request that a signal handler can make and a poll can wait for. Its haste never decreases."""

    def __init__(self) -> None:
        self._reading, self._writing = os.pipe()
        os.set_blocking(self._reading, False)
        os.set_blocking(self._writing, False)
        self.haste = Haste.NONE

    def ask(self, haste: Haste | None = None) -> Haste:
        """Request a stop and return its haste. By default, as for Ctrl-C: after the running matches, then now."""
        if haste is None:
            haste = Haste.AFTER_RUNNING if self.haste < Haste.AFTER_RUNNING else Haste.NOW
        self.haste = max(self.haste, haste)
        with contextlib.suppress(BlockingIOError):
            os.write(self._writing, b"!")
        return self.haste

    def fileno(self) -> int:
        """Return a descriptor that can be read after `ask`, until `acknowledge` is called."""
        return self._reading

    def acknowledge(self) -> None:
        """Drain the pipe, so that the next `ask` makes it readable again."""
        with contextlib.suppress(BlockingIOError):
            os.read(self._reading, 1024)

    def close(self) -> None:
        """Close the descriptors."""
        os.close(self._reading)
        os.close(self._writing)


@contextlib.contextmanager
def night_lock(folder: Path) -> Iterator[FileLock]:
    """Hold the lock of the home whose `run` folder this is. Raises `NightError` if another process holds it."""
    with file_lock(
        folder / LOCK_FILE,
        lambda holder: NightError(
            f"a night is being played in this home by {holder}: wait for it, or stop it with `arena night stop`"
        ),
    ) as lock:
        yield lock


class ControlSocket:
    """The server side: a socket that only the user may open. A request and its answer are one line of JSON each.

    The socket listens from the start, under a name that no command knows. `open` gives it the name that commands use.
    """

    _answer: Answer

    def __init__(self, folder: Path) -> None:
        self._path = folder / SOCKET_FILE
        self._hidden = folder / f"{SOCKET_FILE}.new"
        self._socket = socket.socket(socket.AF_UNIX)
        try:
            # We hold the lock, so no process listens here. An existing socket is from a dead process.
            self._hidden.unlink(missing_ok=True)
            before = os.umask(0o177)
            try:
                with _short_name(self._hidden) as name:
                    self._socket.bind(name)
            finally:
                os.umask(before)
            self._socket.listen()
            self._socket.setblocking(False)
        except OSError as error:
            self._socket.close()
            raise StoreError(f"the socket {self._path} cannot be created: {error.strerror}") from error

    def open(self, answer: Answer) -> None:
        """Let commands find the socket. `answer` answers every request, from the first on."""
        self._answer = answer
        self._hidden.replace(self._path)

    def fileno(self) -> int:
        """Return a descriptor that can be read when a command connects."""
        return self._socket.fileno()

    def serve(self) -> None:
        """Read and answer one request, if a command has connected. An invalid request gets an error as its answer."""
        with contextlib.suppress(OSError), self._socket.accept()[0] as caller:
            caller.settimeout(_PATIENCE_S)
            try:
                request = json.loads(_line(caller))
                answer = self._answer(request)
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
                answer = {"error": f"the request cannot be read: {error}"}
            caller.sendall(json.dumps(answer).encode() + b"\n")

    def give_up(self) -> None:
        """Close the socket in a forked worker, without removing its file."""
        self._socket.close()

    def close(self) -> None:
        """Stop listening."""
        self._socket.close()
        for path in (self._hidden, self._path):
            path.unlink(missing_ok=True)


def call(folder: Path, request: dict[str, Any]) -> dict[str, Any]:
    """Send a request and return the running night's answer. Raises `NightError` if no night runs, or if it refuses."""
    try:
        # Wait longer here: a night that updates ratings or waits for the disk answers after that.
        with _connected(folder, 15 * _PATIENCE_S) as caller:
            caller.sendall(json.dumps(request).encode() + b"\n")
            received = _line(caller)
        if not received.endswith(b"\n"):
            raise ConnectionResetError(errno.ECONNRESET, "the answer is cut off")
        answer = json.loads(received)
    except ConnectionError as error:
        # The connection closed before an answer. Connecting again raises the right error if the night has just ended.
        with contextlib.suppress(OSError), _connected(folder, _PATIENCE_S):
            pass
        raise NightError(
            "the night that is being played closed the connection before it answered: try again"
        ) from error
    except OSError as error:
        raise NightError(f"the night that is being played does not answer: {error.strerror or error}") from error
    except ValueError as error:
        raise NightError(f"the night that is being played sent an answer that cannot be read: {error}") from error
    if not isinstance(answer, dict):
        raise NightError(f"the night that is being played sent an answer that cannot be understood: {answer!r}")
    if "error" in answer:
        raise NightError(str(answer["error"]))
    return answer


@contextlib.contextmanager
def _connected(folder: Path, patience_s: float) -> Iterator[socket.socket]:
    """Connect to the running night. Raises `NightError` if no night listens in this home."""
    with socket.socket(socket.AF_UNIX) as caller:
        caller.settimeout(patience_s)
        try:
            with _short_name(folder / SOCKET_FILE) as name:
                caller.connect(name)
        except (FileNotFoundError, ConnectionRefusedError) as error:
            raise NightError("no night is being played in this home at the moment") from error
        yield caller


def _line(source: socket.socket) -> bytes:
    received = b""
    while not received.endswith(b"\n") and len(received) < _MESSAGE_BYTES:
        piece = source.recv(4096)
        if not piece:
            break
        received += piece
    return received


@contextlib.contextmanager
def _short_name(path: Path) -> Iterator[str]:
    """Yield a name of the socket that fits into a socket address (about 100 bytes), even if the home's path is long."""
    if len(os.fsencode(path)) < 100:
        yield str(path)
        return
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)
