"""Answers with the last index of the list, which is allowed."""

from playing import say, turns

for message in turns():
    say('{"action":%d}' % (len(message["legal"]) - 1))
