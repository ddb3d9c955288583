"""Leaves hundreds of files in its scratch folder."""

import os

from playing import answer, turns

for number, message in enumerate(turns()):
    for file in range(200):
        os.close(os.open(os.path.join(os.environ["HOME"], f"file{number}-{file}"), os.O_CREAT))
    answer(message)
