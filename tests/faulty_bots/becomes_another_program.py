"""Becomes a program that knows no protocol."""

import os

from playing import turns

for _ in turns():
    os.execvp("sleep", ["sleep", "3600"])
