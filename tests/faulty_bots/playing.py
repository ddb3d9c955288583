"""The shared code of the faulty bots: a polite bot, in which each of them does one thing wrong."""

import ctypes
import json
import mmap
import os
import platform
import sys
import threading

CALLS = {
    "x86_64": {"io_setup": 206, "io_submit": 209, "move_pages": 279, "process_madvise": 440},
    "aarch64": {"io_setup": 0, "io_submit": 2, "move_pages": 239, "process_madvise": 440},
}


def turns(ready='{"type":"ready"}'):
    """Greet, then give every turn message; all others are read and forgotten."""
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            say(ready)
        elif message["type"] == "turn":
            yield message


def say(line):
    """Write one line, text or bytes, at once and in one piece as far as the pipe takes it."""
    data = (line.encode() if isinstance(line, str) else line) + b"\n"
    while data:
        data = data[os.write(1, data) :]


def answer(message, note=None):
    """Answer politely, with a note if there is something to tell."""
    told = {} if note is None else {"note": note}
    say(json.dumps({"action": 0, "turn": message["turn"], **told}))


def always(line):
    """Answer every turn with this line."""
    for _ in turns():
        say(line)


def tries(attempt):
    """Play politely, make the attempt once, and tell in a note what became of it: done, or refused and by what."""
    outcome = None
    for message in turns():
        if outcome is None:
            try:
                outcome = "refused: it came to nothing" if attempt() is False else "done"
            except Exception as error:
                outcome = f"refused: {type(error).__name__}: {error}"
        answer(message, outcome)


def thinks():
    """Think for ever, in a thread; asked again, it goes on."""
    if threading.active_count() == 1:
        threading.Thread(target=_think, daemon=True).start()


def _think():
    while True:
        sum(range(1000))


def dies_slowly(tells=None, megabytes=60):
    """End this process, which takes the kernel some milliseconds: it has much memory to give back."""
    mapped = mmap.mmap(-1, megabytes << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | mmap.MAP_POPULATE)
    if tells is not None:
        os.write(tells, b"x")
    mapped.find(b"x", 0, 1)
    os._exit(0)


def buries():
    """Bury all dead children, of whatever kind: they would count as processes until the limit is met."""
    any_kind = 0x40000000  # __WALL of waitpid(2)
    try:
        while os.waitpid(-1, os.WNOHANG | any_kind) != (0, 0):
            pass
    except ChildProcessError:
        pass


def targets():
    """What is worth looking for on this host, as an attacker may guess it: paths, a process id, ports."""
    with open("targets.json") as file:
        return json.load(file)


def call(name, *arguments):
    """Make a system call by its number, since Python does not offer it. Raises `OSError`."""
    number = CALLS[platform.machine()][name]
    result = ctypes.CDLL(None, use_errno=True).syscall(ctypes.c_long(number), *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
