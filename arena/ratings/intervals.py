"""The constant of all 95 % intervals."""

from __future__ import annotations

from typing import Final

Z_95: Final = 1.959963984540054
"""A normal variable is within this many standard deviations of its mean with a probability of 95 %."""
