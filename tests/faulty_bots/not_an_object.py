"""Answers with an array."""

from playing import always

always("[0]")
