"""Exits while a child continues to write answers."""

import os
import sys

from playing import say, turns

for _ in turns():
    told, tell = os.pipe()
    if os.fork() == 0:
        say('{"action":0}\n' * 9)
        os.close(tell)
        while True:
            say('{"action":0}')
    os.close(tell)
    os.read(told, 1)
    sys.exit(3)
