"""Sends a line that is longer than any message may be."""

import json
import sys
import time

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "turn":
        sys.stdout.write("x" * 200_000)
        sys.stdout.flush()
        time.sleep(3600)
