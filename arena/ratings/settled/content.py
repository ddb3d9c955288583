"""Matches as a set without an order: equal matches are merged and counted, encounters are multisets of matches.

Everything is sorted by content. Therefore all later sums are computed in one order, whatever the order of the input is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from arena.model.records import FinishedMatch
from arena.ratings.settled.moments import Array, Flags

Whole = NDArray[np.int64]

_Key = tuple[tuple[int, ...], tuple[bool, ...]]
"""Versions from the first rank to the last (tied versions by version id), and which neighbours are tied."""


@dataclass(frozen=True, slots=True)
class Table:
    """All different results of matches with one number of seats."""

    places: Whole
    """(results, seats): index of the version that came first, second, …"""
    tied: Flags
    """(results, seats - 1): whether a place is tied with the next."""
    times: Array
    """Number of matches with each result."""
    first: int
    """Number of the first result of this table, counted through all tables."""

    @property
    def seats(self) -> int:
        """Number of seats in each match."""
        return int(self.places.shape[1])


@dataclass(frozen=True, slots=True)
class Blocks:
    """All different encounters: rows of (block, result, times within the block)."""

    block: Whole
    result: Whole
    times: Array
    copies: Array
    """Number of encounters equal to each block."""


@dataclass(frozen=True, slots=True)
class Content:
    """Matches, sorted and merged."""

    versions: tuple[int, ...]
    """Version ids, ascending; all arrays use the index into this tuple."""
    tables: tuple[Table, ...]
    blocks: Blocks
    matches: int
    played: Whole
    """Number of matches of each version."""
    met: Whole
    """Number of blocks in which each version took part."""


def gather(results: Iterable[FinishedMatch], others: Iterable[int] = ()) -> Content:
    """Sort and merge matches; `others` are further versions to rate, which may not have played."""
    counts: Counter[_Key] = Counter()
    grouped: dict[tuple[int, int], list[_Key]] = {}
    alone: list[list[_Key]] = []
    shared: dict[_Key, _Key] = {}
    for result in results:
        made = _key(result)
        key = shared.setdefault(made, made)
        counts[key] += 1
        if result.encounter is None:
            alone.append([key])
        else:
            grouped.setdefault(result.encounter, []).append(key)
    ordered = sorted(counts, key=lambda key: (len(key[0]), key))
    versions = tuple(sorted({version for key in ordered for version in key[0]}.union(others)))
    index = {version: place for place, version in enumerate(versions)}
    number = {key: place for place, key in enumerate(ordered)}
    blocks = Counter(tuple(sorted(number[key] for key in keys)) for keys in (*grouped.values(), *alone))
    tables = _tables(ordered, counts, index)
    return Content(
        versions=versions,
        tables=tables,
        blocks=_blocks(blocks),
        matches=counts.total(),
        played=_played(tables, len(versions)),
        met=_met(blocks, ordered, index),
    )


def _key(result: FinishedMatch) -> _Key:
    order = sorted(zip(result.ranks, result.versions, strict=True))
    return tuple(version for _, version in order), tuple(a[0] == b[0] for a, b in pairwise(order))


def _tables(ordered: list[_Key], counts: Mapping[_Key, int], index: Mapping[int, int]) -> tuple[Table, ...]:
    tables: list[Table] = []
    first = 0
    while first < len(ordered):
        seats = len(ordered[first][0])
        last = first
        while last < len(ordered) and len(ordered[last][0]) == seats:
            last += 1
        part = ordered[first:last]
        tables.append(
            Table(
                places=np.array([[index[version] for version in places] for places, _ in part], dtype=np.int64),
                tied=np.array([tied for _, tied in part], dtype=np.bool_),
                times=np.array([counts[key] for key in part], dtype=np.float64),
                first=first,
            )
        )
        first = last
    return tuple(tables)


def _blocks(blocks: Mapping[tuple[int, ...], int]) -> Blocks:
    ordered = sorted(blocks)
    rows = [(number, result, times) for number, block in enumerate(ordered) for result, times in Counter(block).items()]
    columns = np.array(rows, dtype=np.int64).reshape(-1, 3)
    return Blocks(
        block=columns[:, 0],
        result=columns[:, 1],
        times=columns[:, 2].astype(np.float64),
        copies=np.array([blocks[block] for block in ordered], dtype=np.float64),
    )


def _played(tables: Iterable[Table], versions: int) -> Whole:
    played = np.zeros(versions, dtype=np.int64)
    for table in tables:
        np.add.at(played, table.places, table.times.astype(np.int64)[:, None])
    return played


def _met(blocks: Mapping[tuple[int, ...], int], ordered: list[_Key], index: Mapping[int, int]) -> Whole:
    met = np.zeros(len(index), dtype=np.int64)
    for block, copies in blocks.items():
        for version in {version for result in set(block) for version in ordered[result][0]}:
            met[index[version]] += copies
    return met
