"""Becomes root."""

import os

from playing import tries

tries(lambda: os.setuid(0))
