#!/usr/bin/env python3
"""Plays any legal action of whatever game it is offered: no rule of any game is in here.

It shows what all games have in common: each `turn` message lists the legal actions, and the place of one of them in
that list is an answer. A league that has few bots can always seat this one.
"""

import json
import sys
from random import Random


def main() -> None:
    """Answer until the arena closes the input."""
    luck = Random()
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            # Nothing is kept from one match to the next, so the process may serve many (`reuse`).
            print(json.dumps({"type": "ready", "reuse": True}), flush=True)
        elif message["type"] == "start":
            luck = Random(message["seed"])
        elif message["type"] == "turn":
            print(json.dumps({"action": luck.randrange(len(message["legal"]))}), flush=True)


if __name__ == "__main__":
    main()
