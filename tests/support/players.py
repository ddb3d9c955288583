"""A player made of functions, in the place of one that starts bots."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from arena.model.records import MatchOrder, MatchRecord, Unkillable


@dataclass(frozen=True)
class FunctionPlayer:
    """A `Player` that plays with a function; by default it prepares nothing and has nothing to close."""

    play: Callable[[MatchOrder], MatchRecord]
    prepare: Callable[[MatchOrder, int], None] = lambda _order, _until: None
    close: Callable[[], Iterable[Unkillable]] = tuple
