"""Opens more files than it may, and keeps them open."""

import os

from playing import tries

kept = []


def hoard():
    for _ in range(1000):
        kept.append(os.open("/dev/null", os.O_RDONLY))


tries(hoard)
