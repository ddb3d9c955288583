"""Alternating rounds and the table that shows them."""

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
    """What all rounds of one case gave, in the unit of the case."""

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
        """The least value that at most one in a hundred exceeds."""
        return sorted(self.rounds)[-(len(self.rounds) // 100) - 1]


def interleaved(cases: Mapping[str, Callable[[], float]], rounds: int = ROUNDS) -> dict[str, Figures]:
    """Every case once a round, in turn, so that whatever slows the machine meets all of them alike.

    A case returns its own measurement. One round before the counted ones warms caches and imports.
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
    """This process, and what it starts meanwhile, on one core: the last of those that it may use."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def describe_machine() -> str:
    """One line on what the figures were taken on."""
    return f"{os.cpu_count()} cores, {platform.system()} {platform.release()}, Python {platform.python_version()}"
