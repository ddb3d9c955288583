"""Nests folders so deeply that simple code cannot remove its scratch folder.

It does so before it greets: how long the disk takes is then no matter of its clock.
"""

import os

from playing import always

os.chdir(os.environ["HOME"])
for _ in range(1500):
    os.mkdir("d")
    os.chdir("d")
always('{"action":0}')
