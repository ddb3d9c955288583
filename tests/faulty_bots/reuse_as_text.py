"""Sends a string for `reuse`, which must be true or false."""

from playing import answer, turns

for message in turns(ready='{"type":"ready","reuse":"yes"}'):
    answer(message)
