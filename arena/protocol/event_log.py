"""The events of one match, encoded once, and sent to each seat as the seat may see them."""

from __future__ import annotations

from collections.abc import Iterable

from arena.protocol.messages import encode
from engine.core import Event


class EventLog:
    """All events of a match, each stored once. Each seat gets the events that are new to it, as it may see them."""

    __slots__ = ("_private", "_public", "_told")

    def __init__(self, seats: int) -> None:
        self._public: list[bytes] = []
        self._private: tuple[dict[int, bytes], ...] = tuple({} for _ in range(seats))
        """For each seat: the unsent events of which it sees more than the public view, by index."""
        self._told = [0] * seats

    def add(self, events: Iterable[Event]) -> None:
        """Append the events that happened now, in this order."""
        for event in events:
            for seat in event.private:
                self._private[seat][len(self._public)] = encode(event.seen_by(seat))
            self._public.append(encode(event.seen_by(None)))

    def news(self, seat: int) -> bytes:
        """Return a JSON array of the events since the last call for this seat."""
        start = self._told[seat]
        self._told[seat] = len(self._public)
        seen = self._public[start:]
        private = self._private[seat]
        if private:
            for index, event in private.items():
                seen[index - start] = event
            private.clear()
        return b"[%b]" % b",".join(seen)
