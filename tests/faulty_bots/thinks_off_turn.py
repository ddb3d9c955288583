"""Computes in its opponents' turns, in a thread."""

import threading

from playing import answer, turns


def think():
    while True:
        sum(range(1000))


thread = threading.Thread(target=think, daemon=True)
for message in turns():
    if not thread.is_alive():
        thread.start()
    answer(message)
