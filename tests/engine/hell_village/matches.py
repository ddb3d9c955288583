"""Random matches of Hell Village, and the invariants I1 to I5 of every position."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from engine.core import CHANCE, Action, Scalar
from engine.hell_village import GAME
from engine.hell_village.agenda import CARD_STEPS
from engine.hell_village.ruleset import OPTIONS
from engine.hell_village.state import HellState
from engine.hell_village.village import START, STEPS

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
