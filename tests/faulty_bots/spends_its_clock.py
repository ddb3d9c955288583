"""Keeps within the limit of every turn, but not within its clock."""

import json
import sys
import time

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "turn":
        time.sleep(0.25)
        print('{"action":0}', flush=True)
