"""Count the results between two versions and the results of each seat. The order of the matches does not matter.

Two versions meet in every match that has both. The version that is ranked higher gets the point; a tie gives each
half a point.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import fsum

from arena.model.records import FinishedMatch
from arena.ratings.intervals import Z_95


@dataclass(frozen=True, slots=True)
class Meeting:
    """The results of one version against another."""

    meetings: int
    wins: int
    draws: int

    @property
    def losses(self) -> int:
        """Meetings in which the other version was ahead."""
        return self.meetings - self.wins - self.draws

    @property
    def share(self) -> float:
        """Share of the points that this version won."""
        return (2 * self.wins + self.draws) / (2 * self.meetings)


def head_to_head(matches: Iterable[FinishedMatch]) -> dict[tuple[int, int], Meeting]:
    """Return the results for every ordered pair of versions that have met."""
    counts: dict[tuple[int, int], list[int]] = {}
    for match in matches:
        for one, own in zip(match.versions, match.ranks, strict=True):
            for other, its in zip(match.versions, match.ranks, strict=True):
                if one == other:
                    continue
                count = counts.setdefault((one, other), [0, 0, 0])
                count[0] += 1
                count[1] += own < its
                count[2] += own == its
    return {pair: Meeting(*count) for pair, count in sorted(counts.items())}


@dataclass(frozen=True, slots=True)
class SeatLine:
    """The results of the bots in one seat."""

    seat: int
    share: float
    """Share of opponents beaten, with a tie as one half; a share of one half is no advantage."""
    low: float
    """Lower end of the 95 % interval, with encounters as blocks; `high` is the upper end."""
    high: float
    firsts: float
    """Share of the matches in which this seat was ranked first, alone or tied."""


@dataclass(frozen=True, slots=True)
class SeatReport:
    """Results by seat for one number of seats."""

    seats: int
    matches: int
    """Number of matches in whole encounters. Other matches are skipped: there, some bot has not had every seat."""
    left_out: int
    blocks: int
    lines: tuple[SeatLine, ...]
    probability: float | None
    """Probability that equal seats would differ as much as this or more; None if there are too few encounters."""


def by_seat(matches: Iterable[FinishedMatch]) -> list[SeatReport]:
    """Return a report for each number of seats.

    In a whole encounter each bot has had every seat equally often on the same seed, so that strength cancels out.
    Hotelling's T^2 tests the remaining differences. Its samples are encounters, because the rotations of one encounter
    are not independent.
    """
    blocks: dict[tuple[int, tuple[int, int]], list[FinishedMatch]] = {}
    for number, match in enumerate(matches):
        encounter = match.encounter or (-1, number)
        blocks.setdefault((len(match.versions), encounter), []).append(match)
    counts = sorted({seats for seats, _ in blocks})
    return [_report(seats, [block for (found, _), block in blocks.items() if found == seats]) for seats in counts]


def _report(seats: int, blocks: Sequence[Sequence[FinishedMatch]]) -> SeatReport:
    import numpy as np

    whole = [block for block in blocks if _is_whole(block, seats)]
    matches = sum(len(block) for block in whole)
    left_out = sum(len(block) for block in blocks) - matches
    if not whole:
        return SeatReport(seats, 0, left_out, 0, (), None)
    # Sort, so that sums do not depend on the order of the matches.
    values = np.array(
        sorted(tuple(fsum(_share(m, s) for m in block) / len(block) for s in range(seats)) for block in whole)
    )
    mean = values.mean(axis=0)
    deviation = values.std(axis=0, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.full(seats, np.inf)
    firsts = [sum(m.ranks[seat] == 0 for block in whole for m in block) / matches for seat in range(seats)]
    lines = tuple(
        SeatLine(seat, float(mean[seat]), max(0.0, float(mean[seat] - Z_95 * deviation[seat])),
                 min(1.0, float(mean[seat] + Z_95 * deviation[seat])), firsts[seat])
        for seat in range(seats)
    )  # fmt: skip
    return SeatReport(seats, matches, left_out, len(whole), lines, _alike(values[:, :-1]))


def _is_whole(block: Sequence[FinishedMatch], seats: int) -> bool:
    """Return whether every bot of the block was in every seat equally often."""
    sat: dict[tuple[int, int], int] = {}
    for match in block:
        for seat, version in enumerate(match.versions):
            sat[version, seat] = sat.get((version, seat), 0) + 1
    return len(sat) == seats * len({version for version, _ in sat}) and len(set(sat.values())) == 1


def _share(match: FinishedMatch, seat: int) -> float:
    own = match.ranks[seat]
    others = [rank for at, rank in enumerate(match.ranks) if at != seat]
    return sum(1.0 if own < rank else 0.5 if own == rank else 0.0 for rank in others) / len(others)


def _alike(values: object) -> float | None:
    """Return the probability of means this far or further from one half, if every true mean is one half."""
    import numpy as np
    from scipy.special import fdtrc

    table = np.asarray(values, dtype=np.float64)
    blocks, free = table.shape
    if blocks <= free + 1:
        return None
    away = table.mean(axis=0) - 0.5
    spread = np.atleast_2d(np.cov(table, rowvar=False))
    if np.linalg.matrix_rank(spread) < free:
        return 1.0 if np.allclose(away, 0.0) else 0.0 if not spread.any() else None
    squared = blocks * away @ np.linalg.solve(spread, away)
    return float(fdtrc(free, blocks - free, squared * (blocks - free) / (free * (blocks - 1))))
