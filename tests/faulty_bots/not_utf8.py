"""Answers in Latin-1."""

from playing import always

always(b'{"action":0,"note":"caf\xe9"}')
