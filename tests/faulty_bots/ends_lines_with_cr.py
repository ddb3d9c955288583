"""Ends its lines as Windows does, which is allowed."""

from playing import always

always('{"action":0}\r')
