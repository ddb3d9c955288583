"""Closes its output on its first turn and continues to run."""

import json
import os
import sys
import time

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "turn":
        os.close(1)
        time.sleep(3600)
