"""Computes in its opponents' turns: a dying child closes the terminal of its session, and the kernel then sends SIGCONT
to the session's leader."""

import os
import signal

from playing import answer, buries, dies_slowly, thinks, turns

signal.signal(signal.SIGHUP, signal.SIG_IGN)
terminals = []
for message in turns():
    thinks()
    buries()
    while terminals:
        os.close(terminals.pop())
    try:
        controlling, terminal = os.openpty()
    except OSError:
        answer(message)
        continue
    terminals.append(os.open(os.ttyname(terminal), os.O_RDWR))
    os.close(terminal)
    reading, writing = os.pipe()
    if os.fork() == 0:
        dies_slowly(writing)
    os.close(controlling)
    os.close(writing)
    os.read(reading, 1)
    os.close(reading)
    answer(message)
