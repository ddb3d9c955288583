"""A bot that makes system calls by number, each in a child of its own; prints what the kernel answers.

Its arguments are calls as JSON: name -> the number and up to six arguments.
"""

import ctypes
import json
import os
import sys

libc = ctypes.PyDLL(None, use_errno=True)
report = {}
for name, numbers in json.loads(sys.argv[1]).items():
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        result = libc.syscall(*(ctypes.c_long(number) for number in numbers))
        os.write(writing, b"%d" % (ctypes.get_errno() if result == -1 else 0))
        os._exit(0)
    os.close(writing)
    status = os.waitpid(pid, 0)[1]
    answer = os.read(reading, 10)
    os.close(reading)
    report[name] = int(answer) if answer and status == 0 else None
print(json.dumps(report))
