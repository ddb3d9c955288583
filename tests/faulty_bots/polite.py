"""Does everything right: plays the legal action that its seed and the turn select. The reference for all others."""

import json
import sys

seed = 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "start":
        seed = message["seed"]
    elif message["type"] == "turn":
        choice = (seed + message["turn"]) % len(message["legal"])
        print(json.dumps({"action": choice, "turn": message["turn"]}), flush=True)
