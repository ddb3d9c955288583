"""Greets with bytes that are no text."""

from playing import answer, turns

for message in turns(ready=bytes(range(128, 256))):
    answer(message)
