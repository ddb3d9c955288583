"""Allocates twice the memory of its limit; if nothing prevents it, it plays on."""

import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "turn":
        hoard = bytes(1 << 30)
        print('{"action":0}', flush=True)
