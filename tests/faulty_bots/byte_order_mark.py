"""Answers with a byte order mark in front."""

from playing import always

always(b'\xef\xbb\xbf{"action":0}')
