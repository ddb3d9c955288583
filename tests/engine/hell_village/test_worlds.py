"""Copies of a design cannot be told apart (R0.2, R12.3), and worlds with unsure cards are counted right (R12.2)."""

from __future__ import annotations

from collections import Counter
from itertools import permutations, product
from random import Random
from typing import Any

import pytest

from engine.core import CHANCE, Viewer
from engine.hell_village import GAME
from engine.hell_village.position import Unsure
from engine.hell_village.state import HellState
from tests.engine.evenness import Evenness
from tests.engine.hell_village.matches import walk
from tests.engine.hell_village.table import chance, deck, do, position

TABLES = GAME.tables
RAID, OTHER_RAID = TABLES.numbers_of["night_raid"]


def recycled(held: str, other: str) -> HellState:
    """Three seats in a later pile: seat 0 will bury, seat 1 holds the rest; a copy of night_raid is of either pile."""
    state = position([("bury", 0, 9), ("draw", 1, 1)], 3, hands={0: held, 1: other}, pile="imp orc witch")
    state.pile_number = 2
    return state


def numbered(state: HellState, second: set[int]) -> HellState:
    """The same with pile number 2 for these cards and for the pile."""
    numbers = bytearray(state.numbers)
    for card in {*second, *state.pile[state.top :]}:
        numbers[card] = 2
    state.numbers = bytes(numbers)
    return state


def two_worlds() -> list[HellState]:
    """Seat 0 holds a night_raid of pile 1 and another card of pile 2, or the other way round; seat 1 has the rest."""
    first = numbered(recycled("night_raid goblin", "night_raid ghost"), {OTHER_RAID})
    second = numbered(recycled("night_raid ghost", "night_raid goblin"), {RAID})
    one, two = TABLES.numbers_of["goblin"][0], TABLES.numbers_of["ghost"][0]
    # goblin is of pile 2 and ghost of pile 1, whoever holds them.
    assert one != two
    return [numbered(first, {OTHER_RAID, one}), numbered(second, {RAID, one})]


def test_which_copy_was_shown_stays_hidden() -> None:
    """R0.2, R12.3: in two worlds seat 0 buries night_raid. The others see the same, and can tell neither the pile
    number nor the copy, now or later; seat 0 itself knows it.
    """
    worlds = two_worlds()
    watching: list[Viewer] = [None, 2]
    for viewer in watching:
        assert worlds[0].observation(viewer) == worlds[1].observation(viewer)
    told = [do(world, "bury night_raid") for world in worlds]
    for viewer in watching:
        assert [event.seen_by(viewer) for event in told[0]] == [event.seen_by(viewer) for event in told[1]]
        assert worlds[0].observation(viewer) == worlds[1].observation(viewer)
        seen = worlds[0].observation(viewer)["tables"][0]
        assert seen["shown_unsure"] == [{"card": "night_raid", "most": {"1": 1, "2": 1}}]
        assert seen["cards_by_pile"] == {"1": 1, "2": 1}
        assert (seen["hand_size"], seen["shown_from_first_pile"]) == (1, [])
    assert [world.observation(0)["me"]["unsure_piles"] for world in worlds] == [[1], [2]]
    assert [world.unsure[0] for world in worlds] == [(Unsure("night_raid", ((1, 1), (2, 1)), pile),) for pile in (1, 2)]
    for world in worlds:
        do(world, "done")
    for viewer in watching:
        assert worlds[0].observation(viewer) == worlds[1].observation(viewer)
    # Buried and shuffled again, the copy gets the new pile's number in both worlds.
    for world in worlds:
        world.agenda = [("draw", 1, 9), ("deck", 3)]
        world.to_act = CHANCE
        chance(world, deck(pool=sorted(world.discard)))
        assert world.observation(None)["recycled"]["3"] == ["night_raid"]
    for viewer in watching:
        assert worlds[0].observation(viewer) == worlds[1].observation(viewer)


def test_a_seat_shows_the_copy_of_the_older_pile_first() -> None:
    """R0.2: of two copies in hand the one with the lower pile number goes, whichever card number it has."""
    for second in (RAID, OTHER_RAID):
        state = numbered(recycled("night_raid night_raid", "ghost"), {second})
        assert state.observation(0)["me"]["hand"] == [
            {"card": "night_raid", "pile": 1},
            {"card": "night_raid", "pile": 2},
        ]
        do(state, "bury night_raid")
        assert state.observation(0)["me"]["hand"] == [{"card": "night_raid", "pile": 2}]
        assert state.observation(0)["me"]["unsure_piles"] == [1]


def test_copies_of_one_pile_are_never_unsure() -> None:
    """R12.3: with both copies of the same pile, or one of them open, all know the pile number."""
    state = recycled("night_raid", "night_raid")
    do(state, "bury night_raid")
    assert state.observation(None)["tables"][0]["shown_unsure"] == []
    assert state.observation(None)["tables"][0]["shown_from_first_pile"] == ["night_raid"]
    state = numbered(
        position([("bury", 0, 9)], 3, hands={0: "night_raid imp"}, plans={1: "night_raid"}, pile=""), {RAID}
    )
    do(state, "bury night_raid")
    assert state.observation(None)["tables"][0]["shown_unsure"] == []


def twins(state: HellState, rng: Random) -> HellState | None:
    """A world that differs only in which of two identical hidden copies is where, or `None` if there are none.

    Both copies are hidden from a spectator and have the same pile number.
    """
    where = {card: seat for seat, hand in enumerate(state.hands) for card in hand}
    where |= dict.fromkeys(state.pile[state.top :], -1)
    pairs = [
        copies
        for copies in TABLES.numbers_of.values()
        if len(copies) == 2
        and all(card in where for card in copies)
        and where[copies[0]] != where[copies[1]]
        and state.numbers[copies[0]] == state.numbers[copies[1]]
    ]
    if not pairs:
        return None
    one, two = rng.choice(pairs)
    other = {one: two, two: one}
    world = state.clone()
    world.hands = [tuple(sorted(other.get(card, card) for card in hand)) for hand in world.hands]
    world.pile = tuple(other.get(card, card) for card in world.pile)
    return world


@pytest.mark.parametrize("seats", GAME.seats)
def test_worlds_that_differ_in_identical_copies_look_the_same(seats: int) -> None:
    """R0.2: exchange two identical hidden copies, one of which may have been dealt to a viewer. Play on alike: no
    event, no observation and no list of any seat differs.
    """
    compared = 0
    for seed in range(4):
        for number, (state, _) in enumerate(walk(seats, {}, seed)):
            rng = Random(number)
            if number % 17 or state.to_act is None or not state.pile_number:
                continue
            real, other = state.clone(), twins(state, rng)
            if other is None:
                continue
            for _ in range(25):
                if real.to_act is None:
                    break
                assert real.legal_actions() == other.legal_actions()
                action = real.sample_chance(rng) if real.to_act == CHANCE else rng.choice(real.legal_actions())
                if real.to_act == CHANCE and action[0] == "deck":
                    break  # an order of card numbers, which nobody sees
                told = real.apply(action), other.apply(action)
                for viewer in (None, *range(seats)):
                    assert [one.seen_by(viewer) for one in told[0]] == [one.seen_by(viewer) for one in told[1]]
                    assert real.observation(viewer) == other.observation(viewer)
                compared += 1
    assert compared > 300


def small() -> HellState:
    """Three seats, nine hidden cards of two piles, all others open. Seat 0, then seat 1, may bury cards."""
    hands = {0: "night_raid goblin human", 1: "night_raid ghost"}
    pile = "imp orc"
    hidden = Counter(f"{hands[0]} {hands[1]} {pile}".split())
    rest = " ".join((Counter(card.id for card in TABLES.cards) - hidden).elements())
    state = position([("bury", 1, 9), ("bury", 0, 9)], 3, hands=hands, pile=pile, plans={2: rest})
    state.pile_number = 2
    return numbered(state, {OTHER_RAID, *TABLES.numbers_of["goblin"]})


def every_world(buried: tuple[int, ...], viewer: Viewer) -> Counter[Any]:
    """Every world of `small` after these seats have buried a night_raid: a deal of each pile, and what was buried."""
    found: Counter[Any] = Counter()
    for first, second in product(
        permutations(["night_raid", "ghost", "human"]), permutations(["night_raid", "goblin", "imp", "orc"])
    ):
        if first[0] > first[1]:
            continue  # the same hand
        hands = [sorted([(first[0], 1), (first[1], 1), (second[0], 2)]), sorted([(first[2], 1), (second[1], 2)]), []]
        if viewer == 1 and hands[1] != [("ghost", 1), ("night_raid", 2)]:
            continue
        piles = []
        for seat in buried:
            held = [pile for card, pile in hands[seat] if card == "night_raid"]
            if not held:
                break
            piles.append(min(held))
            hands[seat].remove(("night_raid", min(held)))
        else:
            found[tuple(map(tuple, hands)), second[2:], tuple(piles)] += 1
    return found


@pytest.mark.parametrize(
    ("buried", "viewer"), [((), None), ((0,), None), ((0,), 1), ((0,), 2), ((0, 1), None), ((0, 1), 2)]
)
def test_worlds_with_unsure_cards_are_equally_likely(buried: tuple[int, ...], viewer: Viewer) -> None:
    """R12.2, R12.3: every world that fits comes equally often, and no other world comes."""
    state = small()
    for seat in buried:
        do(state, "bury night_raid")
        if seat == 0:
            do(state, "done")
    worlds = every_world(buried, viewer)
    assert set(worlds.values()) == {1}

    def world(sample: HellState) -> Any:
        named = [tuple(sorted((TABLES.cards[card].id, sample.numbers[card]) for card in hand)) for hand in sample.hands]
        unsure = [sample.unsure[seat][0].pile for seat in buried]
        return tuple(named), tuple(TABLES.cards[card].id for card in sample.pile), tuple(unsure)

    belief, rng, samples = GAME.belief(state.observation(viewer)), Random(5), 60 * len(worlds)
    seen = Counter(world(belief.sample(rng)) for _ in range(samples))
    evenness = Evenness()
    evenness.look(f"{buried} seen by {viewer}", seen, {one: 1 / len(worlds) for one in worlds})
    evenness.judge(1)
