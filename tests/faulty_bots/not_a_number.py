"""Answers with NaN, which is no JSON."""

from playing import always

always('{"action":0,"value":NaN}')
