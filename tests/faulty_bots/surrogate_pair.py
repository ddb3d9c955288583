"""Answers with a whole surrogate pair, which is allowed."""

from playing import always

always(r'{"action":0,"note":"\ud83d\ude00"}')
