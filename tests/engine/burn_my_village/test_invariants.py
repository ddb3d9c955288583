"""Invariants I1 to I9 of Please Don't Burn My Village!, at any seat count, under any options, on any path of play."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.burn_my_village import GAME
from engine.burn_my_village.actions import DRAW, Bribe
from engine.burn_my_village.components import NAMES, OPTIONS, PER_TYPE, WILD
from engine.burn_my_village.counts import COUNT, SHIFTS, as_codes, covers, size
from engine.burn_my_village.state import VillageState
from engine.core import CHANCE, Action, Event, Scalar
from engine.walk import random_walk, replay_actions
from tests.engine.burn_my_village.positions import resampled
from tests.engine.contract import as_json, seen

MATCHES = st.tuples(
    st.sampled_from(GAME.seats),
    st.fixed_dictionaries({name: st.sampled_from(option.choices) for name, option in OPTIONS.items()}),
    st.integers(0, 2**32),
)
"""Seat count, options, and the seed of the play."""
Match = tuple[int, dict[str, Scalar], int]
any_match = given(match=MATCHES)
few = settings(max_examples=25, deadline=None)


def play(match: Match) -> Iterator[tuple[VillageState, VillageState, Action, tuple[Event, ...]]]:
    """Each action of a random match with the states before and after it. Actions of a rare kind are as likely as
    those of which there are many, so that matches of every length and shape come up.
    """
    seats, options, seed = match
    state = GAME.new(seats, options)
    rng = Random(seed)
    lazy = rng.random()
    while state.to_act is not None:
        before = state.clone()
        if state.to_act == CHANCE:
            action = state.sample_chance(rng)
        else:
            kinds = sorted({choice.type for choice in state.legal_actions()})  # type: ignore[attr-defined]
            kind = "draw" if rng.random() < lazy and "draw" in kinds else rng.choice(kinds)
            action = rng.choice([one for one in state.legal_actions() if one.type == kind])  # type: ignore[attr-defined]
        events = state.apply(action)
        yield before, state, action, events


@few
@any_match
def test_i1_no_card_is_made_or_lost(match: Match) -> None:
    """I1: deck, stalls, hands, columns and discards hold 14 of each type and the used Wilds, at all times."""
    for _, state, _, _ in play(match):
        counts = [0] * len(NAMES)
        visible = [*state.hands, *state.columns, state.discards]
        for code in (*state.deck[state.top :], *(card for goods in state.stalls for card in goods)):
            counts[code] += 1
        for packed in visible:
            for code in as_codes(packed):
                counts[code] += 1
        counts[WILD] += sum(packed >> shift & 63 for packed in state.wilds for shift in SHIFTS[:-1])
        assert counts == [PER_TYPE] * 6 + [state.rules.wilds]


@few
@any_match
def test_i2_track_columns_and_discards(match: Match) -> None:
    """I2: the track is a permutation, each column has a Treasure, and columns and discards never shrink."""
    for before, state, _, _ in play(match):
        assert sorted(state.track) == list(range(6))
        assert covers(state.discards, before.discards)
        for seat in range(state.seats):
            assert covers(state.columns[seat], before.columns[seat])
            for shift in SHIFTS[:-1]:
                has_cards = bool(state.columns[seat] >> shift & COUNT)
                assert has_cards == bool(state.bribed[seat] >> shift & (COUNT + 1))
                assert has_cards or not state.wilds[seat] >> shift & 63


@few
@any_match
def test_i3_someone_can_always_act(match: Match) -> None:
    """I3: there is a legal action while the match lasts, by default draw first; a sample has the same list."""
    for number, (_, state, _, _) in enumerate(play(match)):
        if not isinstance(state.to_act, int):
            continue
        legal = state.legal_actions()
        assert legal
        if not state.rules.draw_only_if_forced or state.top < len(state.deck):
            assert legal[0] is DRAW
        if number % 5 == 0:
            assert state.resample(state.to_act, Random(number)).legal_actions() == legal


@few
@any_match
def test_i4_the_deck_only_shrinks(match: Match) -> None:
    """I4: the deck never grows, is empty at the end, and the match stays within the limit of R7.6."""
    limit = GAME.max_turns
    for before, state, _, _ in play(match):
        assert len(state.deck) - state.top <= len(before.deck) - before.top
        if before.to_act == CHANCE and state.to_act == 0:
            limit = 2 * (len(state.deck) - state.top) + sum(map(bool, state.stalls)) + 1
        assert state.turn <= limit
        if state.to_act is None:
            assert state.top == len(state.deck)


@few
@any_match
def test_i5_a_refill_ends_with_its_card(match: Match) -> None:
    """I5: the last card dealt, and no earlier one, is a Wild or of the bribed type, unless the match ended."""
    for _, state, action, events in play(match):
        if isinstance(action, Bribe):
            stops = [name in (action.treasure, "wild") for _, name in events[1].public["placed"]]
            assert not any(stops[:-1])
            assert state.to_act is None or stops[-1]


@few
@any_match
def test_i6_what_is_known_is_there(match: Match) -> None:
    """I6: `known` is part of the hand, in the state and in every sample; sizes and open cards survive sampling."""
    for number, (_, state, _, _) in enumerate(play(match)):
        worlds = [state]
        if number % 4 == 0:
            worlds += [resampled(state, viewer, Random(number)) for viewer in (None, *range(state.seats))]
        for world in worlds:
            assert all(covers(hand, known) for hand, known in zip(world.hands, world.known, strict=True))
            assert [size(hand) for hand in world.hands] == [size(hand) for hand in state.hands]
            assert (world.stalls, world.columns, world.wilds) == (state.stalls, state.columns, state.wilds)
            assert world.discards == state.discards
            assert len(world.deck) - world.top == len(state.deck) - state.top


@few
@any_match
def test_i7_hidden_cards_change_nothing_that_is_seen(match: Match) -> None:
    """I7: with another deck and other hidden hands a viewer's observation and events are the same, but for what the
    action itself turns up from the deck.
    """
    for number, (before, state, action, events) in enumerate(play(match)):
        if number % 3 or not isinstance(before.to_act, int):
            continue
        for viewer in (None, *range(state.seats)):
            other = before.resample(viewer, Random(number))
            assert as_json(other.observation(viewer)) == as_json(before.observation(viewer))
            if action not in set(other.legal_actions()):
                continue
            same = other.apply(action)
            if as_json(other.observation(viewer)) == as_json(state.observation(viewer)):
                assert seen(same, viewer) == seen(events, viewer)
            else:
                assert isinstance(action, Bribe) or viewer == before.to_act or state.to_act is None


@few
@any_match
def test_i8_the_end_is_settled(match: Match) -> None:
    """I8: no Treasure is left in a hand that has its column, and ranks never contradict scores."""
    *_, (_, state, _, _) = play(match)
    for hand, columns in zip(state.hands, state.columns, strict=True):
        assert not any(hand >> shift & COUNT and columns >> shift & COUNT for shift in SHIFTS[:-1])
    scores, ranks = state.scores(), state.ranks()
    for one in range(state.seats):
        for other in range(state.seats):
            assert not (scores[one] > scores[other] and ranks[one] >= ranks[other])


@few
@any_match
def test_i9_the_log_gives_the_state(match: Match) -> None:
    """I9: replaying chance's and the seats' actions, as JSON, gives the same state."""
    seats, options, seed = match
    state = GAME.new(seats, options)
    actions = [step.action for step in random_walk(state, Random(seed))]
    again = GAME.new(seats, options)
    for _ in replay_actions(again, [GAME.decode(GAME.encode(action)) for action in actions]):
        pass
    assert again == state
