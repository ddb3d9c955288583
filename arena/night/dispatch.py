"""Dispatch the matches of a round: neighbours in the plan go to one worker, and no worker waits for another.

A round lists the matches of the same bots close together. A worker that gets a stretch of them can reuse the bots'
processes. Stretches become shorter towards the end of a pass (the matches of one rotation). At the very end, an idle
worker takes matches from the worker with the longest stretch.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from itertools import groupby
from typing import Final

from arena.model.records import PlannedMatch

STRETCH: Final = 32
"""Maximum number of matches in a stretch."""


class Dispatch:
    """The matches of a round that are not dispatched yet.

    >>> plan = [PlannedMatch(position, 0, position, 0, (1, 2)) for position in range(4)]
    >>> dispatch = Dispatch(plan, workers=2)
    >>> [dispatch.take(slot).position for slot in (0, 1, 1, 0)], dispatch.take(0)
    ([0, 1, 2, 3], None)
    """

    def __init__(self, matches: Iterable[PlannedMatch], workers: int) -> None:
        self._passes = deque(deque(group) for _, group in groupby(matches, lambda match: match.rotation))
        self._workers = workers
        self._stretches: dict[int, deque[PlannedMatch]] = {}
        self._again: deque[PlannedMatch] = deque()

    def __len__(self) -> int:
        """Return how many matches are left."""
        stretches = sum(map(len, self._stretches.values()))
        return len(self._again) + stretches + sum(map(len, self._passes))

    def take(self, slot: int) -> PlannedMatch | None:
        """Return the next match for this worker; None if all are dispatched."""
        if self._again:
            return self._again.popleft()
        own = self._stretches.setdefault(slot, deque())
        if not own and self._passes:
            ahead = self._passes[0]
            length = min(STRETCH, max(1, len(ahead) // (2 * self._workers)))
            own.extend(ahead.popleft() for _ in range(length))
            if not ahead:
                self._passes.popleft()
        if own:
            return own.popleft()
        longest = max(self._stretches.values(), key=len)
        return longest.pop() if longest else None

    def again(self, match: PlannedMatch) -> None:
        """Dispatch a void match again, before all others."""
        self._again.append(match)
