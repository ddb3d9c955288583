"""How a belief of Lanterns deals the unseen tiles again (K1 to K5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import permutations
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from engine.lanterns import GAME
from engine.lanterns.components import POOL, STEPS
from engine.lanterns.state import LanternsState
from tests.engine.lanterns.matches import Match, any_match, slow
from tests.engine.lanterns.table import everything, start


@slow
@given(any_match, st.integers(0, 2**32))
def test_beliefs_deal_the_unseen_consistently(match: Match, seed: int) -> None:
    """I13, K1 to K4: a sample looks the same to its viewer, deals exactly the unseen tiles at the right sizes, sorted
    where order means nothing, and depends on observation and generator alone.
    """
    rng = Random(seed)
    for state, _ in match.walk():
        if rng.random() < 0.8:
            continue
        for viewer in (None, *range(match.seats)):
            luck = rng.getrandbits(32)
            sample = state.resample(viewer, Random(luck))
            assert isinstance(sample, LanternsState)
            assert sample.observation(viewer) == state.observation(viewer)
            known = {name: value for name, value in everything(sample).items() if name not in HIDDEN}
            assert known == {name: value for name, value in everything(state).items() if name not in HIDDEN}
            for hand in sample.hands:
                assert list(hand) == sorted(hand)
            assert list(sample.removed) == sorted(sample.removed)
            tiles = [[*sum(one.hands, ()), *one.stack, *one.removed] for one in (sample, state)]
            assert sorted(tiles[0]) == sorted(tiles[1])
            # The real state and any sample are one and the same to the viewer: equal luck gives equal copies.
            again = sample.resample(viewer, Random(luck))
            assert isinstance(again, LanternsState)
            assert everything(again) == everything(sample)
            if state.to_act == viewer is not None:
                assert list(sample.legal_actions()) == list(state.legal_actions())


HIDDEN = ("hands", "stack", "removed")


def small_position(hands: list[list[int]], removed: list[int]) -> LanternsState:
    """Four seats near the end of a match: nothing in the stack, every other tile of the pool on the lake in a row."""
    state = start(4, 0)
    hidden = Counter(tile for hand in hands for tile in hand) + Counter(removed)
    for x, tile in enumerate((Counter(POOL) - hidden).elements(), 1):
        state.lake[next(iter(state.lake)) + x * STEPS[1]] = 4 * tile
    state.frontier = sorted({cell + step for cell in state.lake for step in STEPS} - state.lake.keys())
    state.hands = [tuple(hand) for hand in hands]
    state.stack, state.removed = (), tuple(removed)
    state.placements_left = sum(map(len, hands))
    return state


def chi_square(seen: Counter[tuple[int, ...]], expected: Mapping[tuple[int, ...], float]) -> float:
    """How far the counts are from what was expected."""
    return sum((seen[deal] - number) ** 2 / number for deal, number in expected.items())


def test_every_deal_of_the_unseen_is_equally_likely() -> None:
    """K2: three tiles in other hands and three removed: all 120 deals come up equally often (chi-square, 119 degrees
    of freedom, fixed seed: under 160 with probability 0.993).
    """
    state = small_position([[1, 2], [3], [4], [5]], [6, 7, 8])
    belief, rng = GAME.belief(state.observation(0)), Random(20)
    seen = Counter(tuple(hand[0] for hand in belief.sample(rng).hands[1:]) for _ in range(24_000))
    deals = list(permutations([3, 4, 5, 6, 7, 8], 3))
    assert set(seen) == set(deals)
    assert chi_square(seen, dict.fromkeys(deals, 200.0)) < 160


def test_a_face_with_two_copies_is_twice_as_likely() -> None:
    """K1, K2: with both copies of face 10 unseen among five tiles, another seat's single tile is 10 in 2 of 5 deals."""
    state = small_position([[1], [2], [], []], [3, 10, 10, 4])
    belief, rng = GAME.belief(state.observation(0)), Random(21)
    seen = Counter(belief.sample(rng).hands[1] for _ in range(10_000))
    expected: dict[tuple[int, ...], float] = {(2,): 2000.0, (3,): 2000.0, (4,): 2000.0, (10,): 4000.0}
    assert set(seen) == set(expected)
    assert chi_square(seen, expected) < 16  # 3 degrees of freedom: probability 0.999


def test_stack_hand_and_removed_tiles_belong_to_one_mix() -> None:
    """K2: an unseen tile is in the other hand, in the stack or out of the match in proportion to their sizes."""
    state = start(2, 0, "1 2 3 4 5 6")
    belief, rng = GAME.belief(state.observation(0)), Random(22)
    where: Counter[tuple[int, ...]] = Counter()
    for _ in range(8_000):
        sample = belief.sample(rng)
        assert isinstance(sample, LanternsState)
        where[(0 if 34 in sample.hands[1] else 1 if 34 in sample.stack else 2,)] += 1
    expected: dict[tuple[int, ...], float] = {(0,): 8000 * 3 / 32, (1,): 8000 * 16 / 32, (2,): 8000 * 13 / 32}
    assert chi_square(where, expected) < 13.8  # 2 degrees of freedom: probability 0.999


def test_the_order_of_the_stack_is_as_open_as_its_tiles() -> None:
    """K2: each unseen tile lies on top of the stack, and at its bottom, equally often, face 10 twice as often."""
    state = start(2, 0, "1 2 3 4 5 6")
    belief, rng = GAME.belief(state.observation(0)), Random(24)
    tops: Counter[tuple[int, ...]] = Counter()
    bottoms: Counter[tuple[int, ...]] = Counter()
    for _ in range(6_400):
        stack = belief.sample(rng).stack
        tops[stack[:1]] += 1
        bottoms[stack[-1:]] += 1
    expected: dict[tuple[int, ...], float] = {(tile,): 400.0 if tile == 10 else 200.0 for tile in POOL if tile > 3}
    assert set(tops) == set(bottoms) == set(expected)
    # 30 degrees of freedom: probability 0.999 each
    assert chi_square(tops, expected) < 59.7
    assert chi_square(bottoms, expected) < 59.7


def test_beliefs_match_what_shuffling_really_gives() -> None:
    """K2: among real deals that look the same to seat 0, seat 1 holds a tile as often as the belief says."""
    rng, real, believed = Random(23), 0, 0
    mine = start(2, 0, "1 2 3").observation(0)
    belief = GAME.belief(mine)
    for _ in range(4_000):
        rest = [tile for tile in POOL if tile not in (1, 2, 3)]
        rng.shuffle(rest)
        state = start(2, 0, [1, 2, 3, *rest])
        assert state.observation(0) == mine
        real += 10 in state.hands[1]
        believed += 10 in belief.sample(rng).hands[1]
    assert abs(real - believed) < 4 * (2 * 4000 * 0.18 * 0.82) ** 0.5
