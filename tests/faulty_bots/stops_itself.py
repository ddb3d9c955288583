"""Stops itself by a signal; as the first process of a sandbox it cannot."""

import os
import signal

from playing import answer, turns

for message in turns():
    os.kill(os.getpid(), signal.SIGSTOP)
    answer(message)
