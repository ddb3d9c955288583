"""Reads memory that is not there."""

import ctypes

from playing import turns

for _ in turns():
    ctypes.string_at(8)
