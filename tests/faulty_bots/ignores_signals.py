"""Ignores every signal that can be ignored, and never answers its turn."""

import contextlib
import json
import signal
import sys
import time

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "turn":
        for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
            with contextlib.suppress(OSError):
                signal.signal(number, signal.SIG_IGN)
        while True:
            time.sleep(3600)
