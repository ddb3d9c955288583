"""Invariants of Hell Village as properties of random matches, and what beliefs deal afresh.

The walks prefer to play cards: uniform ones rarely do.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, permutations
from math import comb
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.core import CHANCE, Action, IllegalAction, Scalar
from engine.hell_village import GAME
from engine.hell_village.agenda import CARD_STEPS
from engine.hell_village.ruleset import OPTIONS
from engine.hell_village.state import HellState
from engine.hell_village.village import START, STEPS
from engine.walk import perft
from tests.engine.hell_village.table import chance, deck, do, listed, number_of, position, start

TABLES = GAME.tables
MOST_PLACEMENTS = {2: 41, 3: 49, 4: 67, 5: 80}
seeds = st.integers(0, 2**32)
seat_counts = st.integers(2, 5)
option_sets = st.fixed_dictionaries({}, optional={n: st.sampled_from(o.choices) for n, o in OPTIONS.items()})
walks = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def chosen(state: HellState, rng: Random) -> Action:
    """A random action that plays a card where one can be played, and now and then does not."""
    if state.to_act == CHANCE:
        return state.sample_chance(rng)
    legal = state.legal_actions()
    plays = [action for action in legal if action[0] == "play"]
    if not plays and rng.random() < 0.3:  # dice for the Audience Room, so that cards can be played at all
        plays = [action for action in legal if action[0] == "place" and action[2] == "audience_room"]
    return rng.choice(plays if plays and rng.random() < 0.9 else legal)


def walk(seats: int, options: dict[str, Scalar], seed: int) -> Iterator[tuple[HellState, Action | None]]:
    """A match, with the action that led to each position."""
    state, rng = GAME.new(seats, options), Random(seed)
    yield state, None
    while state.to_act is not None:
        action = chosen(state, rng)
        state.apply(action)
        yield state, action


def where_cards_are(state: HellState) -> Counter[int]:
    """Every card with how often it is somewhere."""
    found: Counter[int] = Counter(state.pile[state.top :])
    found.update(state.discard)
    groups: tuple[list[tuple[int, ...]], ...] = (state.hands, state.demons, state.plans, state.industries)
    for group in groups:
        for cards in group:
            found.update(cards)
    if state.pile_number == 0:
        for seat, dealt in enumerate(state.dealt):
            found.update(card for card in dealt if card not in state.hands[seat])
    found.update({step[2]: 1 for step in state.agenda if step[0] in CARD_STEPS})
    return found


def check_position(state: HellState) -> None:
    """I1 to I5."""
    if state.dealt[0]:
        assert where_cards_are(state) == Counter(range(76)), "I1"
    assert all(0 <= amount <= 12 for amount in state.stock), "I2"
    assert all(0 <= steps <= 6 for steps in state.income), "I2"
    assert all(len(cards) <= 8 for cards in state.industries), "I2"
    if state.phase in ("placement", "workplaces"):
        placed = Counter(owner for dice in state.workplaces for owner, _ in dice)
        for seat in range(state.seats):
            assert placed[seat] + len(state.dice[seat]) + len(state.warlock[seat]) == 3, "I3"
            assert state.phase == "placement" or not state.dice[seat], "I3"
    for dice, spaces in zip(state.workplaces, state.rules.spaces, strict=True):
        assert len(dice) <= spaces, "I4"
        assert all(1 <= value <= 6 for _, value in dice)
    assert len(state.village) == sum(map(len, state.industries)), "I5"
    assert START not in state.village, "I5"
    reached, edge = {START}, [START]
    while edge:
        x, y = edge.pop()
        beside = {(x + dx, y + dy) for dx, dy in STEPS.values()} & state.village.keys() - reached
        reached |= beside
        edge += beside
    assert reached == {START, *state.village}, "I5"


@walks
@given(seat_counts, option_sets, seeds)
def test_every_position_of_a_match_is_sound(seats: int, options: dict[str, Scalar], seed: int) -> None:
    """I1 to I7, I11, I12: cards conserved, rows within limits, three dice a seat, spaces respected, the village in one
    piece, hands of at most 6 after the hand limit, and bounds on the length of phases.
    """
    placements = turns = 0
    number = 0
    for state, action in walk(seats, options, seed):
        check_position(state)
        if state.round != number:
            number, placements, turns = state.round, 0, state.turn
            assert all(len(hand) <= 6 for hand in state.hands), "I7"
        if action is not None and action[0] == "place":
            placements += 1
            if not options.get("kick_own") and options.get("warlock_dice") != "any":
                assert placements <= MOST_PLACEMENTS[seats], "I11"
        assert state.turn - turns <= 810, "I12"
    assert state.turn <= GAME.max_turns


@walks
@given(seat_counts, option_sets, seeds)
def test_points_are_lost_in_the_payment_phase_alone(seats: int, options: dict[str, Scalar], seed: int) -> None:
    """I7: EP fall only when seats pay what a round asks."""
    before, number = [0] * seats, 0
    for state, _ in walk(seats, options, seed):
        if any(now < then for now, then in zip(state.ep, before, strict=True)):
            assert state.phase in ("payment", "end_of_round", "over") or state.round == number + 1
        before, number = state.ep[:], state.round


@walks
@given(seat_counts, option_sets, seeds)
def test_refused_actions_change_nothing(seats: int, options: dict[str, Scalar], seed: int) -> None:
    """I6: the list has no double, every entry can be played, and what is not in it is refused without a trace."""
    rng = Random(seed + 1)
    others: list[Action] = []
    for number, (state, _) in enumerate(walk(seats, options, seed)):
        legal = state.legal_actions()
        assert len(set(legal)) == len(legal)
        if number % 7 == 0 and legal:
            essence = state.clone().essence()
            state.clone().apply(rng.choice(legal))
            for action in others:
                if action not in legal:
                    with pytest.raises(IllegalAction):
                        state.apply(action)
            assert state.essence() == essence
            others = rng.sample(legal, min(3, len(legal)))


@walks
@given(seat_counts, option_sets, seeds)
def test_no_two_actions_lead_to_the_same_position(seats: int, options: dict[str, Scalar], seed: int) -> None:
    """R0.4: each action of a list comes to a position of its own, with stocks kept full to make that hard."""
    rng = Random(seed + 1)
    for number, (state, _) in enumerate(walk(seats, options, seed)):
        if number % 5 or state.to_act in (None, CHANCE):
            continue
        full = state.clone()
        full.stock = [min(12, max(amount, rng.choice((10, 11, 12)))) for amount in full.stock]
        full.legal = None
        results = []
        legal = full.legal_actions()
        for action in rng.sample(legal, min(len(legal), 12)):
            after = full.clone()
            after.legal = legal
            after.apply(action)
            results.append(after.essence())
        assert all(results.count(result) == 1 for result in results)


@walks
@given(seat_counts, option_sets, seeds)
def test_replaying_gives_the_same_match(seats: int, options: dict[str, Scalar], seed: int) -> None:
    """I10: the same actions give the same positions, and a clone never touches its original."""
    again = GAME.new(seats, options)
    for state, action in walk(seats, options, seed):
        if action is not None:
            untouched = again.clone()
            kept = untouched.essence()
            again.apply(action)
            assert untouched.essence() == kept
        assert again.essence() == state.essence()


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
            shown = seen["me"]["shown_from_first_pile"][str(seat)]
            foreign = [card for card in sample.hands[seat] if sample.numbers[card] == 1 and card not in mine]
            assert len(foreign) >= max(0, 2 - shown), "R12.4"
    kept = [name for name in sample.knowledge if name is not None]
    assert len(set(kept)) == len(kept), "R12.7"
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
    chance(state, state.sample_chance(Random(1)))  # type: ignore[arg-type]
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


def first_placement(seats: int) -> HellState:
    """The first die of a match in which all keep the first cards listed, chance drawn from its keys."""
    state = GAME.new(seats)
    while state.phase != "placement":
        if state.to_act == CHANCE:
            state.apply(state.sample_chance(Random(f"perft:{state.chance_key}")))
        else:
            state.apply(state.legal_actions()[0])
    return state


@pytest.mark.parametrize(("seats", "counts"), [(2, (20, 400)), (3, (20, 400)), (4, (20, 400)), (5, (20, 400))])
def test_perft_of_the_setup(seats: int, counts: tuple[int, ...]) -> None:
    """The number of action sequences from the start: each seat has 10 pairs of cards and 2 knowledge cards."""
    assert tuple(perft(GAME.new(seats), depth) for depth in (1, 2)) == counts


@pytest.mark.parametrize(
    ("seats", "counts"), [(2, (27, 646, 9229)), (3, (30, 803, 19852)), (4, (30, 828, 21528)), (5, (30, 834, 22353))]
)
def test_perft_of_the_first_placements(seats: int, counts: tuple[int, ...]) -> None:
    """The number of sequences of one to three turns from the first placement of a fixed match."""
    assert tuple(perft(first_placement(seats), depth) for depth in (1, 2, 3)) == counts
