"""BOT_NAME: plays any game of the arena by choosing at random. Make `choose` clever.

The arena starts this program and talks to it in lines of JSON: one message a line on standard input, one answer a line
on standard output. Print nothing else there; what you print to standard error is kept and shown when something fails.
"""

import json
import random
import sys


def choose(observation, legal, events, rng):
    """The index of the action to play.

    observation: all that your seat may know; its fields: `arena game show GAME --rules`, section Observation.
    legal: every allowed action, as an object; events: what happened since your last turn.
    """
    return rng.randrange(len(legal))


def main():
    rng = random.Random()
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            # message["game"] and message["options"] say what is played. "reuse" means: this process may play further
            # matches, because it keeps nothing from one to the next. To a game that you don't play, answer
            # {"type": "decline"}.
            answer = {"type": "ready", "reuse": True}
        elif message["type"] == "start":
            # A new match. Drawing all luck from the given seed makes a match repeatable.
            rng = random.Random(message["seed"])
            continue
        elif message["type"] == "turn":
            # message["clock"]["remaining_ms"] is what is left for the whole match.
            answer = {"action": choose(message["observation"], message["legal"], message["events"], rng)}
        else:
            continue  # "end" tells the result; nothing is to be answered
        # Line and newline in one piece: print would write them one after the other, and wake the arena twice.
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
