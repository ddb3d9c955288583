"""The definition of a comparison, the matches of a block, and the value of a block. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from arena.model.records import Program
from arena.model.rules import LeagueRules
from arena.model.seeds import planning_rng
from arena.ratings.sprt import Bounds


@dataclass(frozen=True, slots=True)
class Contest:
    """The two versions that are compared, and the rules by which they play."""

    new: Program
    old: Program
    rules: LeagueRules
    seats: int
    opponents: tuple[Program, ...] = ()
    """Bots that fill the other seats; if empty, the two versions fill all seats."""
    bounds: Bounds = field(default_factory=Bounds)

    @property
    def matches_a_block(self) -> int:
        """Number of matches in one block, which share a seed."""
        return 2 * self.seats if self.opponents or self.seats % 2 else 2

    def as_json(self) -> dict[str, Any]:
        """Return everything that determines the blocks, except the seed."""
        return {
            "new": [self.new.label, self.new.digest],
            "old": [self.old.label, self.old.digest],
            "rules": self.rules.model_dump(mode="json"),
            "seats": self.seats,
            "opponents": [[program.label, program.digest] for program in self.opponents],
            "bounds": [self.bounds.margin, self.bounds.false_better, self.bounds.false_not_better],
        }


@dataclass(frozen=True, slots=True)
class BlockMatch:
    """One match of a block: the bot in each seat, and which seats count for the new and for the old version."""

    programs: tuple[Program, ...]
    new: tuple[int, ...]
    old: tuple[int, ...]


def block_matches(contest: Contest, seed: bytes, block: int) -> list[BlockMatch]:
    """Return the matches of one block, a pure function of contest, seed and block number."""
    seats = contest.seats
    if contest.opponents:
        rng = planning_rng(seed, f"opponents:{block}")
        others = rng.sample(contest.opponents, seats - 1)
        found = []
        for seat in range(seats):
            found.append(BlockMatch((*others[:seat], contest.new, *others[seat:]), new=(seat,), old=()))
            found.append(BlockMatch((*others[:seat], contest.old, *others[seat:]), new=(), old=(seat,)))
        return found
    turns = range(seats if seats % 2 else 1)
    found = []
    for turn in turns:
        for first in (0, 1):
            # With an odd number of seats one version has one seat more: rotating and swapping balances this.
            new = tuple(seat for seat in range(seats) if ((seat + turn) % seats) % 2 == first)
            old = tuple(seat for seat in range(seats) if seat not in new)
            programs = tuple(contest.new if seat in new else contest.old for seat in range(seats))
            found.append(BlockMatch(programs, new, old))
    return found


def block_value(contest: Contest, played: Sequence[BlockMatch], ranks: Sequence[Sequence[int]]) -> float:
    """Return the value of one block, from 0 (the new version lost everything) to 1 (it won everything)."""
    if not contest.opponents:
        won = [
            _beaten(rank[new], rank[old])
            for match, rank in zip(played, ranks, strict=True)
            for new in match.new
            for old in match.old
        ]
        return sum(won) / len(won)
    shares: dict[bool, list[float]] = {True: [], False: []}
    for match, rank in zip(played, ranks, strict=True):
        own = (match.new or match.old)[0]
        shares[bool(match.new)] += [_beaten(rank[own], other) for seat, other in enumerate(rank) if seat != own]
    return (1.0 + sum(shares[True]) / len(shares[True]) - sum(shares[False]) / len(shares[False])) / 2.0


def _beaten(own: int, other: int) -> float:
    return 0.5 if own == other else float(own < other)
