"""The final score, knowledge cards, and ties of Hell Village: rules R10."""

from __future__ import annotations

import pytest

from tests.engine.hell_village.table import (
    position,
)


def test_the_final_score() -> None:
    """E14 (R10, R10.1, R10.2): EP, printed EP of all cards in play, and the knowledge card; ranks share ties."""
    state = position(
        "close", 3, round_number=7, ep={0: -3, 1: 30, 2: 21},
        demons={0: "imp orc"}, plans={0: "eclipse_rite"}, village=[("bone_quarry", 0, 0, 1)],
        knowledge={0: "balanced_rule", 1: "spy_network", 2: "secret_archive"},
    )  # fmt: skip
    assert state.to_act is None
    assert state.scores() == (21, 30, 21)
    assert state.ranks() == (1, 0, 1)
    assert state.observation(None)["knowledge"] == ["balanced_rule", "spy_network", "secret_archive"]


@pytest.mark.parametrize(
    ("name", "ep"),
    [
        ("demonology", 4), ("strategy", 2), ("town_planning", 2), ("soul_hoard", 8), ("armory_hoard", 3),
        ("larder_hoard", 0), ("secret_archive", 2), ("tribute_ledger", 8), ("spy_network", 2), ("balanced_rule", 3),
    ],
)  # fmt: skip
def test_knowledge_cards_count_up_to_their_cap(name: str, ep: int) -> None:
    """R10.2: `ep_each` times what they count, at most the cap."""
    state = position(
        "close", 2, round_number=7, demons={0: "imp orc"}, plans={0: "eclipse_rite"}, hands={0: "ghost witch"},
        village=[("bone_quarry", 0, 0, 1)], stock={0: (11, 3, 0)}, income={0: (1, 6)}, knowledge={0: name},
    )  # fmt: skip
    assert state.scores()[0] == 3 + 3 + 13 + 2 + ep


def test_ties_are_shared_or_broken_by_resources() -> None:
    """R10.3: with the option `final_tie` more resources left rank better."""
    more = {"round_number": 7, "stock": {0: (1, 1, 1), 1: (2, 2, 2)}}
    more["knowledge"] = {0: "spy_network", 1: "strategy"}
    assert position("close", 2, **more).ranks() == (0, 0)  # type: ignore[arg-type]
    assert position("close", 2, **more, options={"final_tie": "resources"}).ranks() == (1, 0)  # type: ignore[arg-type]


def test_scores_before_the_end() -> None:
    """R10.4: EP and the cards in play, without knowledge."""
    assert position("placement", dice={0: (1,)}, ep={0: 2}, demons={0: "imp"}).scores() == (5, 0, 0)
