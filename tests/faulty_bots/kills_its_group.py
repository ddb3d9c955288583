"""Kills its process group; as the first process of a sandbox it survives that."""

import os
import signal

from playing import answer, turns

for message in turns():
    os.killpg(0, signal.SIGKILL)
    answer(message)
