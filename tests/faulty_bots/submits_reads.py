"""Submits thousands of reads to the kernel, which continues them for minutes after the process was killed."""

import ctypes
import os
import struct

from playing import call, tries


def submit():
    context = ctypes.c_ulong(0)
    call("io_setup", ctypes.c_uint(8), ctypes.byref(context))
    file = os.open(__file__, os.O_RDONLY)
    buffer = ctypes.create_string_buffer(4096)
    # data, key and flags, opcode of a read, priority, file, buffer, length, offset, and nothing more
    wanted = struct.pack("=QIIHhIQQqQII", 0, 0, 0, 0, 0, file, ctypes.addressof(buffer), 4096, 0, 0, 0, 0)
    read = ctypes.create_string_buffer(wanted, 64)
    reads = (ctypes.c_void_p * 1)(ctypes.addressof(read))
    call("io_submit", context, ctypes.c_long(1), reads)


tries(submit)
