"""Answers with a valid action that is not legal."""

import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "turn":
        print('{"action":{"type":"play","card":250}}', flush=True)
