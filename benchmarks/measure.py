"""Measure cases in alternating rounds, and print a table of the results."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median

ROUNDS = 5


@dataclass(frozen=True, slots=True)
class Figures:
    """The measurements of one case in all rounds, in the unit of the case."""

    rounds: tuple[float, ...]

    @property
    def minimum(self) -> float:
        return min(self.rounds)

    @property
    def median(self) -> float:
        return median(self.rounds)

    @property
    def maximum(self) -> float:
        return max(self.rounds)

    @property
    def p99(self) -> float:
        """Smallest value that at most one round in a hundred exceeds."""
        return sorted(self.rounds)[-(len(self.rounds) // 100) - 1]


def interleaved(cases: Mapping[str, Callable[[], float]], rounds: int = ROUNDS) -> dict[str, Figures]:
    """Measure every case once in each round, so that a slow phase of the machine affects all cases equally.

    A case returns its own measurement. A first round, which is not counted, warms caches and imports.
    """
    taken: dict[str, list[float]] = {name: [] for name in cases}
    for number in range(rounds + 1):
        for name, case in cases.items():
            value = case()
            if number > 0:
                taken[name].append(value)
            print(f"\rround {number} of {rounds}: {name:<60}", end="", file=sys.stderr, flush=True)
    print("\r" + " " * 80 + "\r", end="", file=sys.stderr, flush=True)
    return {name: Figures(tuple(values)) for name, values in taken.items()}


def show(title: str, unit: str, figures: Mapping[str, Figures], against: str | None = None) -> None:
    """Print one Markdown table: minimum, median, maximum, and the ratio of medians to the case named `against`."""
    print(f"\n### {title}\n")
    print(f"| case | minimum | median | maximum ({unit}) |" + (f" against {against} |" if against else ""))
    print("|---|---|---|---|" + ("---|" if against else ""))
    for name, case in figures.items():
        row = f"| {name} | {case.minimum:.4g} | {case.median:.4g} | {case.maximum:.4g} |"
        if against:
            row += f" {case.median / figures[against].median:.3g} |"
        print(row)


@contextmanager
def pinned() -> Iterator[None]:
    """Pin this process, and the processes that it starts meanwhile, to the last core that it may use."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def describe_machine() -> str:
    """Return one line about the machine."""
    return f"{os.cpu_count()} cores, {platform.system()} {platform.release()}, Python {platform.python_version()}"
