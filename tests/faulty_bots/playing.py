"""What the faulty bots share: a polite bot, in which each of them does one thing wrong."""

import json
import os
import sys


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


def targets():
    """What is worth looking for on this host, as an attacker may guess it: paths, a process id, ports."""
    with open("targets.json") as file:
        return json.load(file)
