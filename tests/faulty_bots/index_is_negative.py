"""Answers with a negative index."""

from playing import always

always('{"action":-1}')
