"""Positions of Please Don't Burn My Village! written in letters, as the worked examples of its rules write them.

A axe, F feather, S scroll, B sword (blade), C crown, R relic, W Wild. `7A` is seven axes; a column is `F3+1`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from random import Random

from engine.burn_my_village import GAME
from engine.burn_my_village.actions import DRAW, Bribe, Buy, Shuffle, Track, decode
from engine.burn_my_village.components import NAMES
from engine.burn_my_village.counts import GUARD, SHIFTS, as_codes, pack_cards
from engine.burn_my_village.state import VillageState
from engine.core import Action, Scalar, Viewer

LETTERS = "AFSBCRW"


def codes(text: str) -> tuple[int, ...]:
    """`"2A W"` as the codes of two axes and a Wild."""
    found = re.findall(r"(\d*)([AFSBCRW])", text)
    return tuple(LETTERS.index(letter) for count, letter in found for _ in range(int(count or 1)))


def names(text: str) -> tuple[str, ...]:
    """The same as card names."""
    return tuple(NAMES[code] for code in codes(text))


def letters(packed: int) -> str:
    """A multiset as letters in canonical order."""
    return "".join(LETTERS[code] for code in as_codes(packed))


def position(
    hands: Sequence[str],
    deck: str = "",
    *,
    track: str = "AFSBCR",
    stalls: Mapping[int, str] | None = None,
    columns: Sequence[str] = (),
    options: Mapping[str, Scalar] | None = None,
) -> VillageState:
    """A fragment of a position: seat 0 to act, nothing known, all else empty."""
    state = GAME.new(len(hands), options)
    state.track = list(codes(track))
    state.to_act = 0
    state.deck = codes(deck)
    state.hands = [pack_cards(codes(hand)) for hand in hands]
    for stall, goods in (stalls or {}).items():
        state.stalls[stall] = codes(goods)
    for seat, text in enumerate(columns):
        for letter, cards, wilds in re.findall(r"([AFSBCR])(\d+)\+(\d+)", text):
            shift = SHIFTS[LETTERS.index(letter)]
            state.columns[seat] += int(cards) << shift
            state.wilds[seat] += int(wilds) << shift
            state.bribed[seat] |= GUARD << shift
    return state


def bribe(text: str) -> Bribe:
    """`"F3+0"`."""
    found = re.fullmatch(r"([AFSBCR])(\d+)\+(\d+)", text)
    assert found
    return Bribe(NAMES[LETTERS.index(found[1])], int(found[2]), int(found[3]))


def buy(stall: int, pay: str = "", curse: str = "") -> Buy:
    """`buy(2, "CW", "C")`."""
    counts = {NAMES[code]: codes(pay).count(code) for code in codes(pay)}
    action = decode({"type": "buy", "stall": stall, "pay": counts, "curse": names(curse)[0] if curse else None})
    assert isinstance(action, Buy)
    return action


def short(action: Action) -> str:
    """An action in letters: `draw`, `2 AW A`, `C1+1`."""
    if isinstance(action, Buy):
        paid = "".join(LETTERS[NAMES.index(name)] * count for name, count in action.pay)
        return f"{action.stall} {paid} {LETTERS[NAMES.index(action.curse)]}" if action.curse else f"{action.stall}"
    if isinstance(action, Bribe):
        return f"{LETTERS[NAMES.index(action.treasure)]}{action.cards}+{action.wilds}"
    assert action is DRAW
    return "draw"


def legal(state: VillageState) -> str:
    """The legal list in letters, comma-separated."""
    return ", ".join(short(action) for action in state.legal_actions())


def track(state: VillageState) -> str:
    """The track in letters, space 0 first."""
    return "".join(LETTERS[code] for code in state.track)


def market(state: VillageState) -> dict[int, str]:
    """Goods of each stall that holds any, in letters."""
    return {
        stall: "".join(LETTERS[code] for code in state.stalls[stall]) for stall in (3, 2, 1, 0) if state.stalls[stall]
    }


def deck(state: VillageState) -> str:
    """What is left of the deck, in letters."""
    return "".join(LETTERS[code] for code in state.deck[state.top :])


def hand(state: VillageState, seat: int) -> str:
    """A hand in letters."""
    return letters(state.hands[seat])


def column(state: VillageState, seat: int) -> str:
    """A seat's columns, `"C2+1 S1+0"`, in canonical order."""
    parts = []
    for code, letter in enumerate(LETTERS[:-1]):
        cards, wilds = (packed[seat] >> SHIFTS[code] & 63 for packed in (state.columns, state.wilds))
        if cards or wilds:
            parts.append(f"{letter}{cards}+{wilds}")
    return " ".join(parts)


def set_up(seats: int, track_letters: str, shuffle: str, options: Mapping[str, Scalar] | None = None) -> VillageState:
    """A match after both chances."""
    state = GAME.new(seats, options)
    state.apply(Track(names(track_letters)))
    state.apply(Shuffle(names(shuffle)))
    return state


def dealt(seats: int, seed: int, options: Mapping[str, Scalar] | None = None) -> VillageState:
    """A match after both chances, drawn from a seed."""
    state = GAME.new(seats, options)
    rng = Random(seed)
    state.apply(state.sample_chance(rng))
    state.apply(state.sample_chance(rng))
    return state


def resampled(state: VillageState, viewer: Viewer, rng: Random) -> VillageState:
    """A sample of the belief of that viewer."""
    sample = state.resample(viewer, rng)
    assert isinstance(sample, VillageState)
    return sample
