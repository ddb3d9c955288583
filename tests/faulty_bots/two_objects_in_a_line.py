"""Answers with two objects in one line."""

from playing import always

always('{"action":0}{"action":1}')
