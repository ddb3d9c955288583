"""Answers with a string as an index."""

from playing import always

always('{"action":"0"}')
