"""Answers with a blank line."""

from playing import always

always("")
