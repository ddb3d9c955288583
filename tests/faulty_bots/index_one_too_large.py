"""Answers with the first index beyond the legal actions."""

from playing import say, turns

for message in turns():
    say('{"action":%d}' % len(message["legal"]))
