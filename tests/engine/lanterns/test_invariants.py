"""What holds in every position of Lanterns (I1 to I14), and how the unknown is dealt afresh (K1 to K5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import permutations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.core import CHANCE, Action, Event, IllegalAction, Scalar
from engine.lanterns import GAME
from engine.lanterns.actions import DEDICATIONS, DISCARDS, EXCHANGES, KIND_OF_LENGTH, PLACEMENTS, SKIP
from engine.lanterns.cards import count, unpack
from engine.lanterns.choices import dedications, exchanges
from engine.lanterns.components import BOX, COLOURS, POOL, SHOWN, STEPS, cell_position
from engine.lanterns.go import go_on
from engine.lanterns.state import LanternsState
from engine.walk import perft
from tests.engine.lanterns.table import everything, play, start

OPTIONS = {name: st.sampled_from(option.choices) for name, option in GAME.options.items()}


@dataclass(frozen=True)
class Match:
    """A random match of a certain temper: what it likes to do decides which corners of the rules it gets to."""

    seats: int
    options: dict[str, Scalar] = field(default_factory=dict)
    seed: int = 0
    temper: str = "any"

    def new(self) -> LanternsState:
        return GAME.new(self.seats, self.options)

    def choose(self, state: LanternsState, rng: Random) -> Action:
        """Any action; or hoard cards; or only dedicate one kind; or place where most sides match."""
        if state.to_act == CHANCE:
            return state.sample_chance(rng)
        legal = state.legal_actions()
        if self.temper == "hoard" and legal[0] == SKIP:
            return SKIP
        if self.temper in ("four", "pairs", "seven") and state.step == "dedicate":
            kind = ("four", "pairs", "seven").index(self.temper)
            return next((action for action in legal[1:] if KIND_OF_LENGTH[len(action.cards)] == kind), SKIP)  # type: ignore[attr-defined]
        if self.temper == "match" and state.step == "place":
            return max(rng.sample(list(legal), min(len(legal), 30)), key=lambda action: matches(state, action))
        return rng.choice(legal)

    def walk(self) -> Iterator[tuple[LanternsState, tuple[Event, ...]]]:
        """The state after each action, and what the action did."""
        state, rng = self.new(), Random(self.seed)
        while state.to_act is not None:
            events = state.apply(self.choose(state, rng))
            yield state, events


def matches(state: LanternsState, action: Action) -> int:
    """How many sides of a placement match."""
    before = state.clone()
    return next(len(event.public["bonus"]) + event.public["favor"] for event in before.apply(action))


any_match = st.builds(
    Match,
    seats=st.integers(2, 4),
    options=st.one_of(st.just({}), st.fixed_dictionaries(OPTIONS)),
    seed=st.integers(0, 2**32),
    temper=st.sampled_from(["any", "hoard", "four", "pairs", "seven", "match"]),
)
slow = settings(max_examples=60, deadline=None)


@slow
@given(any_match)
def test_nothing_is_lost_or_made(match: Match) -> None:
    """I1 to I4: cards by colour, favor tokens, tiles and dedication tokens are conserved at every step."""
    fresh = match.new()
    full, favor, stacks, generic = fresh.supply, fresh.favor_supply, fresh.rules.dedications, fresh.generic_left
    for state, _ in match.walk():
        assert state.supply + sum(state.held) == full
        for packed in (state.supply, *state.held):
            assert all(0 <= number <= 8 for number in unpack(packed).values())
            assert count(packed) == sum(unpack(packed).values())
        assert state.favor_supply + sum(state.favor) == favor
        assert min(state.favor_supply, *state.favor) >= 0
        if state.hands[0] or len(state.lake) > 1:
            lying = [code // 4 for code in state.lake.values()]
            hidden = [*(tile for hand in state.hands for tile in hand), *state.stack, *state.removed]
            assert sorted([*lying, *hidden]) == [0, *POOL]
        left = Counter(value for tokens in state.dedications for value in tokens)
        taken = Counter(value for values in state.taken for value in values)
        extra = taken + left - Counter(value for tokens in stacks for value in tokens)
        assert set(extra) <= {BOX["dedications"]["generic"]["value"]}
        assert all(first[len(first) - len(now) :] == now for first, now in zip(stacks, state.dedications, strict=True))
        if generic is not None:
            assert state.generic_left == generic - extra.total() >= 0


@slow
@given(any_match)
def test_the_lake_stays_one_piece(match: Match) -> None:
    """I5: the lake is edge-connected, its frontier is exactly the empty cells beside it, at most 2 x placed + 2."""
    for state, _ in match.walk():
        cells = set(state.lake)
        reached, waiting = set(), list(cells)[:1]
        while waiting:
            cell = waiting.pop()
            if cell in cells and cell not in reached:
                reached.add(cell)
                waiting += [cell + step for step in STEPS]
        assert reached == cells
        assert state.frontier == sorted({cell + step for cell in cells for step in STEPS} - cells)
        if cells:
            assert len(state.frontier) <= 2 * len(cells) + 2
            assert cell_position(next(iter(cells if len(cells) == 1 else state.lake))) == (0, 0)


@slow
@given(any_match)
def test_hands_and_limits(match: Match) -> None:
    """I6, I7: three tiles at a place step while the stack lasts, hands differ by at most one, bounds on held cards."""
    discards = 0
    for state, events in match.walk():
        sizes = [len(hand) for hand in state.hands]
        assert max(sizes) - min(sizes) <= 1
        if state.step == "place":
            assert not state.stack or len(state.hands[state.seat]) == 3
            if state.rules.limit_before_place:
                assert count(state.held[state.seat]) <= 12
        assert all(count(held) <= state.seats + 16 for held in state.held)
        discards = discards + 1 if events[0].type == "discard" else 0
        assert discards <= state.seats + 4


@slow
@given(any_match)
def test_place_actions_are_counted_by_a_formula(match: Match) -> None:
    """I8: faces in hand, times two or four rotations, times empty neighbouring cells; sorted, each once."""
    for state, _ in match.walk():
        if state.step == "place":
            legal = list(state.legal_actions())
            faces = set(state.hands[state.seat])
            rotations = sum(2 if tile in (25, 33) else 4 for tile in faces)
            assert len(legal) == rotations * len(state.frontier)
            assert legal == sorted(set(legal))


@slow
@given(any_match)
def test_matches_end_in_bounds(match: Match) -> None:
    """I9: exactly 22, 27 or 32 placements, and no more decisions than the data file says."""
    placed = 0
    state = match.new()
    for state, events in match.walk():  # noqa: B007
        placed += sum(event.type == "place" for event in events)
    assert placed == BOX["tile_counts"]["by_seats"][str(match.seats)]["placements"]
    assert state.turn <= BOX["max_decisions"]["by_seats"][str(match.seats)] <= GAME.max_turns


@slow
@given(any_match)
def test_scores_rise_by_at_most_a_token_a_go(match: Match) -> None:
    """I10: no score falls, and one decision adds at most 10, to the seat that took it."""
    before = (0,) * match.seats
    for state, events in match.walk():
        now = state.scores()
        gains = [after - earlier for after, earlier in zip(now, before, strict=True)]
        assert all(0 <= gain <= 10 for gain in gains)
        for seat, gain in enumerate(gains):
            assert not gain or (events[0].type, events[0].public["seat"]) == ("dedicate", seat)
        before = now


EVERY_ACTION: list[Action] = [
    SKIP,
    *EXCHANGES.values(),
    *DEDICATIONS.values(),
    *DISCARDS.values(),
    *(action for tile in (1, 10, 25) for cell in PLACEMENTS[tile] for action in PLACEMENTS[tile][cell]),
]


@slow
@given(any_match, st.integers(0, 2**32))
def test_what_is_not_listed_is_refused_and_changes_nothing(match: Match, seed: int) -> None:
    """I11: the legal list and `apply` agree on every action there is; a refusal leaves an equal state."""
    rng = Random(seed)
    for state, _ in match.walk():
        if rng.random() < 0.9:
            continue
        legal = set(state.legal_actions())
        before = everything(state)
        for action in rng.sample(EVERY_ACTION, 40):
            if action in legal:
                state.clone().apply(action)
            else:
                with pytest.raises(IllegalAction):
                    state.apply(action)
        assert everything(state) == before


@slow
@given(any_match, st.integers(0, 2**32))
def test_clones_are_independent_and_equal(match: Match, seed: int) -> None:
    """I12: a clone equals its original and plays on without touching it."""
    rng = Random(seed)
    for state, _ in match.walk():
        if rng.random() < 0.8 or state.to_act is None:
            continue
        before = everything(state)
        clone = state.clone()
        assert everything(clone) == before
        clone.apply(match.choose(clone, rng))
        assert everything(state) == before != everything(clone)


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
            assert everything(sample.resample(viewer, Random(luck))) == everything(sample)
            if state.to_act == viewer is not None:
                assert list(sample.legal_actions()) == list(state.legal_actions())


HIDDEN = ("hands", "stack", "removed")


@slow
@given(st.lists(st.integers(0, 8), min_size=7, max_size=7).filter(lambda counts: sum(counts) >= 11))
def test_eleven_cards_contain_a_set(counts: list[int]) -> None:
    """I14: whoever holds eleven cards holds a set; so a seat over the limit was always offered a dedication."""
    state = start(2, 0)
    state.held[0] = sum(number << 8 * colour for colour, number in enumerate(counts))
    go_on(state, "exchange")
    assert state.step == "dedicate"


@given(st.lists(st.integers(0, 8), min_size=7, max_size=7))
def test_sets_are_found_as_by_counting(counts: list[int]) -> None:
    """R6.1: the kept lists of sets agree with plain counting, in the order of the table."""
    state = start(2, 0)
    state.held[0] = sum(number << 8 * colour for colour, number in enumerate(counts))
    held = dict(zip(COLOURS, counts, strict=True))
    expected = [cards for cards in DEDICATIONS if all(held[letter] >= cards.count(letter) for letter in cards)]
    assert [action.cards for action in dedications(state)[1:]] == expected  # type: ignore[attr-defined]


@given(
    st.lists(st.integers(0, 4), min_size=7, max_size=7),
    st.lists(st.integers(0, 4), min_size=7, max_size=7),
)
def test_exchanges_are_found_as_by_counting(mine: list[int], supply: list[int]) -> None:
    """R5.1: the kept lists of exchanges agree with plain counting, in the order of the table."""
    state = start(2, 0)
    state.held[0] = sum(number << 8 * colour for colour, number in enumerate(mine))
    state.supply = sum(number << 8 * colour for colour, number in enumerate(supply))
    expected = [
        (COLOURS[give], COLOURS[take])
        for give in range(7)
        for take in range(7)
        if give != take and mine[give] and supply[take]
    ]
    assert [action[:2] for action in exchanges(state)[1:]] == expected


# Uniform beliefs, on positions small enough to list every deal


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


def chi_square(seen: Counter[tuple[int, ...]], expected: dict[tuple[int, ...], float]) -> float:
    """How far the counts are from what was expected."""
    return sum((seen[deal] - number) ** 2 / number for deal, number in expected.items())


def test_every_deal_of_the_unseen_is_equally_likely() -> None:
    """K2: three tiles in other hands and three removed: all 120 deals come up equally often (chi-square, 119 degrees
    of freedom, fixed seed: under 160 with probability 0.993).
    """
    state = small_position([[1, 2], [3], [4], [5]], [6, 7, 8])
    belief, rng = GAME.belief(state.observation(0)), Random(20)
    seen = Counter(tuple(hand[0] for hand in belief.sample(rng).hands[1:]) for _ in range(24_000))  # type: ignore[attr-defined]
    deals = list(permutations([3, 4, 5, 6, 7, 8], 3))
    assert set(seen) == set(deals)
    assert chi_square(seen, dict.fromkeys(deals, 200.0)) < 160


def test_a_face_with_two_copies_is_twice_as_likely() -> None:
    """K1, K2: with both copies of face 10 unseen among five tiles, another seat's single tile is 10 in 2 of 5 deals."""
    state = small_position([[1], [2], [], []], [3, 10, 10, 4])
    belief, rng = GAME.belief(state.observation(0)), Random(21)
    seen = Counter(belief.sample(rng).hands[1] for _ in range(10_000))  # type: ignore[attr-defined]
    expected = {(2,): 2000.0, (3,): 2000.0, (4,): 2000.0, (10,): 4000.0}
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
    expected = {(0,): 8000 * 3 / 32, (1,): 8000 * 16 / 32, (2,): 8000 * 13 / 32}
    assert chi_square(where, expected) < 13.8  # 2 degrees of freedom: probability 0.999


def test_the_order_of_the_stack_is_as_open_as_its_tiles() -> None:
    """K2: each unseen tile lies on top of the stack, and at its bottom, equally often, face 10 twice as often."""
    state = start(2, 0, "1 2 3 4 5 6")
    belief, rng = GAME.belief(state.observation(0)), Random(24)
    tops: Counter[tuple[int, ...]] = Counter()
    bottoms: Counter[tuple[int, ...]] = Counter()
    for _ in range(6_400):
        stack = belief.sample(rng).stack  # type: ignore[attr-defined]
        tops[stack[:1]] += 1
        bottoms[stack[-1:]] += 1
    expected = {(tile,): 400.0 if tile == 10 else 200.0 for tile in POOL if tile > 3}
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
        believed += 10 in belief.sample(rng).hands[1]  # type: ignore[attr-defined]
    assert abs(real - believed) < 4 * (2 * 4000 * 0.18 * 0.82) ** 0.5


# Counts of all continuations


@pytest.mark.parametrize(
    ("seats", "seed", "counts"),
    [
        (2, 0, [48, 3456]),
        (2, 5, [40, 2400]),
        (3, 0, [48, 3456]),
        (3, 3, [48, 2880]),
        (4, 0, [48, 3456]),
        (4, 3, [40, 2880]),
    ],
)
def test_perft_from_the_start(seats: int, seed: int, counts: list[int]) -> None:
    """The number of sequences of one and two decisions, with the chance outcomes of a seed; and the same by formula."""
    assert [perft(GAME.new(seats), depth, seed) for depth in (1, 2)] == counts
    state = GAME.new(seats)
    while state.to_act == CHANCE:
        state.apply(state.sample_chance(Random(f"{seed}:{state.chance_key}")))
    first = state.start_seat or 0
    # Nobody can exchange or dedicate yet; one placed tile makes four empty neighbours into six.
    rotations = [
        sum(2 if tile in (25, 33) else 4 for tile in set(state.hands[(first + turn) % seats])) for turn in (0, 1)
    ]
    assert counts == [4 * rotations[0], 4 * rotations[0] * 6 * rotations[1]]


def test_perft_to_the_end_of_the_match() -> None:
    """The number of ways through the last placement and the final goes, with exchanges, sets and discards in them."""
    state = start(2, 1, "1 2 3")
    play(state, "p 4@1,0/0")
    state.hands, state.stack, state.placements_left = [(3,), ()], (), 1
    state.held = [pack_text("BBBGGGKKKOOOP"), pack_text("RRRWW")]
    state.supply = state.rules.supply - sum(state.held)
    state.favor, state.favor_supply = [2, 4], 14
    go_on(state, "exchange")
    assert (state.to_act, state.step) == (0, "exchange")
    assert [perft(state, depth) for depth in range(1, 6)] == [31, 195, 4095, 77904, 246801]


def pack_text(letters: str) -> int:
    """Packed cards."""
    return sum(1 << 8 * COLOURS.index(letter) for letter in letters)


def test_sides_touch_as_drawn() -> None:
    """R2.3, R8.2: the bonus of a placement names just the colours that equal the touching ones, N, E, S, W."""
    for state, events in Match(3, seed=5, temper="match").walk():
        for event in events:
            if event.type == "place":
                fields = event.public
                cell = next(cell for cell in state.lake if cell_position(cell) == (fields["x"], fields["y"]))
                shown = SHOWN[4 * fields["tile"] + fields["rotation"]]
                equal = "".join(
                    COLOURS[shown[side]]
                    for side, step in enumerate(STEPS)
                    if cell + step in state.lake and SHOWN[state.lake[cell + step]][(side + 2) % 4] == shown[side]
                )
                rest = iter(equal)
                assert all(letter in rest for letter in fields["bonus"])  # a missing card is left out, order stays
                assert equal or not fields["favor"]
