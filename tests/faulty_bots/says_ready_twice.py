"""Says ready twice."""

from playing import answer, turns

for message in turns(ready='{"type":"ready"}\n{"type":"ready"}'):
    answer(message)
