"""Leaves a child behind that holds all its pipes, and ends."""

import json
import os
import sys
import time

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "turn":
        if os.fork() == 0:
            time.sleep(3600)
        sys.exit(5)
