"""Beliefs of Hell Village agree with the observation, and deal the unseen cards uniformly."""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations, permutations
from math import comb
from random import Random
from typing import Any

from hypothesis import given

from engine.core import Scalar
from engine.hell_village import GAME
from engine.hell_village.state import HellState
from tests.engine.hell_village.matches import check_position, option_sets, seat_counts, seeds, walk, walks
from tests.engine.hell_village.table import chance, deck, do, listed, number_of, position, start

TABLES = GAME.tables


@walks
@given(seat_counts, option_sets, seeds)
def test_beliefs_fit_all_that_is_seen(seats: int, options: dict[str, Scalar], seed: int) -> None:
    """I9, R12.2, R12.5, R12.6, R12.7: a sample looks the same to the viewer, is sound, and keeps what is known of
    hidden cards; and a sample can itself be looked at, and believed, from every other seat.
    """
    rng = Random(seed + 1)
    for number, (state, _) in enumerate(walk(seats, options, seed)):
        if number % 11:
            continue
        viewer: int | None = rng.choice((None, *range(seats)))
        seen = json.loads(json.dumps(state.observation(viewer)))
        sample = GAME.belief(seen).sample(rng)
        assert sample.observation(viewer) == seen
        check_position(sample)
        if state.to_act == viewer is not None:
            assert sample.legal_actions() == state.legal_actions()
        check_known(sample, viewer, seen)
        other = rng.randrange(seats)
        from_there = sample.observation(other)
        assert GAME.belief(from_there).sample(rng).observation(other) == from_there


def check_known(sample: HellState, viewer: int | None, seen: dict[str, Any]) -> None:
    """R12.3 to R12.7 for one sampled position."""
    seats = range(sample.seats)
    for seat in seats:
        counts = Counter(str(sample.numbers[card]) for card in sample.hands[seat])
        counts.update(str(entry.pile) for entry in sample.unsure[seat])
        assert counts == seen["tables"][seat]["cards_by_pile"], "R12.3"
    if viewer is None:
        return
    mine = set(sample.dealt[viewer])
    for seat in seats:
        if seat == viewer:
            continue
        assert not mine & set(sample.dealt[seat]), "R12.5"
        assert not set(sample.knowledge_dealt[viewer]) & {sample.knowledge[seat]}, "R12.7"
        if sample.pile_number:
            had = Counter(seen["tables"][seat]["shown_from_first_pile"])
            had.update(TABLES.cards[card].id for card in sample.hands[seat] if sample.numbers[card] == 1)
            had.update(entry.card for entry in sample.unsure[seat] if entry.pile == 1)
            kept = Counter(TABLES.cards[card].id for card in {*sample.dealt[seat]} - {*sample.returned[seat]})
            assert kept.total() == 2
            assert kept <= had, "R12.4"
    chosen = [name for name in sample.knowledge if name is not None]
    assert len(set(chosen)) == len(chosen), "R12.7"
    payments = [name for group in sample.payments for name in group]
    assert len({*payments, *sample.payments_gone}) == len(payments) + len(sample.payments_gone), "R12.6"


def test_hidden_hands_do_not_change_what_others_see() -> None:
    """I8: exchanging the hidden cards of a seat changes neither what others see nor how often they are asked."""
    seen, turns = [], []
    for hidden in ("imp orc", "witch ghost"):
        state = position(
            "placement",
            2,
            dice={0: (2,), 1: (3,)},
            hands={1: hidden},
            pile="dagon human medusa behemoth warlock mammon",
        )
        do(state, "2@audience_room", "3@audience_room", "skip")
        seen.append([state.observation(viewer) for viewer in (None, 0)])
        turns.append(state.turn)
    assert seen[0] == seen[1]
    assert turns[0] == turns[1]


def chi_square(counts: Counter[Any], cells: int) -> float:
    """How far the counts are from uniform over so many cells."""
    expected = counts.total() / cells
    unseen = cells - len(counts)
    return sum((count - expected) ** 2 / expected for count in counts.values()) + unseen * expected


def test_a_hand_kept_at_setup_is_uniform_among_what_the_viewer_was_not_dealt() -> None:
    """R12.4: right after setup each pair of the 71 other cards is as likely: single cards are, in 20,000 samples."""
    state = start(2)
    do(state, listed(state)[0])
    do(state, listed(state)[0])
    chance(state, state.sample_chance(Random(1)))
    belief, rng = GAME.belief(state.observation(0)), Random(2)
    counts: Counter[int] = Counter()
    pairs: set[tuple[int, ...]] = set()
    for _ in range(20_000):
        held = belief.sample(rng).hands[1]
        counts.update(held)
        pairs.add(held)
    mine = set(state.dealt[0])
    assert not counts.keys() & mine
    assert len(counts) == 71
    assert chi_square(counts, 71) < 112  # the 99.9 % point for 70 degrees of freedom
    assert len(pairs) > 0.999 * comb(71, 2)


def test_knowledge_of_others_is_open_in_every_way_that_fits() -> None:
    """R12.7: any of the eight cards that were not dealt to the viewer, each equally often; no two seats share one."""
    state = start(3, knowledge="demonology strategy")
    for _ in range(3):
        do(state, listed(state)[0])
    belief, rng = GAME.belief(state.observation(0)), Random(5)
    counts: Counter[Any] = Counter()
    for _ in range(5_600):
        counts[tuple(belief.sample(rng).knowledge[1:])] += 1
    assert counts.keys() == set(permutations([*TABLES.knowledge][2:], 2))
    assert chi_square(counts, 56) < 93.2  # the 99.9 % point for 55 degrees of freedom


def test_face_down_payments_are_open_in_every_way_that_fits() -> None:
    """R12.6: each card not yet seen lies in each round to come equally often; those of round 7 lie in table order."""
    state = position("payment", 2, round_number=3)
    state.payments_gone = ("peaceful_day", "tithe_of_souls")
    seen = state.observation(0)
    open_cards = {name for names in seen["payments"].values() for name in names if name}
    belief, rng = GAME.belief(seen), Random(4)
    counts: Counter[str] = Counter()
    last: Counter[tuple[str, ...]] = Counter()
    for _ in range(3_000):
        payments = belief.sample(rng).payments
        counts.update(payments[4])
        last[payments[6]] += 1
    hidden = [name for name in TABLES.payments if name not in {*open_cards, *state.payments_gone}]
    assert counts.keys() == set(hidden)
    assert last.keys() == set(combinations(hidden, 2))
    assert len(hidden) == 6
    assert chi_square(counts, 6) < 20.5  # the 99.9 % points for 5 and 14 degrees of freedom
    assert chi_square(last, 15) < 36.1


def test_a_small_position_is_dealt_uniformly() -> None:
    """R12.2, R12.3: two seats, 3 + 1 hidden cards of two piles: each of the deals that fit comes equally often."""
    hidden = "imp orc witch ghost dagon human medusa"
    rest = " ".join(card.id for card in TABLES.cards if card.id not in hidden.split())
    hands = {0: "human", 1: "medusa"}
    # All other cards lie open, as if they had been played.
    state = position([("draw", 1, 2)], 2, pile="imp", discard="orc witch ghost dagon", hands=hands, plans={0: rest})
    chance(state, deck("orc", pool=sorted(state.discard)))
    assert sorted(state.hands[1]) == sorted(number_of(name) for name in ("imp", "orc", "medusa"))
    belief, rng = GAME.belief(state.observation(0)), Random(3)
    counts: Counter[tuple[Any, ...]] = Counter()
    for _ in range(12_000):
        sample = belief.sample(rng)
        counts[sample.hands[1], sample.pile] += 1
    # Imp and Medusa are of the first pile, so seat 1 has them, and one of the four cards of the second.
    assert all({number_of("imp"), number_of("medusa")} <= set(held) for held, _ in counts)
    assert len(counts) == 24
    assert chi_square(counts, 24) < 49.7  # the 99.9 % point for 23 degrees of freedom


def test_cards_that_must_be_held_are_dealt_first() -> None:
    """R12.4: of three hidden cards in a hand two are none of those that were dealt to the viewer; the third is drawn
    evenly from all others.
    """
    state = start(2, "imp orc dagon witch ghost")
    do(state, "keep imp orc demonology")
    do(state, listed(state)[0])
    state.agenda = [("bury", 1, 9), ("draw", 1, 1), ("deck", 1)]
    kept = {card for held in state.hands for card in held}
    chance(state, deck("dagon", pool=[card for card in range(76) if card not in kept]))
    belief, rng = GAME.belief(state.observation(0)), Random(4)
    mine = set(state.dealt[0])
    samples = 20_000
    with_one = 0
    for _ in range(samples):
        held = belief.sample(rng).hands[1]
        dealt_to_me = [card for card in held if card in mine]
        assert len(dealt_to_me) <= 1
        with_one += len(dealt_to_me)
    # 3 of the 72 cards of the first pile were dealt to the viewer.
    assert abs(with_one / samples - 3 / 72) < 0.005
