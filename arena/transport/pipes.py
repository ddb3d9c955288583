"""The three pipes of one bot: write messages without blocking, read lines with one poll and deadline, drain stderr."""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from arena.transport.base import OUTPUT_CAP, EndOfOutput, HeadAndTail, LineTooLong

PIPE_BYTES: Final = 1 << 20
"""Capacity of a bot's input pipe in bytes. Every message of the arena fits."""
_READ: Final = 65_536
_MOST_READS: Final = 16
"""Number of reads of stderr at once. The pipe holds less, but a bot that is not frozen may fill it meanwhile."""


class Pipes:
    """The input, the output and the stderr of one bot, and the end of its process."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        clock: Callable[[], float],
        exit_descriptor: int,
        lives_on: Callable[[], bool],
    ) -> None:
        """Take over the pipes of a process, and also watch this pidfd, because a child may outlive the bot.

        `lives_on` returns whether the bot still runs after the end of its output.
        """
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        self.clock = clock
        self._streams = (process.stdin, process.stdout, process.stderr)
        self._in, self._out, self._err = (stream.fileno() for stream in self._streams)
        for descriptor in (self._in, self._out, self._err):
            os.set_blocking(descriptor, False)
        # The kernel refuses this if the pipes of the user are too large already. Then a message is written in parts.
        with contextlib.suppress(OSError):
            fcntl.fcntl(self._in, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._poll.register(self._err, select.POLLIN)
        # A child process may hold the output open after the bot has exited. In a sandbox it dies with the bot.
        self._exit: int | None = exit_descriptor
        self._poll.register(exit_descriptor, select.POLLIN)
        self._lives_on = lives_on
        self._buffer = bytearray()
        self._pending = bytearray()
        self._input_ends = False
        self._ended = False
        self._stderr_ended = False
        self._stderr = HeadAndTail()

    def send(self, message: bytes) -> float:
        """Write as many bytes as the pipe accepts; see `Transport`."""
        if self._pending:
            self._pending += message
            return self.clock()
        try:
            written = os.write(self._in, message)
        except BlockingIOError:
            written = 0
        except BrokenPipeError:  # the bot no longer reads, but the arena still validates its output
            return self.clock()
        moment = self.clock()
        if written < len(message):
            self._pending += memoryview(message)[written:]
            self._poll.register(self._in, select.POLLOUT)
        return moment

    def end_input(self) -> None:
        """Close the bot's input as soon as all sent messages are written."""
        self._input_ends = True
        if not self._pending:
            self._streams[0].close()

    def drop_input(self) -> None:
        """Close the bot's input at once. The messages that are not written yet are discarded."""
        if self._pending:
            self._poll.unregister(self._in)
            self._pending.clear()
        self.end_input()

    def wait(self, deadline: float) -> bytes | None:
        """Poll all pipes until a line, the end of the output, or the deadline; see `Transport`."""
        if self._buffer and (line := self._take_line()) is not None:
            return line
        while True:
            if self._ended:
                raise EndOfOutput(alive=self._lives_on())
            left = deadline - self.clock()
            ready = self._poll.poll(left * 1000 if left > 0 else 0)
            if not ready and left <= 0:
                return None
            for descriptor, _ in ready:
                if descriptor == self._out:
                    if (line := self._read_output()) is not None:
                        return line
                elif descriptor == self._err:
                    self._drain_stderr()
                elif descriptor == self._in:
                    self._write_pending()
                else:
                    if (line := self._read_last_words()) is not None:
                        return line

    def waiting(self) -> bytes:
        """Poll all pipes once without blocking; see `Transport`."""
        if not self._buffer:
            for descriptor, _ in self._poll.poll(0):
                if descriptor == self._out:
                    self._fill()
                elif descriptor == self._err:
                    self._drain_stderr()
                elif descriptor == self._in:
                    self._write_pending()
        return bytes(self._buffer[:1024]) if self._buffer else b""

    def take_waiting(self) -> bytes:
        """Return and remove the whole buffer, for readers that do not need lines."""
        taken = bytes(self._buffer)
        self._buffer.clear()
        return taken

    def interests(self) -> Sequence[tuple[int, int]]:
        """Return the descriptors that are worth polling; see `Transport`."""
        found = [] if self._ended else [(self._out, select.POLLIN)]
        if not self._stderr_ended:
            found.append((self._err, select.POLLIN))
        if self._pending:
            found.append((self._in, select.POLLOUT))
        if self._exit is not None:
            found.append((self._exit, select.POLLIN))
        return found

    def watch_exit(self, descriptor: int | None) -> None:
        """Watch the process of another pidfd from now on; None for no process."""
        if self._exit is not None:
            with contextlib.suppress(KeyError):  # it has ended already
                self._poll.unregister(self._exit)
        self._exit = descriptor
        if descriptor is not None:
            self._poll.register(descriptor, select.POLLIN)

    def see_off(self, exit_descriptor: int, deadline: float) -> None:
        """Wait for the end of the process of this pidfd until the deadline. The bot's output is discarded meanwhile."""
        # Register the descriptor again: `wait` unregisters it when it notices the exit.
        self._poll.register(exit_descriptor, select.POLLIN)
        while (left := deadline - self.clock()) > 0:
            for descriptor, _ in self._poll.poll(left * 1000):
                if descriptor == exit_descriptor:
                    return
                if descriptor == self._err:
                    self._drain_stderr()
                elif self._fill():
                    self._buffer.clear()  # a full pipe must not block the bot

    def has_same_output(self, pid: int) -> bool:
        """Return whether the stdout of this process is still the pipe. Raises `OSError` if that is not known."""
        ours, theirs = os.fstat(self._out), Path(f"/proc/{pid}/fd/1").stat()
        return (theirs.st_dev, theirs.st_ino) == (ours.st_dev, ours.st_ino)

    def last_words(self) -> bytes:
        """Read everything that is in the pipe of stderr, and return its head and tail."""
        while not self._stderr_ended and self._drain_stderr():
            pass
        return self._stderr.read()

    def take_stderr(self, size: int) -> bytes:
        """Return and forget what was written to stderr; see `Transport`."""
        for _ in range(_MOST_READS):
            if self._stderr_ended or not self._drain_stderr():
                break
        taken = self._stderr.read(size)
        self._stderr = HeadAndTail()
        return taken

    def close(self) -> None:
        """Close all three pipes."""
        for stream in self._streams:
            stream.close()

    def _read_output(self) -> bytes | None:
        try:
            data = os.read(self._out, _READ)
        except BlockingIOError:
            return None
        if not self._buffer and data.find(b"\n") == len(data) - 1 and data:
            return data[:-1]
        if not data:
            self._end_output()
            return None
        self._buffer += data
        return self._take_line()

    def _fill(self) -> bool:
        try:
            data = os.read(self._out, _READ)
        except BlockingIOError:
            return False
        if not data:
            self._end_output()
        self._buffer += data
        return bool(data)

    def _end_output(self) -> None:
        # A pipe at its end is always ready, so the poll would return at once for ever.
        self._poll.unregister(self._out)
        self._ended = True

    def _read_last_words(self) -> bytes | None:
        """Read the rest after the bot's own process has exited. Later output of its child processes does not count."""
        assert self._exit is not None
        self._poll.unregister(self._exit)
        while not self._ended and len(self._buffer) <= OUTPUT_CAP and self._fill():
            pass
        if not self._ended:
            self._end_output()
        return self._take_line() if self._buffer else None

    def _take_line(self) -> bytes | None:
        end = self._buffer.find(b"\n")
        if end > OUTPUT_CAP or (end < 0 and len(self._buffer) > OUTPUT_CAP):
            raise LineTooLong
        if end < 0:
            return None
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        return line

    def _drain_stderr(self) -> bool:
        try:
            data = os.read(self._err, _READ)
        except BlockingIOError:
            return False
        if data:
            self._stderr.add(data)
            return True
        self._poll.unregister(self._err)
        self._stderr_ended = True
        return False

    def _write_pending(self) -> None:
        try:
            written = os.write(self._in, self._pending)
        except BlockingIOError:
            return
        except BrokenPipeError:
            written = len(self._pending)
        del self._pending[:written]
        if not self._pending:
            self._poll.unregister(self._in)
            if self._input_ends:
                self.end_input()
