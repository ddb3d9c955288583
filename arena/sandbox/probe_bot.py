"""The probe bot: try to break each layer of the sandbox, quickly and without harm if a layer is missing.

`probe` runs this file as a program with the Python of the bots, so it imports nothing of the arena. Its arguments are
those of `main`, with the limits as NAME=NUMBER. It prints `broke NAME by HOW` for each broken layer, and at the end
`tried`.
"""

from __future__ import annotations

import _thread
import mmap
import os
import socket
import sys
from collections.abc import Callable


def main(port: int, door: str, limits: dict[str, int]) -> None:
    """Attack every layer. `port` is a TCP port of the host's loopback, or 0; `door` is an abstract Unix socket.

    The limits are those of `arena.transport.base.Limits`, by name.
    """
    _attempt("namespaces", "seeing others", _see_others)
    _attempt("no-network", "a port", lambda: port > 0 and socket.create_connection(("127.0.0.1", port), timeout=1.0))
    _attempt("no-network", "a socket without a file", lambda: socket.socket(socket.AF_UNIX).connect("\0" + door))
    # An ordinary user may make both calls: only the filter refuses them.
    _attempt("seccomp", "memory without a name", lambda: os.memfd_create("trial"))
    _attempt("seccomp", "its priority", lambda: os.setpriority(os.PRIO_PROCESS, 0, os.getpriority(os.PRIO_PROCESS, 0)))
    _attempt("group", "a session", lambda: _in_child(os.setsid))
    _attempt("group", "a group", lambda: _in_child(lambda: os.setpgid(0, 0)))
    _attempt("unprivileged", "becoming root", lambda: os.setuid(0))
    _attempt("memory-limit", "more memory", lambda: _map(limits["memory_mb"] << 20))
    _attempt("file-limit", "a larger file", lambda: _write_at(limits["file_mb"] << 20))
    _attempt("file-limit", "more files", lambda: _open(limits["open_files"]))
    _attempt("scratch-limit", "more content", lambda: _fill(limits["scratch_mb"] << 20))
    _attempt("process-limit", "more threads", lambda: _start(limits["processes"]))
    os.write(1, b"tried\n")
    os._exit(0)  # the threads never end


def _attempt(name: str, how: str, action: Callable[[], object]) -> None:
    """Run the action. If it raises no error and does not return False, report that it broke the layer."""
    try:
        if action() is not False:
            os.write(1, f"broke {name} by {how}\n".encode())
    except (OSError, MemoryError, RuntimeError):  # the last when no thread can be started
        return
    except (ValueError, AttributeError):  # the attempt is impossible here, so the layer must not be trusted
        os.write(1, f"broke {name} by an attempt that cannot be made here\n".encode())


def _map(size: int) -> None:
    """Map private memory without touching it, so that the kernel allocates no page."""
    mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS).close()


def _see_others() -> bool:
    return any(name.isdigit() and int(name) != os.getpid() for name in os.listdir("/proc"))  # noqa: PTH208


def _in_child(action: Callable[[], object]) -> bool:
    pid = os.fork()
    if pid == 0:
        try:
            action()
        except OSError:
            os._exit(1)
        os._exit(0)
    return os.waitpid(pid, 0)[1] == 0


def _scratch() -> int:
    """Return the descriptor of a new, already unlinked file in the scratch folder."""
    path = os.environ["HOME"] + "/trial"
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    os.unlink(path)  # noqa: PTH108
    return descriptor


def _write_at(place: int) -> None:
    """Write a single byte at this position. The hole before it takes no space."""
    descriptor = _scratch()
    try:
        os.pwrite(descriptor, b"x", place)
    finally:
        os.close(descriptor)


def _fill(size: int) -> None:
    descriptor = _scratch()
    try:
        written = 0
        while written <= size:
            written += os.write(descriptor, bytes(65536))
    finally:
        os.close(descriptor)


def _open(count: int) -> None:
    """Open this number of files in addition to those that are open."""
    opened: list[int] = []
    try:
        while len(opened) < count:
            opened += [os.open("/dev/null", os.O_RDONLY)]
    finally:
        for descriptor in opened:
            os.close(descriptor)


def _start(count: int) -> None:
    """Start this number of threads in addition to this one. Threads count as processes do, and start faster."""
    _thread.stack_size(262_144)  # larger stacks would reach the memory limit first; some machines allow no less
    closed = _thread.allocate_lock()
    closed.acquire()
    for _ in range(count):
        _thread.start_new_thread(closed.acquire, ())


if __name__ == "__main__":
    given = (argument.split("=") for argument in sys.argv[3:])
    main(int(sys.argv[1]), sys.argv[2], {name: int(value) for name, value in given})
