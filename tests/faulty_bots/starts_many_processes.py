"""Starts more processes than it may have; if nothing prevents it, it plays on."""

import json
import os
import sys
import time

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "turn":
        for _ in range(200):
            if os.fork() == 0:
                time.sleep(3600)
        print('{"action":0}', flush=True)
