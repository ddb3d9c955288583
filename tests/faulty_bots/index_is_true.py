"""Answers with true as an index."""

from playing import always

always('{"action":true}')
