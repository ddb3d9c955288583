"""Answers hello with bytes that are not text."""

from playing import answer, turns

for message in turns(ready=bytes(range(128, 256))):
    answer(message)
