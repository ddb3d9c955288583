"""Starts a daemon with a session of its own and no pipes, and ends."""

import os
import sys
import time

from playing import turns

for _ in turns():
    if os.fork() == 0:
        try:
            os.setsid()
        except OSError:
            pass
        os.closerange(0, 10)
        if os.fork() == 0:
            time.sleep(3600)
        os._exit(0)
    sys.exit(0)
