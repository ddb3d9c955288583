"""Answers with an integer that 64 bits cannot hold."""

from playing import always

always('{"action":0,"value":18446744073709551616}')
