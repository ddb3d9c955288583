"""Maps twice the memory that it may have, past the allocator."""

import mmap

from playing import tries

tries(lambda: mmap.mmap(-1, 1 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))
