"""How far drawn cards are from the probabilities that they should have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from scipy.stats import chi2

from engine.core import State

FALSE_ALARM = 1e-6
"""The probability that a correct belief fails one test function, whatever the number of places that it looks at."""

Places = Callable[[State, Random], Mapping[Any, Any]]
"""Returns the card that lies in each place of a sample. Of several cards in one place it returns a random one."""


class Evenness:
    """Collects one p-value for each place of each position, and judges them together."""

    def __init__(self) -> None:
        self.found: list[tuple[float, str]] = []

    def look(self, name: str, seen: Counter[Any], expected: Mapping[Any, float]) -> None:
        """Compare the cards seen in one place with their probabilities. Rare cards are counted together."""
        samples = seen.total()
        assert samples
        assert abs(sum(expected.values()) - 1) < 1e-9
        cells = {card: share * samples for card, share in expected.items()}
        rare = {card for card, number in cells.items() if number < 8}
        groups = [({card}, number) for card, number in cells.items() if card not in rare]
        if rare:
            groups.append((rare, sum(cells[card] for card in rare)))
        impossible = sum(count for card, count in seen.items() if not expected.get(card))
        assert not impossible, f"{name}: {impossible} cards that cannot lie there"
        if len(groups) < 2 or groups[-1][1] < 8:
            groups = groups[:-1]
        if len(groups) < 2:
            return
        distance = sum((sum(seen[card] for card in cards) - number) ** 2 / number for cards, number in groups)
        freedom = len(groups) - (1 if sum(number for _, number in groups) > samples - 0.5 else 0)
        self.found.append((float(chi2.sf(distance, freedom)), name))

    def judge(self, least: int) -> None:
        """Fail if the smallest p-value is too small for so many places (Bonferroni)."""
        assert len(self.found) >= least
        worst, name = min(self.found)
        assert worst > FALSE_ALARM / len(self.found), f"{name}: p = {worst:.3g} in one of {len(self.found)} places"


def sampled(belief: Any, places: Places, samples: int, rng: Random) -> dict[Any, Counter[Any]]:
    """Draw from a belief, and count the cards of each place."""
    seen: dict[Any, Counter[Any]] = {}
    for _ in range(samples):
        for place, card in places(belief.sample(rng), rng).items():
            seen.setdefault(place, Counter())[card] += 1
    return seen
