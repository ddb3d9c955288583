"""Asks for no list of legal actions, and answers with an index into it."""

from playing import answer, turns

for message in turns(ready='{"type":"ready","legal":"none"}'):
    answer(message)
