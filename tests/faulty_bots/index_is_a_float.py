"""Answers with a float as an index."""

from playing import always

always('{"action":0.0}')
