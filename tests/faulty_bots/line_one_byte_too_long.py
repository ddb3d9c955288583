"""Answers with a line one byte longer than the limit."""

from playing import always

always('{"action":0,"x":"' + "x" * (65_537 - 19) + '"}')
