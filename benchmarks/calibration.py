"""Measure how often 95 % intervals contain the true value: simulated nights, settled with and without blocks.

`python -m benchmarks.calibration [RUNS] [FOLDER]` prints the tables of docs/ratings.md and writes its pictures.
`python -m benchmarks.calibration misfit RUNS BOTS [SEATS]` prints the table of leagues that are not what they were said
to be: a wrong draw probability, heavy tails, few bots.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from arena.ratings.intervals import Z_95
from arena.ratings.settled.fit import Model
from arena.ratings.settled.settle import settle
from arena.text.svg import Axes, Line, line_plot
from benchmarks.simulated import Field, Luck, night, skills

BOTS = 12
ENCOUNTERS = (5, 10, 20, 40, 80)
LUCKS = {
    "independent": Luck(),
    "half of it the bot's in the encounter": Luck(of_bot=0.5),
    "nearly all the bot's in the encounter": Luck(of_bot=0.9),
    "half of it the seat's in the encounter": Luck(of_seat=0.5),
    "nearly all the seat's in the encounter": Luck(of_seat=0.9),
}
MISFIT_ENCOUNTERS = 30
NO_DRAWS = Model(draw_probability=0.001)
MISFITS = {
    "as said": (Luck(), Model(), None),
    "no draws, told 10 %": (Luck(), NO_DRAWS, 0.1),
    "30 % draws, told 1 %": (Luck(), Model(draw_probability=0.3), 0.01),
    "heavy tails": (Luck(heavy=True), Model(), None),
    "heavy tails, no draws, told 10 %": (Luck(heavy=True), NO_DRAWS, 0.1),
    "half of luck the bot's": (Luck(of_bot=0.5), Model(), None),
    "half of luck the seat's": (Luck(of_seat=0.5), Model(), None),
    "heavy tails, half the bot's, no draws, told 10 %": (Luck(of_bot=0.5, heavy=True), NO_DRAWS, 0.1),
    "heavy tails, half the seat's, no draws, told 10 %": (Luck(of_seat=0.5, heavy=True), NO_DRAWS, 0.1),
}
BINS = np.array([0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0])


@dataclass(frozen=True, slots=True)
class Coverage:
    """How often intervals contained the true value, and the claims about neighbours on the leaderboard."""

    blocks: float
    independent: float
    factor: float
    said: np.ndarray
    """Claimed probabilities that the higher rated one of two neighbours is better."""
    said_independent: np.ndarray
    held: np.ndarray
    """Whether each claim was true."""


def coverage(field: Field, runs: int, seed: int) -> Coverage:
    """Simulate `runs` nights, each with new bots, and compare intervals with the true skills relative to their mean."""
    rng = np.random.default_rng(seed)
    inside, inside_independent, factors = [], [], []
    said, said_independent, held = [], [], []
    for _ in range(runs):
        truth = skills(field, rng)
        settled = settle(night(field, truth, rng), field.told, also=range(field.bots))
        mu = np.array([rating.mu for rating in settled.ratings])
        error = np.abs(mu - field.model.mu - (truth - truth.mean()))
        inside.append(error <= np.array([rating.high - rating.mu for rating in settled.ratings]))
        inside_independent.append(error <= Z_95 * np.sqrt(np.diag(settled.independent)))
        factors.append(settled.factor)
        order = np.argsort(-mu)
        for better, worse in pairwise(order):
            gap = mu[better] - mu[worse]
            said.append(_probability(gap, settled.covariance, better, worse))
            said_independent.append(_probability(gap, settled.independent, better, worse))
            held.append(truth[better] > truth[worse])
    return Coverage(
        float(np.mean(inside)), float(np.mean(inside_independent)), float(np.mean(factors)),
        np.array(said), np.array(said_independent), np.array(held),
    )  # fmt: skip


def _probability(gap: float, covariance: np.ndarray, one: int, other: int) -> float:
    from scipy.special import ndtr

    variance = covariance[one, one] + covariance[other, other] - 2 * covariance[one, other]
    return float(ndtr(gap / np.sqrt(variance)))


def misfits(runs: int, bots: int, counts: Sequence[int]) -> None:
    """Print how often intervals held the truth in leagues that are not what they were said to be."""
    print(f"\n### {bots} bots, {MISFIT_ENCOUNTERS} encounters of each, {runs} nights a cell\n")
    print("| league | " + " | ".join(f"{seats} seats" for seats in counts) + " |")
    print("|---|" + "---|" * len(counts))
    for name, (luck, model, guess) in MISFITS.items():
        fields = [Field(bots, seats, MISFIT_ENCOUNTERS, luck, model, guess) for seats in counts]
        cells = [coverage(field, runs, bots * 1000 + field.seats) for field in fields]
        print(f"| {name} | " + " | ".join(f"{100 * cell.blocks:.1f}" for cell in cells) + " |", flush=True)


def main(arguments: Sequence[str]) -> int:
    """Print the tables and write the pictures."""
    if arguments[:1] == ["misfit"]:
        runs, bots, *counts = (int(number) for number in arguments[1:])
        misfits(runs, bots, counts or (2, 3, 4, 5))
        return 0
    runs = int(arguments[0]) if arguments else 250
    folder = Path(arguments[1] if len(arguments) > 1 else "docs/pictures")
    folder.mkdir(parents=True, exist_ok=True)
    found = {
        (seats, name, encounters): coverage(Field(BOTS, seats, encounters, luck), runs, seats * 1000 + encounters)
        for seats in (2, 4)
        for name, luck in LUCKS.items()
        for encounters in ENCOUNTERS
    }
    for seats in (2, 4):
        print(f"\n### {seats} seats, {BOTS} bots, {runs} nights a cell: 95 % intervals that contain the true value\n")
        print(
            "| luck | " + " | ".join(f"{encounters}" for encounters in ENCOUNTERS) + " | as if independent | factor |"
        )
        print("|---|" + "---|" * (len(ENCOUNTERS) + 2))
        for name in LUCKS:
            cells = [found[seats, name, encounters] for encounters in ENCOUNTERS]
            last = cells[-1]
            print(
                f"| {name} | "
                + " | ".join(f"{100 * cell.blocks:.1f}" for cell in cells)
                + f" | {100 * last.independent:.1f} | {last.factor:.2f} |"
            )
        lines = []
        for name in list(LUCKS)[::2]:
            for kind in ("blocks", "independent"):
                points = [
                    (float(np.log2(encounters / 5)), 100 * getattr(found[seats, name, encounters], kind))
                    for encounters in ENCOUNTERS
                ]
                how = "encounters as blocks" if kind == "blocks" else "matches as if independent"
                lines.append(Line(f"luck {name}; {how}", points))
        ticks = [(float(np.log2(encounters / 5)), str(encounters)) for encounters in ENCOUNTERS]
        axes = Axes(
            f"How often a 95 % interval contains the true value, {seats} seats",
            "encounters of each bot",
            "%",
            ticks,
            (93, 97),
        )
        (folder / f"coverage-{seats}-seats.svg").write_text(line_plot(axes, lines), encoding="utf-8")
    _reliability(found, folder)
    return 0


def _reliability(found: dict[tuple[int, str, int], Coverage], folder: Path) -> None:
    """Print how often a bot was better than the next one, by claimed probability, over the simulated nights."""
    cells = [cell for (seats, name, _), cell in found.items() if name.endswith("the bot's in the encounter")]
    held = np.concatenate([cell.held for cell in cells])
    lines = [Line("exactly right", [(50.0, 50.0), (100.0, 100.0)])]
    print(
        "\n### Claimed probability that a bot is better than the next one, and how often it was"
        " (luck shared by a bot's matches, all nights)\n"
    )
    print("| claimed (%) | true, encounters as blocks | true, matches as if independent |")
    print("|---|---|---|")
    columns: list[list[tuple[float, float]]] = []
    for said in (
        np.concatenate([cell.said for cell in cells]),
        np.concatenate([cell.said_independent for cell in cells]),
    ):
        which = np.digitize(said, BINS[1:-1])
        columns.append(
            [(100 * float(said[which == b].mean()), 100 * float(held[which == b].mean())) for b in range(len(BINS) - 1)]
        )
    for number, (first, second) in enumerate(zip(*columns, strict=True)):
        low, high = BINS[number], BINS[number + 1]
        print(f"| {100 * low:.0f} to {100 * high:.0f} | {first[1]:.1f} | {second[1]:.1f} |")
    names = ("encounters as blocks", "matches as if independent")
    lines += [Line(name, points) for name, points in zip(names, columns, strict=True)]
    axes = Axes("Better than the next bot", "claimed probability (%)", "true (%)")
    (folder / "really-better.svg").write_text(line_plot(axes, lines), encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
