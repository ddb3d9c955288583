"""Is the new version of a bot better than the old one? Blocks of matches until a sequential test is sure.

A block is all matches on one seed: whatever luck they share, both versions have it. Without other bots the two sit
alternately at the table, in every rotation and with changed places; its value is the part of pairings that the new
version won. Against a field, each of the two takes each seat in turn beside the same opponents; its value is one half
plus half the difference of the parts of opponents beaten. Verdicts count blocks in their order, so that the number of
workers changes nothing. Results lie in a folder of their own, and the next call goes on from there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Final

from arena.compare.contest import Contest, block_matches, block_value
from arena.compare.kept_blocks import KeptBlocks
from arena.errors import ArenaFault
from arena.model.records import MatchOrder, MatchRecord
from arena.model.seeds import match_seed
from arena.ratings.sprt import SequentialTest, Verdict
from arena.workers.pool import Player, Workers, WorkerSettings

ATTEMPTS: Final = 2
"""A block with a match that the arena or its host spoiled so often is left out."""
_BLOCKS_AHEAD: Final = 4
"""Blocks a worker gets at once: its bots may stay alive from one to the next, and few are played in vain."""


@dataclass(frozen=True, slots=True)
class ComparisonStanding:
    """How a comparison stands."""

    verdict: Verdict
    blocks: int
    matches: int
    share: float | None
    """The new version's part: one half where both are equal."""
    interval: tuple[float, float]
    ratio: float
    left_out: int
    """Blocks that the arena or its host spoiled."""
    forfeits: tuple[int, int]
    """Of the new and of the old version."""
    histogram: dict[float, int]


@dataclass(frozen=True, slots=True)
class Hall:
    """Where and how the matches are played."""

    player: Player
    workers: int = 1
    pin: bool = True
    sandbox: tuple[str, ...] = ()
    report: Callable[[ComparisonStanding], None] = lambda _standing: None


class Comparison:
    """A contest that is being played."""

    def __init__(self, contest: Contest, kept: KeptBlocks) -> None:
        self.contest = contest
        self.kept = kept
        self.test = SequentialTest(contest.bounds)
        self._matches = self._left_out = 0
        self._forfeits = [0, 0]
        self._cause = ""
        for line in kept.blocks:
            self._count(line)

    @property
    def standing(self) -> ComparisonStanding:
        """How it stands now."""
        test = self.test
        return ComparisonStanding(
            test.verdict, test.blocks, self._matches, test.share, test.interval, test.ratio, self._left_out,
            (self._forfeits[0], self._forfeits[1]), test.histogram,
        )  # fmt: skip

    def play(self, hall: Hall, most_matches: int) -> ComparisonStanding:
        """Play until the test is sure, or until another block would be more than so many matches."""
        most_blocks = most_matches // self.contest.matches_a_block
        batch = hall.workers * _BLOCKS_AHEAD
        with Workers(WorkerSettings(hall.workers, hall.pin, (self.kept.lock.give_up,)), hall.player) as workers:
            for first in count(len(self.kept.blocks), batch):
                numbers = range(first, min(first + batch, most_blocks))
                if not numbers or self.test.verdict is not Verdict.UNDECIDED:
                    break
                played = self._play_blocks(workers, hall, numbers)
                for number in numbers:
                    self._count(self.kept.add(number, played[number]))
                    if self.test.verdict is not Verdict.UNDECIDED:
                        break
                if self._left_out == len(self.kept.blocks):
                    raise ArenaFault(f"no block of the comparison could be played, the last for {self._cause}")
                hall.report(self.standing)
        return self.standing

    def _count(self, line: dict[str, Any]) -> None:
        if line["matches"] is None:
            self._left_out += 1
            return
        played = block_matches(self.contest, self.kept.seed, line["block"])
        self._matches += len(played)
        self.test.add(block_value(self.contest, played, [match["ranks"] for match in line["matches"]]))
        for planned, match in zip(played, line["matches"], strict=True):
            for side, seats in enumerate((planned.new, planned.old)):
                self._forfeits[side] += sum(match["causes"][seat] is not None for seat in seats)

    def _play_blocks(
        self, workers: Workers, hall: Hall, numbers: Iterable[int]
    ) -> dict[int, Sequence[MatchRecord] | None]:
        """The records of these blocks, None for one that was spoiled."""
        orders = {order.position: order for order in self._orders(hall, numbers)}
        waiting = iter(list(orders.values()))
        again: list[MatchOrder] = []
        records: dict[int, MatchRecord] = {}
        attempts: dict[int, int] = {}
        while True:
            for slot in workers.free:
                order = again.pop() if again else next(waiting, None)
                if order is not None:
                    workers.submit(order, slot)
            if not workers.running:
                break
            for played in workers.wait():
                if isinstance(played, MatchRecord):
                    records[played.position] = played
                    continue
                attempts[played.position] = attempts.get(played.position, 0) + 1
                if attempts[played.position] < ATTEMPTS:
                    again.append(orders[played.position])
                else:
                    self._cause = played.cause
        found: dict[int, Sequence[MatchRecord] | None] = {}
        for number in numbers:
            of_block = [records.get(self._position(number, match)) for match in range(self.contest.matches_a_block)]
            complete = [record for record in of_block if record is not None]
            found[number] = complete if len(complete) == len(of_block) else None
        return found

    def _orders(self, hall: Hall, numbers: Iterable[int]) -> list[MatchOrder]:
        """Match by match of all blocks: bots that stay alive may go on to the next block, never to the same seed."""
        blocks = {number: block_matches(self.contest, self.kept.seed, number) for number in numbers}
        first = next(iter(blocks))
        return [
            MatchOrder(
                match_id=f"compare-{number}-{match}",
                seed=match_seed(self.kept.seed, number),
                rules=self.contest.rules,
                programs=blocks[number][match].programs,
                round=first,
                rotation=match,
                sandbox=hall.sandbox,
                position=self._position(number, match),
            )
            for match in range(self.contest.matches_a_block)
            for number in blocks
        ]

    def _position(self, block: int, match: int) -> int:
        """Return the position of a match among the matches of all blocks."""
        return block * self.contest.matches_a_block + match
