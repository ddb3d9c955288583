"""Answers with the longest line that is allowed."""

from playing import always

always('{"action":0,"x":"' + "x" * (65_536 - 19) + '"}')
