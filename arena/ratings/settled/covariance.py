"""Compute the uncertainty of a fit whose matches share random effects within an encounter.

The fit's own covariance V assumes that every match is independent. The rotations of one encounter are not, because
they share the shuffle. A bot that plays a shuffle well does so in all rotations; then V is too small. If a shuffle
favours a seat, each bot has that seat once; then V is too large. Therefore this module uses the gradient g_b of the
log likelihood of each whole block at the mean. If matches were independent, the sum S of g_b g_b' over all blocks would
be the precision J that all matches added. The result is the cluster-robust covariance V (1/sigma^2 + meat) V. For a
version with many blocks, the meat is close to S. For a version with few blocks, it is close to J times one factor that
is common to all versions.

What is known of a version rests on few blocks where only upsets say something: then the variance itself is uncertain,
and the posterior is wider than a normal one. So each deviation is widened from the quantile of the normal distribution
to that of Student's t, with the more degrees of freedom, the more blocks share in the version's pulls.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from arena.ratings.intervals import Z_95
from arena.ratings.settled.content import Content, Whole
from arena.ratings.settled.fit import Fit, Model
from arena.ratings.settled.moments import Array

BLOCKS_FOR_HALF = 80.0
"""With this many blocks of its own, a version's covariance uses half its own blocks and half those of all versions."""
BLOCKS_OF_FAITH = 0.5
"""Prior weight of independence, in blocks: a single block is little evidence."""
CAUTION = 0.5
"""Share of a reduction of variance that is used: random effects that cancel out between bots of similar strength do not
cancel out between bots of different strength."""
FREEDOM = 6.0
"""Degrees of freedom for each block that counts: simulated leagues of 5 and 12 bots are held best with it."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """The covariance of all skills, with encounters as blocks."""

    covariance: Array
    factor: float
    """Variance of the blocks relative to blocks of independent matches; 1 if there is no difference."""
    widening: Array
    """By how much a deviation is to be multiplied for the few blocks that it rests on, for each version."""


def doubt(content: Content, model: Model, fit: Fit) -> Doubt:
    """Return the covariance of all skills, with encounters as blocks."""
    count = len(content.versions)
    squares, fourths = np.zeros(count), np.zeros(count)
    expected, whole, seen = np.zeros(count), np.zeros((count, count)), np.zeros((count, count))
    for group in _groups(content, fit):
        spread = fit.covariance[group.places[:, :, None], group.places[:, None, :]]
        # Each block's random effects also moved the mean, so its gradient is smaller there than at the true skills.
        left = group.weights - group.weights @ spread @ group.weights
        ends = np.einsum("bii->bi", left) * group.copies[:, None]
        expected += np.bincount(group.places.ravel(), ends.ravel(), count)
        cells = (group.places[:, :, None] * count + group.places[:, None, :]).ravel()
        for power, sums in ((2, squares), (4, fourths)):
            sums += np.bincount(group.places.ravel(), (group.copies[:, None] * group.pulls**power).ravel(), count)
        copies = group.copies[:, None, None]
        whole += np.bincount(cells, (copies * group.weights).ravel(), count * count).reshape(count, count)
        outer = group.pulls[:, :, None] * group.pulls[:, None, :]
        seen += np.bincount(cells, (copies * outer).ravel(), count * count).reshape(count, count)
    blocks = float(content.blocks.copies.sum())
    total = expected.sum()
    raw = np.trace(seen) / total if total > 0 else 1.0
    factor = float(1.0 + (raw - 1.0) * blocks / (BLOCKS_OF_FAITH + blocks) * (1.0 if raw > 1.0 else CAUTION))
    own = content.met / (content.met + BLOCKS_FOR_HALF)
    corrected = np.divide(np.diag(whole), expected, out=np.ones(count), where=expected > 0)
    by_blocks, by_field = np.sqrt(own * corrected), np.sqrt((1.0 - own) * factor)
    meat = by_blocks[:, None] * seen * by_blocks + by_field[:, None] * whole * by_field
    meat[np.diag_indices(count)] += model.sigma**-2
    covariance = fit.covariance @ meat @ fit.covariance
    # As many blocks as would pull with these second and fourth moments if all pulled alike.
    counting = np.divide(np.square(squares), fourths, out=np.full(count, np.inf), where=fourths > 0)
    freedom = np.minimum(FREEDOM * counting, 1e9)
    return Doubt((covariance + covariance.T) / 2.0, factor, stdtrit(freedom, 0.975) / Z_95)


@dataclass(frozen=True, slots=True)
class _Group:
    """Blocks with the same number of versions."""

    places: Whole
    """Index of each version of each block; shape (blocks, versions of the block)."""
    pulls: Array
    """Gradient of each block in the skills of its versions; the same shape."""
    weights: Array
    """Precision matrix of each block; shape (blocks, versions of the block, versions of the block)."""
    copies: Array


def _groups(content: Content, fit: Fit) -> Iterator[_Group]:
    """Yield the gradient and the precision of each block, grouped by the number of its versions."""
    count, blocks = len(content.versions), content.blocks
    rows = [_rows_of(content, number) for number in range(len(content.tables))]
    keys = [
        blocks.block[chosen][:, None] * count + table.places[blocks.result[chosen] - table.first]
        for table, chosen in zip(content.tables, rows, strict=True)
    ]
    # There is one slot for each version of each block, one block after another.
    slots, slot_of = np.unique(
        np.concatenate([np.zeros(0, dtype=np.int64), *(key.ravel() for key in keys)]), return_inverse=True
    )
    block_of, place_of = slots // count, slots % count
    first = np.searchsorted(block_of, np.arange(len(blocks.copies)))
    size = np.diff(np.append(first, len(slots)))
    start = np.concatenate([[0], np.cumsum(size * size)]).astype(np.int64)
    pulls, weights = np.zeros(len(slots)), np.zeros(start[-1])
    used = 0
    for number, (table, chosen, key) in enumerate(zip(content.tables, rows, keys, strict=True)):
        slot = slot_of[used : used + key.size].reshape(key.shape)
        used += key.size
        block, result = blocks.block[chosen], blocks.result[chosen] - table.first
        times = blocks.times[chosen]
        pulls += np.bincount(slot.ravel(), (times[:, None] * fit.pulls[number][result]).ravel(), len(slots))
        local = slot - first[block][:, None]
        cells = start[block][:, None, None] + local[:, :, None] * size[block][:, None, None] + local[:, None, :]
        added = times[:, None, None] * fit.weights[number][result]
        weights += np.bincount(cells.ravel(), added.ravel(), len(weights))
    for members in np.unique(size):
        chosen = np.flatnonzero(size == members)
        slot = first[chosen][:, None] + np.arange(members)
        cells = start[chosen][:, None] + np.arange(members * members)
        yield _Group(place_of[slot], pulls[slot], weights[cells].reshape(-1, members, members), blocks.copies[chosen])


def _rows_of(content: Content, number: int) -> Whole:
    """Return the rows of the blocks whose result is in this table."""
    table, result = content.tables[number], content.blocks.result
    return np.flatnonzero((result >= table.first) & (result < table.first + len(table.places)))
