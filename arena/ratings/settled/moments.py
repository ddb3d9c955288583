"""Mean and variance of a normal variable that is truncated by the result of two neighbours, stable for all inputs.

The difference d of two performances is normal. A win truncates it to d > margin, a tie to |d| <= margin.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import erfcx, ndtri

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

_ROOT_2 = np.sqrt(2.0)
_MILLS = np.sqrt(np.pi / 2.0)
_FAR = -50.0
"""Further below the margin than this, the exact formula loses digits; the first terms of its series are exact there."""
_NARROW = 0.25
"""A tie interval narrower than this many standard deviations is integrated, unless the density is too steep in it:
the closed formula cancels there."""
_NODES, _NODE_WEIGHTS = np.polynomial.legendre.leggauss(32)


class Moments(NamedTuple):
    """The moments of a truncated standard normal variable."""

    shift: Array
    """Mean after the truncation; it was 0 before."""
    kept: Array
    """Variance after the truncation, between 0 and 1."""


def draw_margin(draw_probability: float, beta: float) -> float:
    """Return the margin within which two performances tie: two equal skills tie with this probability.

    >>> round(draw_margin(0.1, 25 / 6), 3)
    0.74
    """
    return float(ndtri((draw_probability + 1.0) / 2.0) * _ROOT_2 * beta)


def won(z: Array) -> Moments:
    """Return the moments of x given x > -z, with x standard normal; z is how far the mean is above the margin."""
    shift = 1.0 / (_MILLS * erfcx(-z / _ROOT_2))
    kept = 1.0 - shift * (shift + z)
    far = z < _FAR
    if far.any():
        s = 1.0 / np.square(z[far])
        kept[far] = s * (1.0 - 6.0 * s + 50.0 * s * s)
    return Moments(shift, kept)


def tied(z: Array, half: Array) -> Moments:
    """Return the moments of x given |x + z| <= half, with x standard normal."""
    sign = np.where(z < 0.0, -1.0, 1.0)
    away = np.abs(z)
    shift, kept = np.empty_like(away), np.empty_like(away)
    narrow = (half < _NARROW) & (away * half < 4.0)
    shift[narrow], kept[narrow] = _tied_narrow(away[narrow], half[narrow])
    wide = ~narrow
    shift[wide], kept[wide] = _tied_wide(away[wide], half[wide])
    return Moments(sign * shift, kept)


def _tied_narrow(away: Array, half: Array) -> Moments:
    """Compute the moments by quadrature around the middle of the interval, where nothing cancels."""
    y = half[:, None] * _NODES
    density = _NODE_WEIGHTS * np.exp(y * away[:, None] - np.square(y) / 2.0)
    density /= density.sum(axis=1, keepdims=True)
    middle = (density * y).sum(axis=1)
    return Moments(middle - away, (density * np.square(y - middle[:, None])).sum(axis=1))


def _tied_wide(away: Array, half: Array) -> Moments:
    """Compute the moments from Mills ratios, scaled with the density at the nearer end, which never underflows."""
    near, far = half - away, half + away
    # This scale overflows only if the nearer end is dozens of deviations away: then nothing is truncated.
    outside = _MILLS * erfcx(-near / _ROOT_2)
    ratio = np.exp(-2.0 * half * away)
    mass = outside - ratio * _MILLS * erfcx(far / _ROOT_2)
    shift = -(1.0 - ratio) / mass
    kept = 1.0 - (near + far * ratio) / mass - np.square(shift)
    lost = (near < _FAR) | (kept <= 0.0)
    if lost.any():
        s = 1.0 / np.square(near[lost])
        kept[lost] = s * (1.0 - 6.0 * s + 50.0 * s * s)
    return Moments(shift, kept)


class Slopes(NamedTuple):
    """Derivatives of the logarithm of a cut's probability in the margin, in units of the deviation."""

    first: Array
    second: Array


def won_slopes(z: Array) -> Slopes:
    """Return the slopes of the probability of x > -z, in a margin that lowers z."""
    shift, kept = won(z)
    return Slopes(-shift, kept - 1.0)


def tied_slopes(z: Array, half: Array) -> Slopes:
    """Return the slopes of the probability of |x + z| <= half."""
    away = np.abs(z)
    near, far = half - away, half + away
    ratio = np.exp(-2.0 * half * away)
    mass = _MILLS * (erfcx(-near / _ROOT_2) - ratio * erfcx(far / _ROOT_2))
    narrow = half < 1e-3  # here the difference cancels, and the density is constant over the interval
    mass[narrow] = (2.0 * half * np.exp((np.square(near) - np.square(away)) / 2.0))[narrow]
    first = (1.0 + ratio) / mass
    return Slopes(first, -(near + far * ratio) / mass - np.square(first))
