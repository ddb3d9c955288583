"""Answers with the first index behind the list."""

from playing import say, turns

for message in turns():
    say('{"action":%d}' % len(message["legal"]))
