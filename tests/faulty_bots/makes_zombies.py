"""Starts children that end, and never waits for them."""

import os

from playing import answer, turns

for message in turns():
    for _ in range(30):
        try:
            if os.fork() == 0:
                os._exit(0)
        except OSError:
            break
    answer(message)
