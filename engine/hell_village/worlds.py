"""Every way in which the hidden cards can lie, all equally likely: counted, and drawn one by one (R12.2 to R12.4).

A *world* says which cards each other seat kept at setup, which cards it holds now, in which order the pile lies, and
which pile number each unsure card had. Copies of a design count as different cards. All worlds that fit are equally
likely, since every order of every pile is, if what a seat keeps and plays is no evidence.

Worlds are counted in *cases*. A case fixes the pile numbers of the unsure cards, and which shown copies are those that
the viewer gave back. The number of worlds of a case is a product of binomial coefficients and factorials.
"""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate, product
from math import comb, factorial, lcm, perm, prod
from random import Random
from typing import NamedTuple, TypeVar

_Item = TypeVar("_Item")


class UnsureCard(NamedTuple):
    """A card that another seat has shown and that may have had several pile numbers (`position.Unsure`)."""

    seat: int
    card: str
    most: Mapping[int, int]


@dataclass(slots=True)
class Known:
    """What a viewer knows of the hidden cards. Piles are pile numbers, cards are designs."""

    pools: dict[int, list[str]]
    """By pile: the cards that may be in the pile, in another seat's hand, or shown as unsure by another seat."""
    pile: int
    """The number of the current pile. Its cards that no hand holds are the pile."""
    counts: dict[int, dict[int, int]]
    """By other seat and pile: the cards in the hand or shown as unsure."""
    shown: dict[int, tuple[str, ...]]
    """By other seat: the shown cards that certainly were of the first pile."""
    unsure: list[UnsureCard]
    kept: int
    """How many cards each seat kept at setup."""
    returned: Counter[str] = field(default_factory=Counter)
    """The cards that the viewer gave back at setup: no other seat can have kept them."""
    foreign: Counter[str] = field(default_factory=Counter)
    """The copies that were not dealt to the viewer."""
    drawn: Counter[str] = field(default_factory=Counter)
    """The cards that the viewer drew from the first pile."""


class HiddenCard(NamedTuple):
    """A hidden card with its pile number. `given_back` says whether it is one that the viewer gave back at setup."""

    card: str
    pile: int
    given_back: bool = False


class Deal(NamedTuple):
    """One world: the hidden cards of the other seats, and the pile."""

    hands: dict[int, list[HiddenCard]]
    """By other seat: the cards in hand, first those that it kept at setup."""
    held: dict[int, int]
    """By other seat: how many of the cards in hand it kept at setup."""
    kept_and_shown: dict[int, list[str]]
    """By other seat: the other cards that it kept at setup."""
    pile: list[HiddenCard]
    unsure: tuple[int, ...]
    """The pile number of each unsure card."""


class _Case(NamedTuple):
    """A group of worlds that differ only in which copies of equal cards were shown."""

    ways: Fraction
    """The number of ways to choose which copies were shown."""
    unsure: tuple[int, ...]
    shown: dict[int, list[str]]
    """By other seat: the shown cards of the first pile that were not dealt to the viewer."""
    given_back: Counter[str]
    """The cards that the viewer gave back and that nobody has shown or drawn since."""


class Worlds:
    """All worlds that fit what a viewer knows."""

    __slots__ = ("_cases", "_first", "_kept", "_known", "_pick", "_seats", "_splits")

    def __init__(self, known: Known) -> None:
        self._known = known
        self._seats = list(known.counts)
        self._kept = {
            # In a position that no match led to, a seat may have had fewer cards than it keeps at setup.
            seat: min(known.kept, known.counts[seat].get(1, 0) + len(known.shown[seat]))
            for seat in self._seats
        }
        self._cases = [case for unsure, ways in _numbers(known) for case in self._cases_of(unsure, ways)]
        # A single case needs no count.
        counts = [Fraction(1)] if len(self._cases) == 1 else [self._count(case) for case in self._cases]
        self._pick = _picker(range(len(self._cases)), counts)
        self._splits: dict[int, Callable[[Random], tuple[int, ...]]] = {}

    def deal(self, rng: Random) -> Deal:
        """Draw a world uniformly."""
        while True:
            deal = self._deal(self._pick(rng), rng)
            if self._shows_the_older_copy_first(deal):
                return deal

    def _cases_of(self, unsure: tuple[int, ...], ways: int) -> Iterator[_Case]:
        """Divide by which of the shown and drawn copies are those that the viewer gave back."""
        known = self._known
        seen: list[tuple[int | None, str]] = [(None, card) for card in known.drawn.elements()]
        seen += [(seat, card) for seat in self._seats for card in known.shown[seat]]
        seen += [(entry.seat, entry.card) for entry, pile in zip(known.unsure, unsure, strict=True) if pile == 1]
        # Most cards are plain: the viewer gave back all copies that were not its own, or none.
        twins = {card for card in known.returned if known.foreign[card]}
        shown: dict[int, list[str]] = {seat: [] for seat in self._seats}
        given_back = known.returned.copy()
        for seat, card in seen:
            if card in twins:
                continue
            if given_back[card]:
                given_back[card] -= 1
            elif seat is not None:
                shown[seat].append(card)
        start = _Case(Fraction(ways), unsure, shown, given_back)
        yield from _divided(start, known.foreign, [(seat, card) for seat, card in seen if card in twins])

    def _left(self, case: _Case) -> dict[int, Counter[int]]:
        """Return by pile and seat how many cards of a pile are still in the hand."""
        known = self._known
        left = {pile: Counter({seat: known.counts[seat].get(pile, 0) for seat in self._seats}) for pile in known.pools}
        for entry, pile in zip(known.unsure, case.unsure, strict=True):
            left[pile][entry.seat] -= 1
        return left

    def _count(self, case: _Case) -> Fraction:
        """Return the number of worlds, up to a factor that is the same for all cases."""
        known = self._known
        left = self._left(case)
        if any(count < 0 for counts in left.values() for count in counts.values()):
            return Fraction(0)
        total = case.ways
        for pile, cards in known.pools.items():
            shown = case.unsure.count(pile)
            # The cards that are left go to the hands and to the pile in any way. The order within a hand means nothing.
            total *= prod(perm(known.counts[seat].get(pile, 0), gone) for seat, gone in self._gone(case, pile).items())
            if pile != 1:
                total *= factorial(len(cards) - shown)
        return total * sum(ways for _, ways in self._split_ways(case, left.get(1, Counter())))

    def _gone(self, case: _Case, pile: int) -> Counter[int]:
        entries = zip(self._known.unsure, case.unsure, strict=True)
        return Counter(entry.seat for entry, number in entries if number == pile)

    def _split_ways(self, case: _Case, left: Counter[int]) -> list[tuple[tuple[int, ...], int]]:
        """Divide the worlds of a case by how many of the cards that it kept each seat still holds.

        Return each split with its number of worlds: choose the other kept cards among those that the seat has shown,
        give each seat the kept cards that it still holds, then deal all others of the first pile in any way.
        """
        cards = len(self._known.pools.get(1, ())) - case.unsure.count(1)
        foreign = cards - case.given_back.total()
        found = []
        for split in product(*(range(min(self._kept[seat], left[seat]) + 1) for seat in self._seats)):
            ways = perm(foreign, sum(split)) * factorial(cards - sum(split)) if sum(split) <= foreign else 0
            for seat, held in zip(self._seats, split, strict=True):
                ways *= comb(len(case.shown[seat]), self._kept[seat] - held) * comb(left[seat], held)
            if ways:
                found.append((split, ways))
        return found

    def _deal(self, index: int, rng: Random) -> Deal:
        known, case = self._known, self._cases[index]
        left = self._left(case)
        pick = self._splits.get(index)
        if pick is None:
            splits = self._split_ways(case, left.get(1, Counter()))
            pick = self._splits[index] = _picker([split for split, _ in splits], [Fraction(ways) for _, ways in splits])
        held = dict(zip(self._seats, pick(rng), strict=True))
        hands: dict[int, list[HiddenCard]] = {seat: [] for seat in self._seats}
        rest: list[HiddenCard] = []
        for pile, pool in known.pools.items():
            gone = [entry.card for entry, number in zip(known.unsure, case.unsure, strict=True) if number == pile]
            if pile == 1:
                gone += case.given_back.elements()
            cards = [HiddenCard(card, pile) for card in _without(pool, gone)]
            if pile == 1:
                kept = rng.sample(cards, sum(held.values()))
                cards = _without(cards, kept)
                for seat in self._seats:
                    hands[seat] += [kept.pop() for _ in range(held[seat])]
                    left[1][seat] -= held[seat]
                cards += [HiddenCard(card, 1, True) for card in case.given_back.elements()]
            rng.shuffle(cards)
            for seat in self._seats:
                hands[seat] += [cards.pop() for _ in range(left[pile][seat])]
            if pile == known.pile:
                rest = cards
        shown = {seat: rng.sample(case.shown[seat], self._kept[seat] - held[seat]) for seat in self._seats}
        return Deal(hands, held, shown, rest, case.unsure)

    def _shows_the_older_copy_first(self, deal: Deal) -> bool:
        """Return whether no seat has shown a copy while it held one with a lower pile number (R0.2).

        A hand gets no more cards of an older pile, so the seat held such a copy all the time.
        """
        return not any(
            held.card == entry.card and held.pile < shown
            for entry, shown in zip(self._known.unsure, deal.unsure, strict=True)
            for held in deal.hands[entry.seat]
        )


def _numbers(known: Known) -> Iterator[tuple[tuple[int, ...], int]]:
    """Return the possible pile numbers of the unsure cards, each with the number of ways to choose the copies."""
    open_ways: list[tuple[tuple[int, ...], int]] = [((), 1)]
    pools = {pile: Counter(cards) for pile, cards in known.pools.items()}
    for index, entry in enumerate(known.unsure):
        longer = []
        for numbers, ways in open_ways:
            earlier = [
                (other.card, pile)
                for other, pile in zip(known.unsure[:index], numbers, strict=True)
                if other.seat == entry.seat
            ]
            for pile, most in entry.most.items():
                copies = pools[pile][entry.card] if pile in pools else 0
                copies -= sum(
                    other.card == entry.card and number == pile
                    for other, number in zip(known.unsure[:index], numbers, strict=True)
                )
                too_many = sum(number == pile for _, number in earlier) >= most
                older_first = all(card != entry.card or number <= pile for card, number in earlier)
                if copies > 0 and not too_many and older_first:
                    longer.append(((*numbers, pile), ways * copies))
        open_ways = longer
    yield from open_ways


def _divided(case: _Case, foreign: Counter[str], seen: Sequence[tuple[int | None, str]]) -> Iterator[_Case]:
    """Say of each seen copy whether the viewer gave it back, or it was not dealt to the viewer. Follow all ways."""
    if not seen:
        yield case
        return
    (seat, card), rest = seen[0], seen[1:]
    back, other = case.given_back[card], foreign[card]
    if back:
        ways = case.ways * Fraction(back, back + other)
        yield from _divided(case._replace(ways=ways, given_back=case.given_back - Counter([card])), foreign, rest)
    if other or not back:
        shown = case.shown if seat is None else {**case.shown, seat: [*case.shown[seat], card]}
        ways = case.ways * Fraction(other, back + other) if back else case.ways
        yield from _divided(case._replace(ways=ways, shown=shown), foreign - Counter([card]), rest)


def _without(cards: Sequence[_Item], gone: Iterable[_Item]) -> list[_Item]:
    left = list(cards)
    for card in gone:
        left.remove(card)
    return left


def _picker(choices: Sequence[_Item], ways: Sequence[Fraction]) -> Callable[[Random], _Item]:
    """Return a function that draws a choice with probabilities in these proportions, exactly."""
    scale = lcm(*(number.denominator for number in ways))
    total = list(accumulate(int(number * scale) for number in ways))
    if not total or not total[-1]:
        raise ValueError("no position of a match gives this observation")
    if len(choices) == 1:
        return lambda rng: choices[0]
    return lambda rng: choices[bisect(total, rng.randrange(total[-1]))]
