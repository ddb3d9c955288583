"""Lets a child of its own answer, which is allowed."""

import os

from playing import answer, turns

for message in turns():
    child = os.fork()
    if child == 0:
        answer(message)
        os._exit(0)
    os.waitpid(child, 0)
