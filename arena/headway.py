"""How far a night is, how fast it goes on, and what follows from that.

>>> headway = Headway(0.0, done=0, total=100)
>>> headway.done = 30
>>> headway.mark(10.0)
>>> headway.rate, round(headway.left_s, 1)
(3.0, 23.3)
"""

from __future__ import annotations

from collections import deque
from typing import Final

_RATE_S: Final = 30.0
"""The rate is that of the last so many seconds."""
_AHEAD_S: Final = 0.1
"""Workers have orders in hand for about this long: the parent may be busy storing meanwhile."""
_MOST_AHEAD: Final = 64
"""So many orders fit into a worker's pipe (1 kB each, of 200), so that the parent need not wait for it to read."""


class Headway:
    """Matches that are done out of all, and the moments at which so many were."""

    def __init__(self, now: float, done: int, total: int) -> None:
        self.done = done
        """Matches that are settled in this night, one way or another."""
        self.total = total
        """Matches that the whole night is expected to have."""
        self._marks: deque[tuple[float, int]] = deque([(now, done)])

    def mark(self, now: float) -> None:
        """Note how many are done at this moment."""
        self._marks.append((now, self.done))
        while now - self._marks[0][0] > _RATE_S and len(self._marks) > 2:
            self._marks.popleft()

    @property
    def rate(self) -> float:
        """Matches a second, of late."""
        (since, before), (now, done) = self._marks[0], self._marks[-1]
        return (done - before) / (now - since) if now > since else 0.0

    @property
    def left_s(self) -> float | None:
        """How long the rest takes at this rate; None while there is none."""
        rate = self.rate
        return (self.total - self.done) / rate if rate > 0 else None

    def depth(self, workers: int) -> int:
        """How many orders each worker should have in hand.

        >>> Headway(0.0, done=0, total=9).depth(workers=2)
        1
        """
        return max(1, min(_MOST_AHEAD, 1 + int(_AHEAD_S * self.rate / workers)))
