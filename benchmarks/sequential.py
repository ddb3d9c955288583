"""Measure how often `arena compare` is wrong, and how long it takes, in simulated tests with two and four seats.

`python -m benchmarks.sequential [TESTS] [FOLDER]` prints the table of docs/ratings.md and writes its picture.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from arena.ratings.settled.fit import Model
from arena.ratings.sprt import Bounds, SequentialTest, Verdict
from arena.text.svg import Axes, Line, line_plot
from benchmarks.simulated import Luck

MODEL = Model()
MOST_BLOCKS = 5_000
ADVANTAGES = (-0.05, 0.0, 0.025, 0.05, 0.1)
"""True share of points above one half."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of blocks."""

    name: str
    seats: int
    luck: Luck
    ties: float = 0.0
    """Largest difference of two performances that is a tie."""


KINDS = (
    Kind("2 seats, independent luck", 2, Luck()),
    Kind("2 seats, pairs share half of a bot's luck", 2, Luck(of_bot=0.5)),
    Kind("2 seats, nearly all luck is the seat's", 2, Luck(of_seat=0.9)),
    Kind("2 seats, many draws", 2, Luck(), ties=MODEL.beta),
    Kind("4 seats, independent luck", 4, Luck()),
    Kind("4 seats, blocks share half of a bot's luck", 4, Luck(of_bot=0.5)),
)


def values(kind: Kind, gap: float, count: int, rng: np.random.Generator) -> np.ndarray:
    """Return the values of blocks in which the new version is `gap` stronger than the old one."""
    seats, beta, luck = kind.seats, MODEL.beta, kind.luck
    new = np.arange(seats) % 2 == 0
    of_seat = np.sqrt(luck.of_seat) * rng.normal(0, beta, (count, seats))
    of_bot = np.sqrt(luck.of_bot) * rng.normal(0, beta, (count, 2))
    own = np.sqrt(1.0 - luck.of_seat - luck.of_bot)
    total = np.zeros(count)
    for side in (new, ~new):
        p = np.where(side, gap, 0.0) + of_seat + own * rng.normal(0, beta, (count, seats))
        p += np.where(side, of_bot[:, :1], of_bot[:, 1:])
        d = p[:, side][:, :, None] - p[:, ~side][:, None, :]
        total += np.where(np.abs(d) <= kind.ties, 0.5, d > 0).mean(axis=(1, 2))
    return total / 2.0


def gap_for(kind: Kind, share: float, rng: np.random.Generator) -> float:
    """Return the gap in skill that gives this share of points."""
    low, high = -30.0, 30.0
    seed = int(rng.integers(1 << 30))
    while high - low > 0.01:
        middle = (low + high) / 2.0
        got = values(kind, middle, 200_000, np.random.default_rng(seed)).mean()
        low, high = (middle, high) if got < share else (low, middle)
    return (low + high) / 2.0


def outcomes(draw: Callable[[int], np.ndarray], tests: int, bounds: Bounds) -> Iterator[tuple[Verdict, int]]:
    """Yield the verdict and the number of blocks of each simulated test."""
    for _ in range(tests):
        test = SequentialTest(bounds)
        while test.verdict is Verdict.UNDECIDED and test.blocks < MOST_BLOCKS:
            for value in draw(64):
                if test.add(float(value)) is not Verdict.UNDECIDED:
                    break
        yield test.verdict, test.blocks


def main(arguments: Sequence[str]) -> int:
    """Print the table and write the picture."""
    tests = int(arguments[0]) if arguments else 1000
    folder = Path(arguments[1] if len(arguments) > 1 else "docs/pictures")
    bounds = Bounds()
    rng = np.random.default_rng(11)
    print(f"\n### {tests} tests a cell, margin {bounds.margin}: called better (%), blocks until the verdict (mean)\n")
    print("| blocks | " + " | ".join(f"{50 + 100 * share:g} % of the points" for share in ADVANTAGES) + " |")
    print("|---|" + "---|" * len(ADVANTAGES))
    lines = []
    for kind in KINDS:
        cells, points = [], []
        for advantage in ADVANTAGES:
            gap = gap_for(kind, 0.5 + advantage, rng) if advantage else 0.0

            def draw(count: int, kind: Kind = kind, gap: float = gap) -> np.ndarray:
                return values(kind, gap, count, rng)

            found = list(outcomes(draw, tests, bounds))
            better = 100 * sum(verdict is Verdict.BETTER for verdict, _ in found) / tests
            cells.append(f"{better:.1f} ({np.mean([blocks for _, blocks in found]):.0f})")
            points.append((50 + 100 * advantage, better))
        print(f"| {kind.name} | " + " | ".join(cells) + " |", flush=True)
        lines.append(Line(kind.name, points))
    axes = Axes("How often the new version is called better", "its true share of the points (%)", "%")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "compare.svg").write_text(line_plot(axes, lines), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
