"""Goes on thinking while others are on turn: a child is just dying, and its own child is sent the signal to go on."""

import ctypes
import os
import signal

from playing import answer, dies_slowly, turns

TELL_OF_PARENTS_DEATH = 1

libc = ctypes.CDLL(None, use_errno=True)
for message in turns():
    reading, writing = os.pipe()
    if os.fork() == 0:
        if os.fork() == 0:
            libc.prctl(TELL_OF_PARENTS_DEATH, int(signal.SIGCONT))
            while True:
                sum(range(1000))
        dies_slowly(writing, megabytes=40)
    os.close(writing)
    os.read(reading, 1)
    os.close(reading)
    answer(message)
