"""Answers with a text for the turn."""

from playing import always

always('{"action":0,"turn":"1"}')
