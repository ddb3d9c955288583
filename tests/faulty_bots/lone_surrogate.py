"""Answers with half of a surrogate pair."""

from playing import always

always(r'{"action":0,"note":"\ud83d"}')
