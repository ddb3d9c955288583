"""Computes in its opponents' turns: a child is dying, and SIGCONT is the signal that reports its end."""

import ctypes
import os
import platform
import signal

from playing import answer, buries, dies_slowly, thinks, turns

CLONE = {"x86_64": 56, "aarch64": 220}
"""Called by its number, since the C library tells the end of children by another signal."""

libc = ctypes.PyDLL(None)
for message in turns():
    thinks()
    buries()
    reading, writing = os.pipe()
    pid = libc.syscall(CLONE[platform.machine()], ctypes.c_long(signal.SIGCONT), 0, 0, 0, 0)
    if pid == 0:
        dies_slowly(writing)
    os.close(writing)
    os.read(reading, 1)
    os.close(reading)
    answer(message)
