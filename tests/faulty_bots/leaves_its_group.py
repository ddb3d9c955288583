"""Moves a helper into a process group of its own, where a signal to its group would not reach it."""

import os

from playing import tries


def leave():
    child = os.fork()
    if child == 0:
        try:
            os.setpgid(0, 0)
            os._exit(0)
        except OSError:
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0


tries(leave)
