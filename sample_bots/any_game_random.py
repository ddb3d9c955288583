#!/usr/bin/env python3
"""Play a random legal action of any game. The bot knows no rules.

It shows what all games have in common: each `turn` message lists the legal actions, and a valid answer is the index of
one of them. Use it to fill a league that has few bots.
"""

import json
import sys
from random import Random


def main() -> None:
    """Answer messages until the arena closes the input."""
    luck = Random()
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            # The bot keeps nothing from one match to the next, so one process may play many matches (`reuse`).
            print(json.dumps({"type": "ready", "reuse": True}), flush=True)
        elif message["type"] == "start":
            luck = Random(message["seed"])
        elif message["type"] == "turn":
            print(json.dumps({"action": luck.randrange(len(message["legal"]))}), flush=True)


if __name__ == "__main__":
    main()
