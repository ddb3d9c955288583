"""Every hidden card of Hell Village is as likely in each place as the worlds that fit say (R12.2).

The probabilities are computed here in another way than in `engine.hell_village.worlds`, and from the real match: which
cards were dealt, and which have left which hand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from math import comb, prod
from random import Random
from typing import Any

import pytest

from engine.core import Viewer
from engine.hell_village import GAME
from engine.hell_village.state import HellState
from tests.engine.evenness import Evenness, sampled
from tests.engine.hell_village.matches import walk

TABLES = GAME.tables
SAMPLES = 1200


def name_of(number: int) -> str:
    return TABLES.cards[number].id


@dataclass
class Shown:
    """What left the hands in a match, as all could see it."""

    first: dict[int, list[str]] = field(default_factory=dict)
    """By seat: cards of the first pile."""
    unclear: bool = False
    """Whether a card was shown whose copies did not all have the same pile number."""

    def follow(self, before: HellState, after: HellState) -> None:
        if not before.pile_number:
            return
        hidden = {*before.pile[before.top :], *(card for hand in before.hands for card in hand)}
        for seat, hand in enumerate(before.hands):
            for number in set(hand) - set(after.hands[seat]):
                copies = [copy for copy in TABLES.numbers_of[name_of(number)] if copy in hidden]
                self.unclear |= len({before.numbers[copy] for copy in copies}) > 1
                if before.numbers[number] == 1:
                    self.first.setdefault(seat, []).append(name_of(number))


def positions(seats: int, seed: int) -> Iterator[tuple[str, HellState, Shown]]:
    """Early, middle and late positions of a random match, with what was shown until then."""
    shown = Shown()
    before = GAME.new(seats)
    wanted = {2: "early", 4: "middle", 6: "late"}
    for state, _ in walk(seats, {}, seed):
        shown.follow(before, state)
        before = state.clone()
        if state.round in wanted and state.phase == "workplaces":
            yield wanted.pop(state.round), state, shown


def expected(state: HellState, viewer: Viewer, shown: Shown) -> dict[tuple[Any, int], dict[str, float]]:
    """The probability of each card in a slot of each place: (seat or "pile", pile number).

    Every arrangement of the cards of a pile in hands and pile is as likely, and each counts once for each choice of the
    cards that the other seats kept at setup. Such a card is of the first pile and was not dealt to the viewer.
    """
    others = [seat for seat in range(seats_of(state)) if seat != viewer]
    hidden: dict[int, Counter[str]] = {}
    size: dict[tuple[Any, int], int] = {}
    for seat in others:
        for number in state.hands[seat]:
            hidden.setdefault(state.numbers[number], Counter())[name_of(number)] += 1
            size[seat, state.numbers[number]] = size.get((seat, state.numbers[number]), 0) + 1
    pile = state.pile[state.top :]
    for number in pile:
        hidden.setdefault(state.pile_number, Counter())[name_of(number)] += 1
    if pile:
        size["pile", state.pile_number] = len(pile)
    chances = {
        (place, number): {card: count / hidden[number].total() for card, count in hidden[number].items()}
        for place, number in size
        if number > 1
    }
    if 1 in hidden:
        chances |= first_pile(state, viewer, shown, hidden[1], {place: n for (place, p), n in size.items() if p == 1})
    return chances


def seats_of(state: HellState) -> int:
    return len(state.hands)


def first_pile(
    state: HellState, viewer: Viewer, shown: Shown, hidden: Counter[str], size: Mapping[Any, int]
) -> dict[tuple[Any, int], dict[str, float]]:
    others = [seat for seat in range(seats_of(state)) if seat != viewer]
    returned: Counter[str] = Counter()
    dealt: Counter[str] = Counter()
    seen = [(seat, card) for seat in others for card in shown.first.get(seat, ())]
    if viewer is not None:
        returned = Counter(map(name_of, state.returned[viewer]))
        dealt = Counter(map(name_of, state.dealt[viewer]))
        drawn = Counter(name_of(n) for n in state.hands[viewer] if state.numbers[n] == 1)
        drawn += Counter(shown.first.get(viewer, ()))
        seen += [(viewer, card) for card in (drawn - (dealt - returned)).elements()]
    # A seen card is a copy that the viewer gave back, or another one. Try both for each.
    total = 0.0
    sums: dict[Any, dict[str, float]] = {place: dict.fromkeys(hidden, 0.0) for place in size}
    for gave_back in ways([card for _, card in seen], returned, dealt):
        back = returned - Counter(card for (_, card), was in zip(seen, gave_back, strict=True) if was)
        foreign = hidden - back
        had = {
            seat: sum(who == seat and not was for (who, _), was in zip(seen, gave_back, strict=True)) for seat in others
        }
        for held in product(*(range(size.get(seat, 0) + 1) for seat in others)):
            rest = foreign.total() - sum(held)
            if not 0 <= rest <= size.get("pile", 0):
                continue
            weight = comb(size.get("pile", 0), rest) / comb(hidden.total(), foreign.total())
            weight *= prod(
                comb(size.get(seat, 0), x) * comb(had[seat] + x, 2) for seat, x in zip(others, held, strict=True)
            )
            if not weight:
                continue
            total += weight
            inside: dict[Any, int] = {"pile": rest}
            inside.update(zip(others, held, strict=True))
            for place, slots in size.items():
                share = inside[place] / slots
                for card, count in foreign.items():
                    sums[place][card] += weight * share * count / foreign.total()
                for card, count in back.items():
                    sums[place][card] += weight * (1 - share) * count / back.total()
    return {(place, 1): {card: value / total for card, value in found.items()} for place, found in sums.items()}


def ways(seen: list[str], returned: Counter[str], dealt: Counter[str]) -> Iterator[tuple[bool, ...]]:
    """Every way to say of each seen card whether it is a copy that the viewer gave back."""
    choices = []
    for card in seen:
        others = len(TABLES.numbers_of[card]) - dealt[card]
        choices.append([was for was, copies in ((True, returned[card]), (False, others)) if copies])
    for found in product(*choices):
        back = Counter(card for card, was in zip(seen, found, strict=True) if was)
        other = Counter(card for card, was in zip(seen, found, strict=True) if not was)
        if back <= returned and all(n <= len(TABLES.numbers_of[card]) - dealt[card] for card, n in other.items()):
            yield found


def places(viewer: Viewer) -> Any:
    """The places of a sample: a random card of each pile number in each other hand, and three places of the pile."""

    def look(sample: HellState, rng: Random) -> dict[Any, str]:
        found: dict[Any, str] = {}
        for seat, hand in enumerate(sample.hands):
            if seat != viewer:
                for number in sorted({sample.numbers[card] for card in hand}):
                    of_pile = [card for card in hand if sample.numbers[card] == number]
                    found[seat, number] = name_of(rng.choice(of_pile))
        pile = sample.pile[sample.top :]
        for where in {0, len(pile) // 2, len(pile) - 1} if pile else ():
            found[f"pile {where}", sample.pile_number] = name_of(pile[where])
        return found

    return look


@pytest.mark.parametrize("seats", GAME.seats)
def test_every_hidden_card_is_evenly_spread(seats: int) -> None:
    """R12.2 to R12.4: in many positions of random matches, for seats and spectators, each hand, and the top, the middle
    and the bottom of the pile, hold each card with its probability.
    """
    evenness, looked = Evenness(), Counter[str]()
    for seed in range(8):
        for stage, state, shown in positions(seats, seed):
            viewer = None if seed == 7 else seed % seats
            if shown.unclear:
                continue  # `test_worlds` counts these
            looked[stage] += 1
            chances = expected(state, viewer, shown)
            seen = sampled(GAME.belief(state.observation(viewer)), places(viewer), SAMPLES, Random(seed))
            for (place, number), counts in seen.items():
                where = "pile" if isinstance(place, str) else place
                name = f"{seats} seats, seed {seed}, {stage}, viewer {viewer}, {place} of pile {number}"
                evenness.look(name, counts, chances[where, number])
    assert min(looked[stage] for stage in ("early", "middle", "late")) >= 4
    evenness.judge(60)
