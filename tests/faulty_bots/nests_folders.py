"""Nests folders so deeply that simple code cannot remove its scratch folder."""

import os

from playing import answer, turns

os.chdir(os.environ["HOME"])
for message in turns():
    for _ in range(500):
        os.mkdir("d")
        os.chdir("d")
    answer(message)
