"""A bot that makes system calls by number, each in a child of its own; prints what the kernel answers.

Its arguments are calls as JSON: name -> the number and up to six arguments.
"""

import ctypes
import json
import os
import sys


def answer(numbers: list[int]) -> int | None:
    """The error of a call, 0 for none; None if it ended the process."""
    libc = ctypes.PyDLL(None, use_errno=True)
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        result = libc.syscall(*(ctypes.c_long(number) for number in numbers))
        os.write(writing, b"%d" % (ctypes.get_errno() if result == -1 else 0))
        os._exit(0)
    os.close(writing)
    status = os.waitpid(pid, 0)[1]
    told = os.read(reading, 10)
    os.close(reading)
    return int(told) if told and status == 0 else None


if __name__ == "__main__":
    print(json.dumps({name: answer(numbers) for name, numbers in json.loads(sys.argv[1]).items()}))
