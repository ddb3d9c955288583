"""Answers with escaped control characters in its note, which is allowed."""

from playing import always

always(r'{"action":0,"note":"\u0001\u001b[2J\r\n"}')
