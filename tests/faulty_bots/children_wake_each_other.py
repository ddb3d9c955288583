"""Computes in its opponents' turns: its children send SIGCONT to its whole group all the time, so that a process that
is not stopped yet resumes the stopped ones."""

import os
import signal

from playing import answer, turns

CHILDREN = 8

started = False
for message in turns():
    if not started:
        started = True
        for _ in range(CHILDREN):
            if os.fork() == 0:
                while True:
                    try:
                        os.kill(0, signal.SIGCONT)
                    except PermissionError:
                        sum(range(1000))
    answer(message)
