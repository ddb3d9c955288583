"""Answers late in its first turn only: if a league forgives one late answer, it plays on."""

import json
import sys
import time

hurried = False
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "turn":
        if not hurried:
            time.sleep(0.6)
        hurried = True
        print(json.dumps({"action": 0, "turn": message["turn"]}), flush=True)
