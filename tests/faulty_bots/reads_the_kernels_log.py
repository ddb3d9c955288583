"""Reads the log of the kernel."""

import ctypes
import os

from playing import tries

libc = ctypes.CDLL(None, use_errno=True)


def read():
    if libc.klogctl(3, ctypes.create_string_buffer(4096), 4096) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


tries(read)
