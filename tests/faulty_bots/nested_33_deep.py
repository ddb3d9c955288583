"""Answers with arrays nested one level too deep."""

from playing import always

always('{"action":0,"value":' + "[" * 32 + "]" * 32 + "}")
