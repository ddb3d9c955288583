"""What a night tells while it runs. Frozen values: whoever listens prints them, or writes them as JSON."""

from __future__ import annotations

from dataclasses import dataclass

from arena.errors import Cause
from arena.model.records import Outcome
from arena.ratings.live import Rating
from arena.store.values import Night, NightCounts


@dataclass(frozen=True, slots=True)
class NightOpened:
    """A night begins, or goes on."""

    night: Night
    entrants: tuple[str, ...]
    """Who plays, as `name:version`: without those who have left it."""
    matches: int
    """How many it will have if nobody leaves."""
    resumed: bool
    done: int = 0
    """How many of them are done already."""


@dataclass(frozen=True, slots=True)
class SeatsLeftOut:
    """A seat count of the league that the field cannot fill."""

    seats: int
    bots: int


@dataclass(frozen=True, slots=True)
class RoundPlanned:
    """The next round is written; its first match begins."""

    number: int
    matches: int


@dataclass(frozen=True, slots=True)
class SeatDone:
    """One seat of a match that was played."""

    label: str
    rank: int
    cause: Cause | None
    detail: str


@dataclass(frozen=True, slots=True)
class MatchDone:
    """A match has a result; it is stored soon after."""

    match_id: str
    outcome: Outcome
    turns: int
    seats: tuple[SeatDone, ...]
    unkillable: tuple[str, ...] = ()
    """Bots with a process that lived on after SIGKILL, as `name:version`; the result stands."""


@dataclass(frozen=True, slots=True)
class MatchVoided:
    """The arena or its host spoiled a match."""

    match_id: str
    cause: str
    attempt: int
    parked: bool
    """Whether it is set aside; else it is played again."""


@dataclass(frozen=True, slots=True)
class BotSuspended:
    """A bot sits out the rest of the night."""

    label: str
    forfeits: int
    """So many in a row, in schedule order; 0 where that is not the reason."""
    from_round: int
    reason: str


@dataclass(frozen=True, slots=True)
class EntrantAdded:
    """A bot was added to the running night."""

    label: str
    from_round: int
    replaced: str | None
    """The older version of it that leaves."""


@dataclass(frozen=True, slots=True)
class EntrantDropped:
    """A bot was taken out of the running night."""

    label: str
    from_round: int


@dataclass(frozen=True, slots=True)
class WorkersChanged:
    """From the next round on, so many matches are played at the same time."""

    count: int


@dataclass(frozen=True, slots=True)
class OutOfTime:
    """The night stops here: its next round would end after the time that it was given."""

    matches: int
    """Of that round."""
    expected_s: float | None
    """How long it is expected to take; None when the time is over in any case."""
    left_s: float


@dataclass(frozen=True, slots=True)
class Leader:
    """One line of the provisional standings."""

    label: str
    rating: Rating


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the night is; comes about twice a second while matches end."""

    done: int
    total: int
    rate: float
    """Matches a second, of the last half minute."""
    left_s: float | None
    """None while nothing can be said."""
    running: int
    leaders: tuple[Leader, ...]
    """All entrants by rating, folded up to the first match in schedule order that is still to be played."""


@dataclass(frozen=True, slots=True)
class NightClosed:
    """All matches are played or parked."""

    night: Night
    counts: NightCounts


NightEvent = (
    NightOpened
    | SeatsLeftOut
    | RoundPlanned
    | MatchDone
    | MatchVoided
    | BotSuspended
    | EntrantAdded
    | EntrantDropped
    | WorkersChanged
    | OutOfTime
    | Progress
    | NightClosed
)
