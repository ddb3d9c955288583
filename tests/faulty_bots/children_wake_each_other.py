"""Goes on thinking while others are on turn: its children send all of its group the signal to go on, all the time, so
that one that is not stopped yet wakes those that are."""

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
