"""Answers with arrays nested as deeply as is allowed."""

from playing import always

always('{"action":0,"value":' + "[" * 31 + "]" * 31 + "}")
