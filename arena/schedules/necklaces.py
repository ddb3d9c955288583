"""Generate the subsets of entrants on a circle, one orbit after another.

The entrants have places on a circle. All rotations of one set of places form an *orbit*. Every entrant is in the same
number of sets of an orbit, for an odd or even number of entrants, so nobody sits out. Every subset is in exactly one
orbit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

Gaps = tuple[int, ...]
"""The distances from each point of a subset to its next point, once around the circle."""
Subset = tuple[int, ...]
"""The places (on the circle of entrants) of the bots of one encounter."""


def orbits(seats: int, size: int) -> Iterator[list[Subset]]:
    """Yield every subset of `seats` places out of `size` once, one orbit after another.

    >>> [len(orbit) for orbit in orbits(2, 6)], [len(orbit) for orbit in orbits(3, 6)]
    ([6, 6, 3], [6, 6, 6, 2])
    """
    for gaps in necklaces(seats, size):
        yield orbit(gaps, size)


def orbit(gaps: Gaps, size: int) -> list[Subset]:
    """Return all rotations of the set of places with these gaps.

    >>> orbit((2, 2), 4)
    [(0, 2), (1, 3)]
    """
    seats = len(gaps)
    period = next(step for step in range(1, seats + 1) if gaps[step:] + gaps[:step] == gaps)
    return [_turned(gaps, start, size) for start in range(size * period // seats)]


def necklaces(seats: int, size: int) -> Iterator[Gaps]:
    """Yield the gaps of every orbit, in ascending order.

    Gaps are the distances between neighbouring places of a set; they add up to `size`. Of the rotations of the gaps,
    which all describe the same orbit, only the smallest is yielded.
    """

    def extend(gaps: Gaps, left: int) -> Iterator[Gaps]:
        missing = seats - len(gaps)
        if missing == 1:
            whole = (*gaps, left)
            if not gaps or (left >= gaps[0] and all(whole <= whole[step:] + whole[:step] for step in range(1, seats))):
                yield whole
            return
        least = gaps[0] if gaps else 1
        for gap in range(least, left - least * (missing - 1) + 1):
            # The first gap is the minimum, so all later gaps are at least as wide.
            if gaps or gap * seats <= size:
                yield from extend((*gaps, gap), left - gap)

    return extend((), size)


def necklace_of(subset: Subset, size: int) -> Gaps:
    """Return the gaps of the orbit that contains a set of places.

    >>> necklace_of((5, 0, 2), 6)
    (1, 2, 3)
    """
    points = sorted(subset)
    following = [*points[1:], points[0] + size]
    gaps = tuple(after - point for point, after in zip(points, following, strict=True))
    return min(gaps[step:] + gaps[:step] for step in range(len(gaps)))


def pairs(size: int, encounters: int) -> Iterator[list[Subset]]:
    """Yield pairs, for fewer encounters than opponents: no two bots meet twice.

    An orbit gives every bot two encounters. A single further encounter is half an orbit. That is exact for an even
    number of bots; for an odd number, one bot has to play once more.
    """
    for distance in range(1, encounters // 2 + 1):
        yield [(point, (point + distance) % size) for point in range(size)]
    if encounters % 2:
        # The widest distance is not used yet, and steps of this distance visit every place.
        distance = size // 2
        if size % 2 == 0:
            yield [(point, point + distance) for point in range(distance)]
        else:
            steps: Sequence[int] = range(0, size, 2)
            yield [(step * distance % size, (step + 1) * distance % size) for step in steps]


def _turned(gaps: Gaps, start: int, size: int) -> Subset:
    points = [start]
    for gap in gaps[:-1]:
        points.append((points[-1] + gap) % size)
    return tuple(points)
