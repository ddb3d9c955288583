"""Gives the kernel advice about its memory by the call that is meant for other processes."""

import ctypes
import mmap
import os

from playing import call, tries

COLD = 20


def advise():
    memory = mmap.mmap(-1, 1 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    vector = (ctypes.c_size_t * 2)(start, 1 << 20)
    own = os.pidfd_open(os.getpid())
    call("process_madvise", ctypes.c_int(own), vector, ctypes.c_size_t(1), ctypes.c_int(COLD), ctypes.c_uint(0))


tries(advise)
