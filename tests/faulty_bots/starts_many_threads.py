"""Starts more threads than it may have; if nothing prevents it, it plays on."""

import json
import sys
import threading
import time

threading.stack_size(1 << 16)  # or the limit of memory would be reached first
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "turn":
        for _ in range(200):
            threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()
        print('{"action":0}', flush=True)
