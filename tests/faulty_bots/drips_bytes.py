"""Sends its answer a byte at a time, for ever, and so is never done."""

import json
import sys
import time

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "turn":
        while True:
            print(" ", end="", flush=True)
            time.sleep(0.02)
