"""Computes in its opponents' turns, in a child."""

import os

from playing import answer, turns

helpers = []
for message in turns():
    if not helpers:
        helpers.append(os.fork())
        while helpers == [0]:
            sum(range(1000))
    answer(message)
