"""Answers a moment after the limit and its margin."""

import time

from playing import answer, turns

for message in turns():
    time.sleep(0.45)
    answer(message)
