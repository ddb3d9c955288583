"""Nests folders deeper than those who remove its scratch folder can count on."""

import os

from playing import answer, turns

os.chdir(os.environ["HOME"])
for message in turns():
    for _ in range(500):
        os.mkdir("d")
        os.chdir("d")
    answer(message)
