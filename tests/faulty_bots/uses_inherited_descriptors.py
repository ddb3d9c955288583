"""Looks for descriptors that the arena forgot to close."""

import os

from playing import tries


def look():
    with os.scandir("/proc/self/fd") as entries:
        numbers = [int(entry.name) for entry in entries]
    return len(numbers) > 4  # three pipes, and the listing itself


tries(look)
