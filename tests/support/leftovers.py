"""Names for the leftovers of killed commands."""

from __future__ import annotations

from typing import Final

from arena.linux.stale import place_id

DEAD: Final = 4_194_301
"""A number near the highest that the kernel gives, which no process has."""
DEAD_OWNER: Final = f"{place_id()}-{DEAD}-1"
"""The mark of a process of this boot that has ended."""
STRANGER: Final = 65_534
"""Another user."""
