"""What all 95 % intervals have in common."""

from __future__ import annotations

from typing import Final

Z_95: Final = 1.959963984540054
"""95 % of a normal variable lie within so many deviations of its mean."""
