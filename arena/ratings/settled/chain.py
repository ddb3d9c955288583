"""The log probability of a ranking and its gradient in the skills, for luck with tails that may be heavier than normal.

Performances are independent when the skills are given, so the probability of a whole ranking is one integral after
another: over all performances of the first place, of those the second place may have below them, and so on. Everything
is in units of beta. Each match has its own grid of points.
"""

from __future__ import annotations

import numpy as np

from arena.ratings.settled.moments import Array, Flags

POINTS, STEP = 48, 0.4
"""A grid has at least `POINTS` points; it has more, up to 8 * `POINTS`, if they would be more than `STEP` apart."""
PAD = 5.5
"""The grid extends `PAD` standard deviations beyond the skills. The probability outside is negligible."""
CHUNK = 1024
"""Number of matches computed at once, so that they fit into the processor's cache."""
# A Laplace variable is a normal one whose variance has an exponential distribution, here at a few points.
_NODES, _WEIGHTS = np.polynomial.laguerre.laggauss(6)
_WEIGHTS = _WEIGHTS[:5] / _WEIGHTS[:5].sum()
_NODES = _NODES[:5] / (_NODES[:5] @ _WEIGHTS)


def chain(skill: Array, extra: Array, tied: Flags, margin: float, heaviness: float) -> tuple[Array, Array]:
    """Return the log probability of each ranking, and its gradient in the skills (results, places).

    `extra` is variance that the doubt about a skill adds to luck. A gradient is not finite where the ranking is so
    improbable that its probability underflows.
    """
    log, gradient = np.empty(len(skill)), np.empty_like(skill)
    for start in range(0, len(skill), CHUNK):
        part = slice(start, start + CHUNK)
        log[part], gradient[part] = _chunk(skill[part], extra[part], tied[part], margin, heaviness)
    return log, gradient


def _chunk(skill: Array, extra: Array, tied: Flags, margin: float, heaviness: float) -> tuple[Array, Array]:
    seats = skill.shape[1]
    pad = PAD * np.sqrt(1.0 + extra.max(axis=1))
    low, high = skill.min(axis=1) - pad, skill.max(axis=1) + pad
    count = min(max(POINTS, int(np.max(high - low) / STEP) + 2), 8 * POINTS)
    step = ((high - low) / (count - 1))[:, None]
    points = low[:, None] + step * np.arange(count)
    seen = [_luck(points - skill[:, seat, None], extra[:, seat, None], heaviness) for seat in range(seats)]
    above, below = [np.ones_like(points)], [np.ones_like(points)]
    for seat in range(seats - 1):
        above.append(_neighbour(above[-1] * seen[seat][0], step, tied[:, seat], margin))
    for seat in range(seats - 1, 0, -1):
        turned = (below[-1] * seen[seat][0])[:, ::-1]
        below.append(_neighbour(turned, step, tied[:, seat - 1], margin)[:, ::-1])
    gradient = np.empty_like(skill)
    for seat, (density, slope) in enumerate(seen):
        others = above[seat] * below[seats - 1 - seat]
        whole = np.einsum("ng,ng->n", others, density)
        with np.errstate(divide="ignore", invalid="ignore"):
            gradient[:, seat] = np.einsum("ng,ng->n", others, slope) / whole
    with np.errstate(divide="ignore"):
        return np.log(whole * step[:, 0]), gradient


def _luck(away: Array, extra: Array, heaviness: float) -> tuple[Array, Array]:
    """Return the density of a performance so far from its skill, and its derivative in the skill."""
    if heaviness > 0.0:
        weights, variances = _WEIGHTS, 1.0 - heaviness + heaviness * _NODES
    else:
        weights, variances = np.ones(1), np.ones(1)
    square = -0.5 * np.square(away)
    density, slope = np.zeros_like(away), np.zeros_like(away)
    for weight, variance in zip(weights, variances, strict=True):
        precision = 1.0 / (variance + extra)
        part = weight * np.sqrt(precision / (2.0 * np.pi)) * np.exp(square * precision)
        density += part
        slope += part * precision
    return density, slope * away


def _neighbour(mass: Array, step: Array, tied: Flags, margin: float) -> Array:
    """Return at each point the probability above it by more than the margin; for a tie, the one within the margin."""
    bend = np.zeros_like(mass)
    bend[:, 1:-1] = (mass[:, 2:] - mass[:, :-2]) / 24.0
    # Trapezoids from above, with the first correction of Euler and Maclaurin.
    above = np.maximum(np.cumsum(mass[:, ::-1], axis=1)[:, ::-1] - mass / 2.0 + bend, 0.0)
    bend *= 12.0
    curve = np.zeros_like(mass)
    curve[:, 1:-1] = mass[:, 2:] - 2.0 * mass[:, 1:-1] + mass[:, :-2]
    shift = margin / step
    far = shift[:, 0] > 0.5
    passed = np.maximum(above - shift * (mass + shift / 2.0 * (bend + shift / 3.0 * curve)), 0.0)
    if far.any():
        passed[far] = _moved(above[far], mass[far], shift[far])
    if tied.any():
        passed[tied] = np.maximum(shift[tied] * (2.0 * mass[tied] + shift[tied] ** 2 / 3.0 * curve[tied]), 0.0)
        far &= tied
        if far.any():
            wide = _moved(above[far], mass[far], -shift[far]) - _moved(above[far], mass[far], shift[far])
            passed[far] = np.maximum(wide, 0.0)
    return passed * step


def _moved(above: Array, mass: Array, shift: Array) -> Array:
    """Return the upper integral at points that are `shift` steps higher, by cubic interpolation between two points."""
    whole = np.floor(shift).astype(np.int64)
    count = above.shape[1]
    lower = np.clip(np.arange(count) + whole, 0, count - 1)
    lower += np.arange(0, above.size, count)[:, None]
    upper = np.minimum(lower + 1, np.arange(count - 1, above.size, count)[:, None])
    part = shift - whole
    rest = 1.0 - part
    result: Array = np.maximum(
        (1.0 + 2.0 * part) * rest**2 * above.ravel()[lower]
        + part**2 * (3.0 - 2.0 * part) * above.ravel()[upper]
        - part * rest**2 * mass.ravel()[lower]
        + part**2 * rest * mass.ravel()[upper],
        0.0,
    )
    return result
