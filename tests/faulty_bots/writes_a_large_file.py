"""Makes one file that is larger than any may be."""

import os

from playing import tries


def write():
    path = os.path.join(os.environ["HOME"], "large")
    with open(path, "wb") as file:
        file.truncate(65 << 20)
    os.unlink(path)


tries(write)
