"""Writes where other bots and the next match would find it."""

import os

from playing import targets, tries


def write():
    written = False
    for place in ("/", "/usr", "/etc", "/dev", "/var/tmp", "/bot", "/arena", "/arena/engine", *targets()["folders"]):
        path = os.path.join(place, ".written-by-a-bot")
        try:
            with open(path, "w"):
                written = True
            os.unlink(path)
        except OSError:
            continue
    return written


tries(write)
