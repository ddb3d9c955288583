"""Attaches itself to the arena as a debugger would."""

import ctypes
import os

from playing import targets, tries

libc = ctypes.CDLL(None, use_errno=True)
SEIZE = 0x4206


def trace():
    if libc.ptrace(SEIZE, targets()["arena"], None, None) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


tries(trace)
