"""Makes a user namespace, in which it would be root."""

import ctypes
import os

from playing import tries

libc = ctypes.CDLL(None, use_errno=True)


def unshare():
    child = os.fork()
    if child == 0:
        os._exit(0 if libc.unshare(0x10000000) == 0 else 1)
    return os.waitpid(child, 0)[1] == 0


tries(unshare)
