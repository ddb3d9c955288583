"""Starts other programs without a fork of its own (vfork), and plays on."""

import subprocess

from playing import answer, turns

for message in turns():
    for _ in range(5):
        subprocess.Popen(["sleep", "3600"])
    answer(message)
