"""Mounts a file system."""

import ctypes
import os

from playing import tries

libc = ctypes.CDLL(None, use_errno=True)


def mount():
    if libc.mount(b"none", os.environ["HOME"].encode(), b"tmpfs", 0, None) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    libc.umount(os.environ["HOME"].encode())


tries(mount)
