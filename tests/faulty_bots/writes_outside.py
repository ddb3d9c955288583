"""Writes where other bots and the next match would find it."""

import os

from playing import targets, tries

NAME = f".written-by-{os.path.basename(__file__)}"


def write():
    written = False
    for place in ("/", "/usr", "/etc", "/dev", "/var/tmp", "/bot", "/arena", "/arena/engine", *targets()["folders"]):
        path = os.path.join(place, NAME)
        try:
            with open(path, "w"):
                written = True
            os.unlink(path)
        except OSError:
            continue
    return written


tries(write)
