"""Answers with one key twice."""

from playing import always

always('{"action":1,"action":0}')
