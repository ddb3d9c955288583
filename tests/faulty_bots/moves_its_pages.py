"""Makes the kernel look up millions of memory pages in one call, which ignores SIGKILL meanwhile."""

import ctypes

from playing import call, tries

COUNT = 1000


def move():
    page = ctypes.create_string_buffer(4096)
    pages = (ctypes.c_void_p * COUNT)(*[ctypes.addressof(page)] * COUNT)
    where = (ctypes.c_int * COUNT)()
    call("move_pages", ctypes.c_int(0), ctypes.c_ulong(COUNT), pages, None, where, ctypes.c_int(0))


tries(move)
