"""Games whose hidden cards are one even mix: each place holds each card in proportion to its hidden copies.

*Lanterns*, *Please Don't Burn My Village!* and the example of a game in its own package. *Hell Village* knows more of
some cards than of others: see `tests/engine/hell_village/test_even_belief.py`.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import pytest

from engine.burn_my_village import GAME as BURN
from engine.burn_my_village.counts import as_codes
from engine.core import Game, State, Viewer
from engine.lanterns import GAME as LANTERNS
from engine.walk import random_walk
from tests.engine.evenness import Evenness, sampled

EXAMPLE = Path(__file__).parents[1] / "example_game"
SAMPLES = 1000

Hidden = dict[Any, list[Any]]
"""By place: the cards there that the viewer does not see."""


def lanterns(state: Any, viewer: Viewer) -> Hidden:
    hands = {seat: list(hand) for seat, hand in enumerate(state.hands) if seat != viewer}
    ends = {"top": state.stack[:1], "middle": state.stack[len(state.stack) // 2 :][:1], "bottom": state.stack[-1:]}
    return {**hands, **{name: list(tiles) for name, tiles in ends.items()}, "removed": list(state.removed)}


def lanterns_mix(state: Any, viewer: Viewer) -> list[Any]:
    hands = [tile for seat, hand in enumerate(state.hands) if seat != viewer for tile in hand]
    return [*hands, *state.stack, *state.removed]


def burn(state: Any, viewer: Viewer) -> Hidden:
    hands = {seat: as_codes(state.hands[seat] - state.known[seat]) for seat in range(state.seats) if seat != viewer}
    deck = list(state.deck[state.top :])
    return {**hands, "top": deck[:1], "middle": deck[len(deck) // 2 :][:1], "bottom": deck[-1:]}


def burn_mix(state: Any, viewer: Viewer) -> list[Any]:
    hands = [code for place, cards in burn(state, viewer).items() if isinstance(place, int) for code in cards]
    return [*hands, *state.deck[state.top :]]


def harbour(state: Any, viewer: Viewer) -> Hidden:
    hidden: Hidden = {seat: list(hand) for seat, hand in enumerate(state.hands) if seat != viewer}
    for seat, card in enumerate(state.laid):
        if seat != viewer and card is not None:
            hidden[f"laid by {seat}"] = [card]
    return hidden


def harbour_mix(state: Any, viewer: Viewer) -> list[Any]:
    shown = {card for cards in state.shown for card in cards}
    mine = set() if viewer is None else {*state.hands[viewer], state.laid[viewer]}
    return [card for card in state.cards if card not in shown | mine]


def stages(game: Game, seats: int, seed: int) -> Iterator[tuple[str, State]]:
    """An early, a middle and a late position of a random match."""
    length = sum(1 for _ in random_walk(game.new(seats), Random(seed)))
    wanted = [(length // 6, "early"), (length // 2, "middle"), (length * 3 // 4, "late")]
    state = game.new(seats)
    for number, _ in enumerate(random_walk(state, Random(seed))):
        if wanted and number >= wanted[0][0] and isinstance(state.to_act, int):
            yield wanted.pop(0)[1], state


def look_at(game: Game, seats: int, places: Any, mix: Any, least: int) -> None:
    evenness, looked = Evenness(), Counter[str]()
    for seed in range(12):
        viewer = None if seed % 6 == 5 else seed % seats
        for stage, state in stages(game, seats, seed):
            looked[stage] += 1
            hidden = Counter(mix(state, viewer))
            chances = {card: count / hidden.total() for card, count in hidden.items()}

            def one_each(sample: Any, rng: Random, viewer: Viewer = viewer) -> dict[Any, Any]:
                return {place: rng.choice(cards) for place, cards in places(sample, viewer).items() if cards}

            belief = game.belief(state.observation(viewer))
            for place, counts in sampled(belief, one_each, SAMPLES, Random(seed)).items():
                evenness.look(f"{seats} seats, seed {seed}, {stage}, viewer {viewer}, {place}", counts, chances)
    assert min(looked[stage] for stage in ("early", "middle", "late")) >= 5
    evenness.judge(least)


@pytest.mark.parametrize("seats", LANTERNS.seats)
def test_unseen_tiles_of_lanterns_are_evenly_spread(seats: int) -> None:
    """K2: over other hands, the stack from top to bottom, and the removed tiles."""
    look_at(LANTERNS, seats, lanterns, lanterns_mix, 80)


@pytest.mark.parametrize("seats", BURN.seats)
def test_unseen_cards_of_burn_my_village_are_evenly_spread(seats: int) -> None:
    """R9.4: over the unknown parts of other hands and the deck from top to bottom."""
    look_at(BURN, seats, burn, burn_mix, 80)


@pytest.mark.parametrize("seats", [2, 3])
def test_unseen_cards_of_the_example_game_are_evenly_spread(seats: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over other hands and the cards that others have laid."""
    known = set(sys.modules)
    monkeypatch.syspath_prepend(str(EXAMPLE))
    try:
        game = import_module("harbour_auction").GAME
        assert game.seats == range(2, 4)
        look_at(game, seats, harbour, harbour_mix, 40)
    finally:
        for name in set(sys.modules) - known:
            if name.startswith("harbour_auction"):
                del sys.modules[name]


def test_an_uneven_belief_is_noticed() -> None:
    """The test itself: a belief that favours one card a little, in one place of one position, fails."""

    class Uneven:
        def sample(self, rng: Random) -> int:
            card: int = rng.choice([0, 0, *range(20)])
            return card

    evenness = Evenness()
    for place, counts in sampled(Uneven(), lambda card, rng: {"hand": card}, 4000, Random(1)).items():
        evenness.look(place, counts, dict.fromkeys(range(20), 1 / 20))
    with pytest.raises(AssertionError, match="hand: p = "):
        evenness.judge(1)
