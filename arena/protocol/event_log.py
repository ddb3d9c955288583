"""The events of one match, kept once in bytes, and told to each seat as it may see them."""

from __future__ import annotations

from collections.abc import Iterable

from arena.protocol.messages import encode
from engine.core import Event


class EventLog:
    """All events of a match, kept once; each seat is told what it has not been told yet, as it may see it."""

    __slots__ = ("_private", "_public", "_told")

    def __init__(self, seats: int) -> None:
        self._public: list[bytes] = []
        self._private: tuple[dict[int, bytes], ...] = tuple({} for _ in range(seats))
        """For each seat: index of an event -> how this seat sees it, where that is more than the public view."""
        self._told = [0] * seats

    def add(self, events: Iterable[Event]) -> None:
        """These happened now, in this order."""
        for event in events:
            for seat in event.private:
                self._private[seat][len(self._public)] = encode(event.seen_by(seat))
            self._public.append(encode(event.seen_by(None)))

    def news(self, seat: int) -> bytes:
        """A JSON array of all that happened since this seat was last told."""
        start = self._told[seat]
        self._told[seat] = len(self._public)
        seen = self._public[start:]
        private = self._private[seat]
        if private:
            for index, event in private.items():
                seen[index - start] = event
            private.clear()
        return b"[%b]" % b",".join(seen)
