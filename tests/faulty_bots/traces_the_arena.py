"""Attaches itself to the arena as a debugger would."""

import ctypes
import os

from playing import targets, tries

libc = ctypes.CDLL(None, use_errno=True)
SEIZE = 0x4206


def trace():
    child = os.fork()
    if child == 0:
        # Its end lets the arena go again.
        os._exit(0 if libc.ptrace(SEIZE, targets()["arena"], None, None) == 0 else 1)
    return os.waitpid(child, 0)[1] == 0


tries(trace)
