"""Writes more into its scratch folder than that may hold."""

import os

from playing import tries


def fill():
    for number in range(3):
        with open(os.path.join(os.environ["HOME"], f"fill{number}"), "wb") as file:
            for _ in range(30):
                file.write(bytes(1 << 20))


tries(fill)
