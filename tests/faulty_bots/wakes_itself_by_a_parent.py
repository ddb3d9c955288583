"""Computes in its opponents' turns: a child is dying, and the kernel then sends SIGCONT to the child's own child."""

import ctypes
import os
import signal

from playing import answer, buries, dies_slowly, turns

TELL_OF_PARENTS_DEATH = 1

libc = ctypes.CDLL(None, use_errno=True)
thinking = 0
for message in turns():
    if thinking:
        os.kill(thinking, signal.SIGKILL)  # or the limit of processes would be met
    buries()
    reading, writing = os.pipe()
    if os.fork() == 0:
        if (pid := os.fork()) == 0:
            libc.prctl(TELL_OF_PARENTS_DEATH, int(signal.SIGCONT))
            while True:
                sum(range(1000))
        os.write(writing, b"%8d" % pid)
        dies_slowly(writing, megabytes=40)
    os.close(writing)
    thinking = int(os.read(reading, 8))
    os.read(reading, 1)
    os.close(reading)
    answer(message)
