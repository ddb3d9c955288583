"""Answers with a text as an index."""

from playing import always

always('{"action":"0"}')
