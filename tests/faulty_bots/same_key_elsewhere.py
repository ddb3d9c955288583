"""Answers with one key in several objects, which is allowed."""

from playing import always

always('{"x":{"action":1},"y":[{"action":2}],"action":0}')
