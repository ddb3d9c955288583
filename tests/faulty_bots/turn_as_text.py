"""Answers with a string for the turn."""

from playing import always

always('{"action":0,"turn":"1"}')
