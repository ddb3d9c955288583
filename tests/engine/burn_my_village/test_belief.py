"""What all seats know, and what a viewer considers possible: rules R9."""

from __future__ import annotations

from random import Random

from engine.burn_my_village import GAME
from engine.burn_my_village.actions import DRAW, Track
from engine.walk import random_walk
from tests.engine.burn_my_village.positions import (
    bribe,
    buy,
    codes,
    dealt,
    letters,
    names,
    position,
    resampled,
)


def test_what_the_table_knows_of_a_hand() -> None:
    """R9.1, R9.2: nothing after setup; goods are known, draws are not; known cards are spent first, down to none."""
    state = position(["AS", ""], "RRAA", stalls={1: "AAC", 0: "A"})
    assert state.known == [0, 0]
    state.apply(buy(1, "A", "A"))
    assert letters(state.known[0]) == "AAC"  # the payment was subtracted before: both axes are known
    state.apply(DRAW)
    state.apply(DRAW)
    assert letters(state.known[0]) == "AAC"
    state.apply(DRAW)
    state.apply(bribe("A2+0"))
    assert letters(state.known[0]) == "C"
    later = state.clone()
    later.to_act, later.stalls[0] = 0, codes("SS")
    later.apply(buy(0))
    assert letters(later.known[0]) == "SSC"  # what was known before stays known
    assert state.observation(1)["tables"][0] == {
        "hand_size": 3, "known": {"crown": 1}, "bribes": {"axe": {"cards": 2, "wilds": 0}}, "hand": None,
    }  # fmt: skip


def test_two_seats_and_an_empty_deck_hide_nothing() -> None:
    """R9.3: then all cards are accounted for, and the belief is the truth."""
    state = dealt(2, 3)
    while state.top < len(state.deck):
        state.apply(DRAW)
    for viewer in (0, 1):
        assert state.resample(viewer, Random(1)) == state


def test_a_belief_before_the_shuffle_and_at_the_end_is_the_state() -> None:
    """R9.4: nothing is hidden there."""
    state = GAME.new(3)
    assert state.resample(None, Random(1)) == state
    state.apply(Track(names("AFSBCR")))
    assert state.resample(2, Random(1)) == state
    for _ in random_walk(state, Random(1)):
        pass
    for viewer in (None, 0, 1, 2):
        assert state.resample(viewer, Random(1)) == state


def test_a_sample_keeps_what_is_seen() -> None:
    """R9.5: own hand, known parts, sizes and table stay; the hidden part and the deck are dealt anew."""
    state = dealt(3, 4)
    for _ in range(9):
        state.apply(state.legal_actions()[-1])
    samples = [resampled(state, 0, Random(seed)) for seed in range(20)]
    assert all(sample.hands[0] == state.hands[0] for sample in samples)
    assert len({sample.hands[1] for sample in samples}) > 1
    assert len({sample.deck for sample in samples}) == 20
