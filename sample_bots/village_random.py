#!/usr/bin/env python3
"""Play a random legal action of Please Don't Burn My Village!: the smallest bot that follows the whole protocol.

Each line of input is one JSON object. Each `hello` and each `turn` needs one line of output as its answer. Print
nothing else to standard output (for debugging use `print(..., file=sys.stderr)`), and flush every answer.
"""

import json
import sys
from random import Random
from typing import Any


def say(message: dict[str, Any]) -> None:
    """Write one answer. Without the flush it would stay in a buffer while the clock runs."""
    print(json.dumps(message), flush=True)


def main() -> None:
    """Answer messages until the arena closes the input."""
    luck = Random()
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            # `reuse`: this process may play further matches, since the bot keeps nothing from one match to the next.
            say({"type": "ready", "reuse": True} if message["game"] == "burn_my_village" else {"type": "decline"})
        elif message["type"] == "start":
            luck = Random(message["seed"])  # so the same match gets the same answers
        elif message["type"] == "turn":
            say({"action": luck.randrange(len(message["legal"]))})  # the index of an action in the list


if __name__ == "__main__":
    main()
