"""Learn from play-outs how many points the numbers on the seats' tables are worth at the end of a match."""

from collections.abc import Mapping, Sequence
from typing import Any

from engine.core import State

CAUTION = 100.0  # the weight, in samples, of the prior belief that a number means nothing

Row = dict[tuple[Any, ...], float]


class Forecast:
    """A linear regression from the numbers on the seats' tables to the points that the seats gain by the end."""

    def __init__(self) -> None:
        self.samples = 0.0
        self._place: dict[tuple[Any, ...], int] = {}
        self._products: list[list[float]] = []
        self._sums: list[float] = []
        self._weights: list[float] = []

    def scores(self, state: State) -> list[float]:
        """Return the points that each seat has now, plus the expected gain from its table."""
        scores = list(state.scores())
        for seat, row in enumerate(table_rows(state)):
            for name, value in row.items():
                if name in self._place:
                    scores[seat] += value * self._weights[self._place[name]]
        return scores

    def learn(self, rows: Sequence[Row], gains: Sequence[float], viewer: int) -> None:
        """Learn from what each seat once had on its table, and the points that it gained from then on."""
        row, gain = dict(rows[viewer]), gains[viewer]
        others = len(rows) - 1
        for seat, other in enumerate(rows):
            if seat != viewer:
                gain -= gains[seat] / others
                for name, value in other.items():
                    row[name] = row.get(name, 0.0) - value / others
        items = [(self._index(name), value) for name, value in row.items() if value]
        for index, value in items:
            self._sums[index] += value * gain
            products = self._products[index]
            for place, factor in items:
                products[place] += value * factor
        self.samples += 1

    def _index(self, name: tuple[Any, ...]) -> int:
        index = self._place.setdefault(name, len(self._place))
        if index == len(self._weights):
            self._weights.append(0.0)
            self._sums.append(0.0)
            self._products.append([0.0] * index)
            for products in self._products:
                products.append(0.0)
        return index

    def solve(self, sweeps: int = 5) -> None:
        """Move the weights towards the least-squares solution, by Gauss-Seidel sweeps."""
        weights = self._weights
        for _ in range(sweeps):
            for index, products in enumerate(self._products):
                own = products[index]
                rest = self._sums[index] + own * weights[index] - sum(map(float.__mul__, products, weights))
                # A few samples must not give large weights.
                weights[index] = rest / (own + CAUTION * max(1.0, own / max(1.0, self.samples)))

    def fade(self, share: float = 0.85) -> None:
        """Reduce the weight of old samples, since a card is worth less towards the end."""
        self.samples *= share
        self._sums = [value * share for value in self._sums]
        self._products = [[value * share for value in products] for products in self._products]


def table_rows(state: State) -> list[Row]:
    """Return the numbers that a spectator sees on the table of each seat: amounts, and the lengths of lists."""
    rows = []
    for table in state.observation(None)["tables"]:
        row: Row = {}
        collect(table, (), row)
        rows.append(row)
    return rows


def collect(data: Mapping[str, Any], path: tuple[Any, ...], row: Row) -> None:
    """Add the numbers of an object, each under its path, and for a group how many of them reach 1, 2, 3 and 4."""
    numbers = [value for value in data.values() if isinstance(value, int | float)]
    if path and numbers:
        # A group's totals need fewer samples than each of its numbers, and they tell sets apart.
        row[*path, "total"] = float(sum(numbers))
        for least in 1, 2, 3, 4:
            row[*path, least] = float(sum([value >= least for value in numbers]))
    for name, value in data.items():
        if isinstance(value, dict):
            collect(value, (*path, name), row)
        elif isinstance(value, list):
            row[*path, name] = float(len(value))
        elif isinstance(value, int | float):
            row[*path, name] = float(value)
