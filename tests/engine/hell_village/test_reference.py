"""The engine against a second, slow one that is written from the rules alone (`reference`).

Whole matches are played on both, from positions with demons in play and small piles too, so that every ability
and every shuffle comes up; at each step the legal list, its order, and what lies on the table must be the same.
"""

from __future__ import annotations

from random import Random

import pytest

from engine.core import CHANCE, Scalar
from engine.hell_village import GAME, flow
from engine.hell_village.demons import powers_of
from engine.hell_village.state import HellState
from tests.engine.hell_village.reference import Reference
from tests.engine.hell_village.reference_board import CARDS, KINDS, NAMES, PLACES, Ask, Json

MAY_MERGE = ("gain", "order", "trade", "use", "cost")
"""Decisions whose choices may come to the same (R0.4)."""


def enrich(state: HellState, reference: Reference, rng: Random, few_cards: bool) -> None:
    """Make the first round more eventful, in both: demons in play, other stocks and incomes, a short pile."""
    away = reference.pile
    if few_cards:
        left = rng.randrange(12)
        reference.pile, away = reference.pile[:left], reference.pile[left:]
    for seat in range(state.seats):
        for card in [card for card in away if CARDS[card]["kind"] == "demon"][: rng.randrange(6)]:
            away.remove(card)
            reference.played["demon"][seat].append(NAMES[card])
            state.demons[seat] = (*state.demons[seat], card)
        state.powers[seat] = powers_of(GAME.tables, state.demons[seat])
        reference.stock[seat] = [rng.choice([0, 4, 9, 10, 11, 12]) for _ in KINDS]
        reference.income[seat] = [rng.randrange(7), rng.randrange(7)]
    state.stock = [have for row in reference.stock for have in row]
    state.income = [steps for row in reference.income for steps in row]
    state.pile = tuple(reference.pile)


def same_table(state: HellState, reference: Reference, viewer: int | None) -> None:
    """What the viewer sees is what lies on the other table."""
    seen = state.observation(viewer)
    assert (seen["round"], seen["phase"], seen["order"]) == (reference.round, reference.phase, reference.order)
    assert seen["turn"] == reference.turn
    for seat, table in enumerate(seen["tables"]):
        assert list(table["stock"].values()) == reference.stock[seat]
        assert list(table["income"].values()) == reference.income[seat]
        assert (table["ep"], table["hand_size"]) == (reference.ep[seat], len(reference.hands[seat]))
        assert (table["dice"], table["warlock_dice"]) == (sorted(reference.dice[seat]), reference.warlock[seat])
        for group, kind in (("demons", "demon"), ("plans", "plan"), ("industries", "industry")):
            assert table[group] == reference.played[kind][seat]
        # Of a card that was shown as unsure only its seat knows the pile number. The count still includes it.
        piles = [reference.number[card] for card in reference.hands[seat]]
        piles = sorted([*piles, *(entry.pile for entry in state.unsure[seat])])
        assert [int(pile) for pile, count in table["cards_by_pile"].items() for _ in range(count)] == piles
    for name in PLACES:
        place, tile = seen["workplaces"][name], reference.tile(name)
        assert [tuple(die) for die in place["dice"]] == reference.places[name]
        assert place["super"] == (tile and tile["id"])
    village = {(card["x"], card["y"]): (card["card"], card["owner"], card["turned"]) for card in seen["village"][1:]}
    assert village == reference.village
    assert seen["discard"] == [NAMES[card] for card in sorted(reference.discard)]
    assert seen["pile_number"] == reference.pile_number
    if reference.pile_number:
        assert seen["pile"] == len(reference.pile)
        if viewer is not None:
            mine = [{"card": NAMES[n], "pile": reference.number[n]} for n in reference.hands[viewer]]
            mine.sort(key=lambda card: (NAMES.index(card["card"]), card["pile"]))
            assert seen["me"]["hand"] == mine
    for number, names in reference.payments.items():
        hidden = [None] * len(names)
        assert seen["payments"][str(number)] == (names if number <= reference.open_until else hidden)


def expected(state: HellState, step: Ask) -> list[Json]:
    """The candidates without those that come to the same position as an earlier one (R0.4)."""
    results, kept = [], []
    for candidate in step.candidates:
        ahead = state.clone()
        flow.choose(ahead, [], GAME.decode(candidate))
        flow.advance(ahead, [])
        if ahead.essence() not in results:
            results.append(ahead.essence())
            kept.append(candidate)
    return kept


def wanted(action: Json) -> float:
    """How much a seat likes an action: cards, kicks and changes come up more often than in an even walk."""
    kind = action["type"]
    if kind == "play":
        return 12
    if kind == "place":
        changed = action["value"] != action["die"] or action["kick"] is not None
        return 4 if changed or action["at"] in ("audience_room", "warlock", "laboratory") else 1
    return 0.3 if kind in ("skip", "done", "burn", "stand") else 1


def play_alike(state: HellState, reference: Reference, rng: Random, rich: bool, few_cards: bool) -> None:
    run = reference.match()
    step = next(run)
    try:
        while True:
            if not isinstance(step, Ask):
                assert state.to_act == CHANCE
                same_table(state, reference, None)
                key, outcome = state.chance_key, state.sample_chance(rng)
                assert outcome[0] == step.type
                state.apply(outcome)
                step = run.send(outcome)
                if key == "deck:1" and rich:
                    enrich(state, reference, rng, few_cards)
                continue
            seen = state.observation(None)
            if (seen["to_act"], (seen["decision"] or {}).get("kind")) != (step.seat, step.kind):
                assert step.kind in MAY_MERGE
                step = run.send(None)
                continue
            listed = [GAME.encode(action) for action in state.legal_actions()]
            if listed != step.candidates:
                assert step.kind in MAY_MERGE
                assert listed == expected(state, step)
            same_table(state, reference, step.seat)
            assert list(state.scores()) == reference.scores()
            chosen = rng.choices(listed, [wanted(action) for action in listed])[0]
            state.apply(GAME.decode(chosen))
            step = run.send(chosen)
    except StopIteration:
        assert state.to_act is None


READINGS: list[dict[str, Scalar]] = [
    {"reshuffle": "when_empty"},
    {"several_dice": "each"},
    {"several_dice": "each", "bonus_per_die": True, "super_workplaces": True},
    {"dullahan_dice": "any"},
]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("reading", READINGS, ids=str)
def test_other_readings_of_the_source_are_played_alike(reading: dict[str, Scalar], seed: int) -> None:
    """R0.9, R5.9, R6.2, A5, A30, A31: the same for the options that read the source in another way."""
    rng = Random(100 + seed)
    seats = rng.choice(GAME.seats)
    options = GAME.complete_options(reading)
    play_alike(GAME.new(seats, options), Reference(seats, options), rng, rich=True, few_cards=seed != 1)


@pytest.mark.parametrize("rich", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_whole_matches_are_played_alike(seed: int, rich: bool) -> None:
    """R0 to R11: both give the same lists in the same order, the same table, scores and ranks, under all options."""
    rng = Random(seed)
    seats = rng.choice(GAME.seats)
    options = {name: rng.choice(option.choices) for name, option in GAME.options.items()} if seed else {}
    options = GAME.complete_options(options)
    state, reference = GAME.new(seats, options), Reference(seats, options)
    play_alike(state, reference, rng, rich, few_cards=seed % 2 == 1)
    for viewer in (None, *range(seats)):
        same_table(state, reference, viewer)
        assert state.observation(viewer)["knowledge"] == reference.knowledge
    assert list(state.scores()) == reference.scores()
    assert list(state.ranks()) == reference.ranks()
