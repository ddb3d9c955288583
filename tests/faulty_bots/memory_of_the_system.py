"""Makes a shared memory segment of System V, which would outlive it."""

import ctypes
import os

from playing import tries

libc = ctypes.CDLL(None, use_errno=True)


def share():
    segment = libc.shmget(0, 1 << 20, 0o1600)
    if segment < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    libc.shmctl(segment, 0, None)  # removed again, so that a host that allows it stays clean


tries(share)
