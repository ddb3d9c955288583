"""Answers with characters of one to four bytes, which is allowed."""

from playing import always

always('{"action":0,"note":"aé€😀"}')
