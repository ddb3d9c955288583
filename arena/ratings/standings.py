"""The counts of each version, which do not depend on the order of the matches, and the standings of a night."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from arena.model.causes import Cause
from arena.model.records import Outcome, SeatResult
from arena.ratings.live import Rating

MICROSECONDS = 1_000_000


@dataclass(frozen=True, slots=True)
class Tally:
    """The counts of one version over a set of matches; `a + b` adds two of them.

    All counts are integers, so the order of additions does not matter.
    """

    matches: int = 0
    """Number of finished matches; `no_contests` counts the matches that no seat finished."""
    no_contests: int = 0
    rank_sum: int = 0
    opponents: int = 0
    """Number of opposing seats, over all finished matches."""
    points: int = 0
    """Two points for each opponent ranked behind, one for each tied opponent."""
    wins: int = 0
    draws: int = 0
    losses: int = 0
    """`wins`, `draws` and `losses` count only matches with two seats."""
    turns: int = 0
    time_us: int = 0
    time_max_us: int = 0
    strikes: int = 0
    forfeits: Mapping[Cause, int] = field(default_factory=dict)

    def __add__(self, other: Tally) -> Tally:
        """Return the counts of both sets of matches together."""
        causes = sorted(self.forfeits.keys() | other.forfeits.keys())
        return Tally(
            matches=self.matches + other.matches,
            no_contests=self.no_contests + other.no_contests,
            rank_sum=self.rank_sum + other.rank_sum,
            opponents=self.opponents + other.opponents,
            points=self.points + other.points,
            wins=self.wins + other.wins,
            draws=self.draws + other.draws,
            losses=self.losses + other.losses,
            turns=self.turns + other.turns,
            time_us=self.time_us + other.time_us,
            time_max_us=max(self.time_max_us, other.time_max_us),
            strikes=self.strikes + other.strikes,
            forfeits={cause: self.forfeits.get(cause, 0) + other.forfeits.get(cause, 0) for cause in causes},
        )

    @property
    def mean_rank(self) -> float | None:
        """Return the mean rank, counted from 1 (the best); None before the first finished match."""
        return 1 + self.rank_sum / self.matches if self.matches else None

    @property
    def share(self) -> Fraction | None:
        """Share of all opponents that were beaten, with a tie as one half: 0 to 1, fair for every seat count."""
        return Fraction(self.points, 2 * self.opponents) if self.opponents else None

    @property
    def time_mean_s(self) -> float | None:
        """Mean charged seconds per turn; None before the first turn."""
        return self.time_us / self.turns / MICROSECONDS if self.turns else None

    @property
    def time_max_s(self) -> float | None:
        """The longest charged turn in seconds; None before the first turn."""
        return self.time_max_us / MICROSECONDS if self.turns else None


@dataclass(frozen=True, slots=True)
class Contender:
    """One version, with everything that a leaderboard shows about it except its results."""

    version_id: int
    bot: str
    version: int
    author: str
    newest: bool = True
    """Whether no later version of this bot has played in the matches that the leaderboard shows."""
    withdrawn: bool = False

    @property
    def label(self) -> str:
        """`name:version`."""
        return f"{self.bot}:{self.version}"


@dataclass(frozen=True, slots=True)
class BoardEntry:
    """One version's counts and rating, from which leaderboards and standings are made."""

    contender: Contender
    tally: Tally
    rating: Rating


@dataclass(frozen=True, slots=True)
class Standing:
    """One line of a night's standings."""

    rank: int
    """Rank, counted from 1; equal shares have equal ranks."""
    entry: BoardEntry


def microseconds(seconds: float) -> int:
    """Return whole microseconds, the unit in which times are added."""
    return round(seconds * MICROSECONDS)


def tally_match(outcome: Outcome, results: Sequence[SeatResult]) -> list[Tally]:
    """Return the counts of one match, one `Tally` for each seat."""
    return [_tally_seat(outcome, results, seat) for seat in range(len(results))]


def standings(entries: Iterable[BoardEntry]) -> list[Standing]:
    """Return the order within a night: by share of opponents beaten; versions without a finished match come last."""
    ordered = sorted(entries, key=lambda entry: (-_share(entry), entry.contender.bot, entry.contender.version))
    lines: list[Standing] = []
    for index, entry in enumerate(ordered):
        tied = lines and _share(lines[-1].entry) == _share(entry)
        lines.append(Standing(lines[-1].rank if tied else index + 1, entry))
    return lines


def _share(entry: BoardEntry) -> Fraction:
    share = entry.tally.share
    return Fraction(-1) if share is None else share


def _tally_seat(outcome: Outcome, results: Sequence[SeatResult], seat: int) -> Tally:
    own = results[seat]
    forfeits = {} if own.cause is None else {own.cause: 1}
    used = {
        "turns": own.turns,
        "time_us": microseconds(own.time_total_s),
        "time_max_us": microseconds(own.time_max_s),
        "strikes": own.strikes,
    }
    if outcome is not Outcome.FINISHED:
        return Tally(no_contests=1, forfeits=forfeits, **used)
    others = [result.rank for index, result in enumerate(results) if index != seat]
    behind = sum(rank > own.rank for rank in others)
    level = sum(rank == own.rank for rank in others)
    pair = len(results) == 2
    return Tally(
        matches=1,
        rank_sum=own.rank,
        opponents=len(others),
        points=2 * behind + level,
        wins=behind if pair else 0,
        draws=level if pair else 0,
        losses=1 - behind - level if pair else 0,
        forfeits=forfeits,
        **used,
    )
