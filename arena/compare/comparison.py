"""Is the new version of a bot better than the old one? Blocks of matches until a sequential test is sure.

A block is all matches on one seed: whatever luck they share, both versions have it. Without other bots the two sit
alternately at the table, in every rotation and with changed places; its value is the part of pairings that the new
version won. Against a field, each of the two takes each seat in turn beside the same opponents; its value is one half
plus half the difference of the parts of opponents beaten. Verdicts count blocks in their order, so that the number of
workers changes nothing. Results lie in a folder of their own, and the next call goes on from there.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Final

from arena.errors import ArenaFault, StoreError
from arena.linux.lockfile import FileLock, file_lock
from arena.model.records import MatchOrder, MatchRecord, Program
from arena.model.rules import LeagueRules
from arena.model.seeds import match_seed, planning_rng
from arena.ratings.sprt import Bounds, SequentialTest, Verdict
from arena.workers.pool import Leave, Play, Workers, WorkerSettings

ATTEMPTS: Final = 2
"""A block with a match that the arena or its host spoiled so often is left out."""
LOCK_FILE: Final = "lock"
"""In the folder of a contest; held by the process that plays it."""
_BLOCKS_AHEAD: Final = 4
"""Blocks a worker gets at once: its bots may stay alive from one to the next, and few are played in vain."""


@dataclass(frozen=True, slots=True)
class Contest:
    """What is compared, and by which rules."""

    new: Program
    old: Program
    rules: LeagueRules
    seats: int
    opponents: tuple[Program, ...] = ()
    """Bots that fill the other seats; empty: the two play each other alone."""
    bounds: Bounds = field(default_factory=Bounds)

    @property
    def matches_a_block(self) -> int:
        """How many matches share a seed."""
        return 2 * self.seats if self.opponents or self.seats % 2 else 2

    def as_json(self) -> dict[str, Any]:
        """All that its blocks depend on but the seed."""
        return {
            "new": [self.new.label, self.new.digest],
            "old": [self.old.label, self.old.digest],
            "rules": self.rules.model_dump(mode="json"),
            "seats": self.seats,
            "opponents": [[program.label, program.digest] for program in self.opponents],
            "bounds": [self.bounds.margin, self.bounds.false_better, self.bounds.false_not_better],
        }


@dataclass(frozen=True, slots=True)
class Tables:
    """One match of a block: who sits where, and which seats count for the new and for the old version."""

    programs: tuple[Program, ...]
    new: tuple[int, ...]
    old: tuple[int, ...]


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

    play: Play
    leave: Leave | None = None
    workers: int = 1
    pin: bool = True
    sandbox: tuple[str, ...] = ()
    report: Callable[[ComparisonStanding], None] = lambda _standing: None


def tables(contest: Contest, seed: bytes, block: int) -> list[Tables]:
    """The matches of one block, a pure function of contest, seed and number."""
    seats = contest.seats
    if contest.opponents:
        rng = planning_rng(seed, f"opponents:{block}")
        others = rng.sample(contest.opponents, seats - 1)
        found = []
        for seat in range(seats):
            found.append(Tables((*others[:seat], contest.new, *others[seat:]), new=(seat,), old=()))
            found.append(Tables((*others[:seat], contest.old, *others[seat:]), new=(), old=(seat,)))
        return found
    turns = range(seats if seats % 2 else 1)
    found = []
    for turn in turns:
        for first in (0, 1):
            # With an odd number of seats one version sits once more often: the turns and changed places even that out.
            new = tuple(seat for seat in range(seats) if ((seat + turn) % seats) % 2 == first)
            old = tuple(seat for seat in range(seats) if seat not in new)
            programs = tuple(contest.new if seat in new else contest.old for seat in range(seats))
            found.append(Tables(programs, new, old))
    return found


def block_value(contest: Contest, played: Sequence[Tables], ranks: Sequence[Sequence[int]]) -> float:
    """What one block says: 0 the new version lost all, 1 it won all."""
    if not contest.opponents:
        won = [
            _beaten(rank[new], rank[old])
            for table, rank in zip(played, ranks, strict=True)
            for new in table.new
            for old in table.old
        ]
        return sum(won) / len(won)
    shares: dict[bool, list[float]] = {True: [], False: []}
    for table, rank in zip(played, ranks, strict=True):
        own = (table.new or table.old)[0]
        shares[bool(table.new)] += [_beaten(rank[own], other) for seat, other in enumerate(rank) if seat != own]
    return (1.0 + sum(shares[True]) / len(shares[True]) - sum(shares[False]) / len(shares[False])) / 2.0


def _beaten(own: int, other: int) -> float:
    return 0.5 if own == other else float(own < other)


@contextlib.contextmanager
def keep_blocks(home: Path, contest: Contest, *, fresh: bool, new_seed: Callable[[], bytes]) -> Iterator[KeptBlocks]:
    """The blocks of a contest, for this process alone. Raises `StoreError` while another one plays the same contest."""
    text = json.dumps(contest.as_json(), sort_keys=True)
    folder = home / hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"the comparison cannot be written to {folder}: {error.strerror}") from error
    with file_lock(
        folder / LOCK_FILE,
        lambda holder: StoreError(f"this comparison is being played by {holder}: wait for it, or end it with Ctrl-C"),
    ) as lock:
        yield KeptBlocks(folder, contest, lock, fresh=fresh, new_seed=new_seed)


class KeptBlocks:
    """The blocks of one contest, kept in a folder: a line of JSON each, and the replays beside it."""

    def __init__(
        self, folder: Path, contest: Contest, lock: FileLock, *, fresh: bool, new_seed: Callable[[], bytes]
    ) -> None:
        self.folder = folder
        self.lock = lock
        self._head = self.folder / "contest.json"
        self._file = self.folder / "blocks.jsonl"
        if not fresh and self._head.is_file():
            self.seed = bytes.fromhex(json.loads(self._head.read_text(encoding="utf-8"))["seed"])
            self.blocks = list(self._read())
            return
        self.seed = new_seed()
        self.blocks = []
        try:
            for old in self.folder.iterdir():
                if old.name != LOCK_FILE:  # without it the next process would lock another file
                    old.unlink()
            # There whole or not at all: without its seed a comparison could not go on.
            partial = self._head.with_suffix(".part")
            partial.write_text(json.dumps({**contest.as_json(), "seed": self.seed.hex()}, indent=1), "utf-8")
            partial.replace(self._head)
        except OSError as error:
            raise StoreError(f"the comparison cannot be written to {self.folder}: {error.strerror}") from error

    def add(self, number: int, records: Sequence[MatchRecord] | None) -> dict[str, Any]:
        """Keep the results of one block (None: it was spoiled); on disk when this returns."""
        line: dict[str, Any] = {"block": number, "matches": None}
        try:
            if records is not None:
                line["matches"] = [
                    {"ranks": list(record.ranks), "causes": [seat.cause for seat in record.seats]} for record in records
                ]
                replays = b"".join(record.replay for record in records)
                (self.folder / f"block-{number}.replays.z").write_bytes(zlib.compress(replays))
            with self._file.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise StoreError(f"the comparison cannot be written to {self.folder}: {error.strerror}") from error
        self.blocks.append(line)
        return line

    def _read(self) -> Iterator[dict[str, Any]]:
        if not self._file.is_file():
            return
        good_bytes = 0
        data = self._file.read_bytes()
        for number, line in enumerate(data.splitlines(keepends=True)):
            try:
                block = json.loads(line) if line.endswith(b"\n") else None
            except ValueError:
                block = None
            if block is None or block["block"] != number:
                break
            good_bytes += len(line)
            yield block
        if good_bytes < len(data):
            # What a killed run left half written is played again; the next line must not be glued to it.
            os.truncate(self._file, good_bytes)


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
        with Workers(
            WorkerSettings(hall.workers, hall.pin, (self.kept.lock.give_up,)), hall.play, hall.leave
        ) as workers:
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
        played = tables(self.contest, self.kept.seed, line["block"])
        self._matches += len(played)
        self.test.add(block_value(self.contest, played, [match["ranks"] for match in line["matches"]]))
        for table, match in zip(played, line["matches"], strict=True):
            for side, seats in enumerate((table.new, table.old)):
                self._forfeits[side] += sum(match["causes"][seat] is not None for seat in seats)

    def _play_blocks(
        self, workers: Workers, hall: Hall, numbers: Iterable[int]
    ) -> dict[int, Sequence[MatchRecord] | None]:
        """The records of these blocks, None for one that was spoiled."""
        orders = {order.match_id: order for order in self._orders(hall, numbers)}
        waiting = iter(list(orders.values()))
        again: list[MatchOrder] = []
        records: dict[str, MatchRecord] = {}
        attempts: dict[str, int] = {}
        while True:
            for slot in workers.free:
                order = again.pop() if again else next(waiting, None)
                if order is not None:
                    workers.submit(order, slot)
            if not workers.running:
                break
            for played in workers.wait():
                if isinstance(played, MatchRecord):
                    records[played.match_id] = played
                    continue
                attempts[played.match_id] = attempts.get(played.match_id, 0) + 1
                if attempts[played.match_id] < ATTEMPTS:
                    again.append(orders[played.match_id])
                else:
                    self._cause = played.cause
        found: dict[int, Sequence[MatchRecord] | None] = {}
        for number in numbers:
            names = [_match_id(number, match) for match in range(self.contest.matches_a_block)]
            found[number] = [records[name] for name in names] if all(name in records for name in names) else None
        return found

    def _orders(self, hall: Hall, numbers: Iterable[int]) -> list[MatchOrder]:
        """Match by match of all blocks: bots that stay alive may go on to the next block, never to the same seed."""
        blocks = {number: tables(self.contest, self.kept.seed, number) for number in numbers}
        first = next(iter(blocks))
        return [
            MatchOrder(
                match_id=_match_id(number, match),
                seed=match_seed(self.kept.seed, number),
                rules=self.contest.rules,
                programs=blocks[number][match].programs,
                round=first,
                rotation=match,
                sandbox=hall.sandbox,
            )
            for match in range(self.contest.matches_a_block)
            for number in blocks
        ]


def _match_id(block: int, match: int) -> str:
    return f"compare-{block}-{match}"
