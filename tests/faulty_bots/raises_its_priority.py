"""Asks for a higher priority."""

import os

from playing import tries

tries(lambda: os.nice(-5))
