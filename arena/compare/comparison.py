"""Compare a new version of a bot with an old one: play blocks of matches until a sequential test has a verdict.

A block is all matches on one seed, so both versions have the random effects that these matches share. Without other
bots, the two versions take alternate seats, then swap seats (with an odd number of seats: in all rotations). The value
of such a block is the share of pairings that the new version won. With other bots, each version takes each seat in turn
against the same opponents. The value is then one half plus half the difference between the shares of opponents that the
two versions beat. Verdicts count blocks in their order, so they do not depend on the number of workers. Results are
stored in a separate folder, and the next call resumes from there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final

from arena.compare.contest import Contest, block_matches, block_value
from arena.compare.kept_blocks import KeptBlocks
from arena.errors import ArenaFault
from arena.model.causes import Cause
from arena.model.records import MatchOrder, MatchRecord
from arena.model.seeds import match_seed
from arena.ratings.sprt import SequentialTest, Verdict
from arena.workers.pool import Player, Workers, WorkerSettings

ATTEMPTS: Final = 2
"""Number of times that a match is played if it is void; after the last one, its block is skipped."""
NEVER_PLAYED: Final = 5
"""Number of forfeits after which a version that has not finished a single match ends the comparison."""
_BLOCKS_AHEAD: Final = 4
"""Number of blocks per worker in one batch: a bot process can be reused for the next block, and few blocks are wasted
if the verdict comes early."""


@dataclass(slots=True)
class Conduct:
    """How often one version played, and how often it forfeited."""

    played: int = 0
    """Number of seats that it had in all matches."""
    causes: Counter[str] = field(default_factory=Counter)
    """Number of its forfeits by cause."""
    streak: int = 0
    """Number of its last seats in a row that were forfeits."""
    detail: str = ""
    """What the arena found at its last forfeit."""

    @property
    def forfeits(self) -> int:
        """Return the number of its forfeits."""
        return self.causes.total()

    def add(self, cause: str | None, detail: str) -> None:
        """Count one seat of one match."""
        self.played += 1
        if cause is None:
            self.streak = 0
            return
        self.causes[cause] += 1
        self.streak += 1
        self.detail = detail or Cause(cause).meaning

    def finished_none(self) -> bool:
        """Return whether it had a seat, and forfeited all of its matches."""
        return self.forfeits == self.played > 0


@dataclass(frozen=True, slots=True)
class ComparisonStanding:
    """The state of a comparison."""

    verdict: Verdict | None
    """None if there can be no verdict, because a version does not play."""
    blocks: int
    matches: int
    share: float | None
    """Share of the points that the new version won; one half if both are equal."""
    interval: tuple[float, float]
    ratio: float
    left_out: int
    """Number of blocks that were skipped because the arena or its host failed."""
    conduct: tuple[Conduct, Conduct]
    """Matches and forfeits of the new version and of the old version."""
    histogram: dict[float, int]


@dataclass(frozen=True, slots=True)
class Hall:
    """The means to play the matches: what plays them, and on which workers."""

    player: Player
    workers: int = 1
    pin: bool = True
    sandbox: tuple[str, ...] = ()
    report: Callable[[ComparisonStanding], None] = lambda _standing: None


class Comparison:
    """A running comparison."""

    def __init__(self, contest: Contest, kept: KeptBlocks) -> None:
        self.contest = contest
        self.kept = kept
        self.test = SequentialTest(contest.bounds)
        self._matches = self._left_out = 0
        self._conduct = (Conduct(), Conduct())
        self._cause = ""
        for line in kept.blocks:
            self._count(line)

    @property
    def standing(self) -> ComparisonStanding:
        """The present state."""
        test = self.test
        decided = test.verdict is not Verdict.UNDECIDED
        silent = self._forfeits_repeatedly or (decided and any(one.finished_none() for one in self._conduct))
        return ComparisonStanding(
            None if silent else test.verdict, test.blocks, self._matches, test.share, test.interval, test.ratio,
            self._left_out, self._conduct, test.histogram,
        )  # fmt: skip

    @property
    def _forfeits_repeatedly(self) -> bool:
        """Return whether a version forfeits so often that a night would suspend it, or has never played."""
        return any(
            one.streak >= self.contest.rules.suspend_after or (one.finished_none() and one.forfeits >= NEVER_PLAYED)
            for one in self._conduct
        )

    @property
    def _over(self) -> bool:
        return self.test.verdict is not Verdict.UNDECIDED or self._forfeits_repeatedly

    def play(self, hall: Hall, most_matches: int) -> ComparisonStanding:
        """Play until the test has a verdict, or until another block would exceed `most_matches`; return the state.

        A version that forfeits again and again ends the comparison without a verdict.

        Raises `ArenaFault` if no block could be played.
        """
        most_blocks = most_matches // self.contest.matches_a_block
        batch = hall.workers * _BLOCKS_AHEAD
        with Workers(WorkerSettings(hall.workers, hall.pin, (self.kept.lock.give_up,)), hall.player) as workers:
            for first in count(len(self.kept.blocks), batch):
                numbers = range(first, min(first + batch, most_blocks))
                if not numbers or self._over:
                    break
                played = self._play_blocks(workers, hall, numbers)
                for number in numbers:
                    self._count(self.kept.add(number, played[number]))
                    if self._over:
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
            details = match.get("details") or [""] * len(match["causes"])  # older arenas did not store them
            for conduct, seats in zip(self._conduct, (planned.new, planned.old), strict=True):
                for seat in seats:
                    conduct.add(match["causes"][seat], details[seat])

    def _play_blocks(
        self, workers: Workers, hall: Hall, numbers: Iterable[int]
    ) -> dict[int, Sequence[MatchRecord] | None]:
        """Return the records of these blocks; None for a block with a match that was void in every attempt."""
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
        """Return the orders: first match 0 of every block, then match 1 of every block, and so on.

        A reused bot process then plays the next block, and never meets the same seed again.
        """
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
