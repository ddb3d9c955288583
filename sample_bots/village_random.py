#!/usr/bin/env python3
"""Plays any legal action of Please Don't Burn My Village!: the smallest bot that keeps the whole protocol.

One JSON object comes in on each line, and each `hello` and each `turn` wants one line back. Nothing else may be
printed, not even while debugging (`print(..., file=sys.stderr)` is fine), and every answer must be flushed.
"""

import json
import sys
from random import Random
from typing import Any


def say(message: dict[str, Any]) -> None:
    """Write one answer; without the flush it would wait in a buffer while the clock runs."""
    print(json.dumps(message), flush=True)


def main() -> None:
    """Answer until the arena closes the input."""
    luck = Random()
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            # `reuse`: this process may be given further matches, since nothing is kept from one to the next.
            say({"type": "ready", "reuse": True} if message["game"] == "burn_my_village" else {"type": "decline"})
        elif message["type"] == "start":
            luck = Random(message["seed"])  # the same match then gets the same answers
        elif message["type"] == "turn":
            say({"action": luck.randrange(len(message["legal"]))})  # the place of an action in the list


if __name__ == "__main__":
    main()
