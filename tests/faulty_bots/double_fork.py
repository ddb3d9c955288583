"""Starts a daemon in the old way, by two forks, and plays on."""

import os
import time

from playing import answer, turns

for message in turns():
    if os.fork() == 0:
        if os.fork() == 0:
            time.sleep(3600)
        os._exit(0)
    os.wait()
    answer(message)
