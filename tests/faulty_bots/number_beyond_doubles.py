"""Answers with a number that no double can hold."""

from playing import always

always('{"action":0,"value":1e999}')
