"""Answers its first turn and reads no more."""

import time

from playing import answer, turns

for message in turns():
    answer(message)
    time.sleep(3600)
