"""Maps the device of zeros as shared memory, which no limit of a process counts."""

import mmap
import os

from playing import tries


def attempt():
    mmap.mmap(os.open("/dev/zero", os.O_RDWR), 1 << 20, mmap.MAP_SHARED)


tries(attempt)
