"""Ends with the status of a program that was killed, to blame others for it."""

import os

from playing import turns

for _ in turns():
    os._exit(137)
