"""Answers without an action."""

from playing import always

always('{"note":"I pass"}')
