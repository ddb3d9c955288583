"""Answers with an action that has a field too many."""

import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "turn":
        print('{"action":{"type":"pass","because":"I can"}}', flush=True)
