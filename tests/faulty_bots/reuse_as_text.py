"""Writes a text where ready wants true or false."""

from playing import answer, turns

for message in turns(ready='{"type":"ready","reuse":"yes"}'):
    answer(message)
