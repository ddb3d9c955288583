"""Answers with U+0000."""

from playing import always

always(r'{"action":0,"note":"\u0000"}')
