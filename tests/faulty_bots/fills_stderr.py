"""Writes 8 MB to stderr on each turn, then answers as it should: no fault at all."""

import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "turn":
        sys.stderr.write("y" * 8_000_000)
        print('{"action":0}', flush=True)
