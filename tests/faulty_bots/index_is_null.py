"""Answers with null as an index."""

from playing import always

always('{"action":null}')
