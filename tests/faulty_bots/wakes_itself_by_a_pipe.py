"""Computes in its opponents' turns: a child is dying, and SIGCONT is the signal that reports the end of its pipe."""

import fcntl
import os
import signal

from playing import answer, buries, dies_slowly, thinks, turns

signal.signal(signal.SIGCONT, lambda number, frame: None)
pipes = []
for message in turns():
    thinks()
    buries()
    while pipes:
        os.close(pipes.pop())
    reading, writing = os.pipe()
    telling, told = os.pipe()
    if os.fork() == 0:
        dies_slowly(told)
    os.close(writing)
    os.close(told)
    os.read(telling, 1)
    os.close(telling)
    try:
        fcntl.fcntl(reading, fcntl.F_SETSIG, signal.SIGCONT)
        fcntl.fcntl(reading, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(reading, fcntl.F_SETFL, os.O_ASYNC)
    except OSError:
        pass
    pipes.append(reading)
    answer(message)
