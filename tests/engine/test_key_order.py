"""JSON objects have no order: a game reads observations and actions by name, whatever the order of the keys."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from tests.engine.contract import Table, fingerprint, option_tables, positions, tables

every_table = pytest.mark.parametrize("table", [*tables(), *option_tables()], ids=str)


def shuffled(value: Any, rng: Random) -> Any:
    """The same JSON value with the keys of every object in another order."""
    if isinstance(value, dict):
        return {name: shuffled(value[name], rng) for name in rng.sample(list(value), len(value))}
    return [shuffled(entry, rng) for entry in value] if isinstance(value, list) else value


def test_shuffling_moves_keys_at_every_depth() -> None:
    """The helper changes the order, and nothing else."""
    value = {name: [{"a": 1, "b": 2, "c": 3}] * 9 for name in "abcdef"}
    other = shuffled(value, Random(1))
    assert other == value
    assert list(other) != list(value)
    assert {"".join(entry) for entry in other["a"]} > {"abc"}


@every_table
def test_a_belief_does_not_depend_on_the_order_of_keys(table: Table) -> None:
    """With the keys of every object shuffled, the full states and the picture are the same."""
    game = table.game
    for state, rng in positions(table, seed=20, every=20):
        viewer = rng.choice(table.viewers)
        seen = state.observation(viewer)
        other = shuffled(seen, rng)
        assert other == seen
        assert game.draw(other) == game.draw(seen)
        seed = rng.random()
        samples = [game.belief(observation).sample(Random(seed)) for observation in (seen, other)]
        assert fingerprint(samples[0], 4) == fingerprint(samples[1], 4)


@every_table
def test_an_action_does_not_depend_on_the_order_of_keys(table: Table) -> None:
    """With its keys shuffled, an action is read as the same action."""
    for state, rng in positions(table, seed=21, every=20):
        legal = list(state.legal_actions())
        for action in rng.sample(legal, min(len(legal), 5)):
            assert table.game.decode(shuffled(table.game.encode(action), rng)) is action
