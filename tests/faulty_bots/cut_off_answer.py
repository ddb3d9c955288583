"""Ends in the middle of its answer."""

import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "turn":
        print('{"action":0}', end="", flush=True)
        sys.exit(0)
