"""Maps memory of the shared kind, which no limit of a process counts."""

import mmap

from playing import tries

tries(lambda: mmap.mmap(-1, 1 << 20))
