"""Starts a helper that opens a session of its own, and plays on."""

import os
import time

from playing import answer, turns

for message in turns():
    if os.fork() == 0:
        try:
            os.setsid()
        except OSError:
            pass
        time.sleep(3600)
    answer(message)
