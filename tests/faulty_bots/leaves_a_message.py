"""Leaves a message for its next match, and looks for one of its last."""

import os

from playing import tries

NAME = f"message-of-{os.path.basename(__file__)}"
PATHS = [os.path.join(place, NAME) for place in (os.environ["HOME"], "/tmp", "/var/tmp")]


def look():
    found = any(os.path.exists(path) for path in PATHS)
    for path in PATHS:
        try:
            with open(path, "w"):
                pass
        except OSError:
            continue
    return found


tries(look)
