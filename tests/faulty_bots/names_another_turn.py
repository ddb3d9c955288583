"""Answers the turn after this one."""

import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "turn":
        print(json.dumps({"action": 0, "turn": message["turn"] + 1}), flush=True)
