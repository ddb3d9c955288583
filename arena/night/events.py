"""The events that a night reports while it runs. They are frozen values, which a listener prints or writes as JSON."""

from __future__ import annotations

from dataclasses import dataclass

from arena.model.causes import Cause
from arena.model.records import Outcome
from arena.ratings.live import Rating
from arena.store.values import Night, NightCounts


@dataclass(frozen=True, slots=True)
class NightOpened:
    """A night starts or resumes."""

    night: Night
    entrants: tuple[str, ...]
    """The entrants that play now, as `name:version`, without those that have left the night."""
    matches: int
    """Number of matches that the night will have if no entrant leaves."""
    resumed: bool
    done: int = 0
    """Number of these matches that are done."""


@dataclass(frozen=True, slots=True)
class SeatsLeftOut:
    """A seat count of the league that is skipped because there are too few entrants."""

    seats: int
    bots: int


@dataclass(frozen=True, slots=True)
class RoundPlanned:
    """The next round is stored, and its first match starts."""

    number: int
    matches: int


@dataclass(frozen=True, slots=True)
class SeatDone:
    """One seat of a finished match."""

    label: str
    rank: int
    cause: Cause | None
    detail: str


@dataclass(frozen=True, slots=True)
class MatchDone:
    """A match has a result, which is stored soon afterwards."""

    match_id: str
    outcome: Outcome
    turns: int
    seats: tuple[SeatDone, ...]
    unkillable: tuple[str, ...] = ()
    """Bots with a process that survived SIGKILL, as `name:version`. The result is valid anyway."""


@dataclass(frozen=True, slots=True)
class MatchVoided:
    """A match is void: it failed because of the arena or its host."""

    match_id: str
    cause: str
    attempt: int
    parked: bool
    """Whether the match is parked. If not, it is played again."""


@dataclass(frozen=True, slots=True)
class BotSuspended:
    """A bot is suspended for the rest of the night."""

    label: str
    forfeits: int
    """Number of forfeits in a row, in schedule order; 0 if they are not the reason."""
    from_round: int
    reason: str


@dataclass(frozen=True, slots=True)
class EntrantAdded:
    """A bot was added to the running night."""

    label: str
    from_round: int
    replaced: str | None
    """The older version of the bot, which leaves the night."""


@dataclass(frozen=True, slots=True)
class EntrantDropped:
    """A bot was removed from the running night."""

    label: str
    from_round: int


@dataclass(frozen=True, slots=True)
class WorkersChanged:
    """From the next round on, this number of matches is played at the same time."""

    count: int


@dataclass(frozen=True, slots=True)
class OutOfTime:
    """The night stops here, because its next round would end after the night's time limit."""

    matches: int
    """Number of matches in that round."""
    expected_s: float | None
    """Expected duration of that round; None if it cannot be predicted."""
    left_s: float


@dataclass(frozen=True, slots=True)
class Leader:
    """One line of the provisional standings."""

    label: str
    rating: Rating


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of the night, reported about twice a second while matches end."""

    done: int
    total: int
    rate: float
    """Matches per second in the last half minute."""
    left_s: float | None
    """Expected time until the end of the night; None while it cannot be predicted."""
    running: int
    leaders: tuple[Leader, ...]
    """All rated entrants by rating. Ratings include the results up to the first unplayed match in schedule order."""


@dataclass(frozen=True, slots=True)
class NightClosed:
    """The night is over: all matches are played or parked."""

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
