"""BOT_NAME: plays any game of the arena with random actions. Improve `choose`.

The arena starts this program and exchanges lines of JSON with it: one message a line on standard input, one answer a
line on standard output. Print nothing else to standard output. Standard error is stored and shown after a failure.
"""

import json
import random
import sys


def choose(observation, legal, events, rng):
    """Return the index of the action to play.

    observation: all that your seat may know; for its fields see `arena game show GAME --rules`, section Observation.
    legal: all allowed actions, as objects; events: what happened since your last turn.
    """
    return rng.randrange(len(legal))


def main():
    rng = random.Random()
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            # message["game"] and message["options"] name the game. "reuse" means that this process may play further
            # matches, because it carries nothing over from one match to the next. If you do not play the game, answer
            # {"type": "decline"}.
            answer = {"type": "ready", "reuse": True}
        elif message["type"] == "start":
            # A new match. If all random numbers come from the given seed, the match is repeatable.
            rng = random.Random(message["seed"])
            continue
        elif message["type"] == "turn":
            # message["clock"]["remaining_ms"] is the time left for the rest of the match.
            answer = {"action": choose(message["observation"], message["legal"], message["events"], rng)}
        else:
            continue  # "end" reports the result and needs no answer
        # Write line and newline together: print could write them separately, and wake the arena twice.
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
