"""Why an action is refused is told in words that do not depend on what the reader may not know."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from engine.catalog import BUILT_IN
from engine.core import CHANCE, Action, IllegalAction, State
from engine.walk import random_walk
from tests.engine.contract import Table, option_tables, positions, tables

every_table = pytest.mark.parametrize("table", [*tables(), *option_tables()], ids=str)


def refusal(state: State, action: Action) -> str | None:
    """The message, or `None` if the action is allowed."""
    try:
        state.clone().apply(action)
    except IllegalAction as error:
        return str(error)
    return None


@every_table
def test_a_refusal_reveals_nothing_hidden(table: Table) -> None:
    """A spectator cannot tell two positions apart. An action that both refuse is refused in the same words: with
    no number of legal actions, no size of a secret list, and no card of a hand.
    """
    by_kind: dict[str, Action] = {}
    actions = []
    for seed in range(3):
        for step, _ in zip(random_walk(table.new(), Random(seed)), range(300), strict=False):
            if step.actor != CHANCE:
                by_kind[str(step.action[0]) if isinstance(step.action[0], str) else type(step.action).__name__] = (
                    step.action
                )
                actions.append(step.action)
    compared: Counter[type] = Counter()
    for state, rng in positions(table, seed=22, every=4):
        if not isinstance(state.to_act, int):
            continue
        others = [state.resample(None, rng) for _ in range(2)]
        for action in [*by_kind.values(), *rng.sample(actions, 10)]:
            told = {message for message in (refusal(one, action) for one in (state, *others)) if message is not None}
            assert len(told) <= 1, told
            compared[type(action)] += len(told)
    if table.game.key in BUILT_IN:  # other games may be short
        assert compared.total() > 50
        assert len(compared) >= min(3, len(by_kind))
