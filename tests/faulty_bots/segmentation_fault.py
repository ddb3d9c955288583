"""Reads memory that does not exist."""

import ctypes

from playing import turns

for _ in turns():
    ctypes.string_at(8)
