"""The end and the score of Please Don't Burn My Village!: rules R7 and R8."""

from __future__ import annotations

import pytest

from engine.burn_my_village import GAME
from engine.burn_my_village.actions import DRAW
from engine.burn_my_village.components import COMPONENTS
from tests.engine.burn_my_village.positions import (
    bribe,
    buy,
    column,
    dealt,
    hand,
    position,
    track,
)


def test_the_match_ends_on_the_spot() -> None:
    """R7.1, R7.2: purchases go on with an empty deck; the first bribe or draw ends it, whoever makes it."""
    state = position(["A", "F", "S"], stalls={1: "C", 0: "R"})
    state.apply(buy(0))
    state.apply(buy(1, "F", "F"))
    assert (state.to_act, state.ended) == (2, None)
    state.apply(bribe("S1+0"))
    assert (state.to_act, state.ended, state.turn) == (None, "refill", 3)


def test_treasures_in_hand_join_their_columns() -> None:
    """R7.3, R7.4, R7.5: also a column opened by the last action; others and Wilds stay; then hands are open."""
    state = position(["AAFW", "SSA"], columns=["", "S1+1"])
    state.apply(bribe("A1+0"))
    assert (column(state, 0), hand(state, 0)) == ("A2+0", "FW")
    assert (column(state, 1), hand(state, 1)) == ("S3+1", "A")
    assert track(state) == "FASBCR"
    tables = state.observation(None)["tables"]
    assert [table["hand"] for table in tables] == [{"feather": 1, "wild": 1}, {"axe": 1}]
    assert tables[1]["bribes"] == {"scroll": {"cards": 3, "wilds": 1}}
    assert [table["known"] for table in tables] == [table["hand"] for table in tables]


@pytest.mark.parametrize("seats", GAME.seats)
def test_the_turn_limit(seats: int) -> None:
    """R7.6: the limit follows from deck and stalls after setup, and `max_turns` covers every option."""
    limits = COMPONENTS["turn_limit"]
    state = dealt(seats, 1)
    assert 2 * (len(state.deck) - state.top) + 4 + 1 == limits["default_options"][str(seats)]
    most = 0
    for choice in ("scaled", "trimmed", "all"):
        for start in (0, 1, 2):
            state = dealt(seats, 1, {"wilds": choice, "market_start": start})
            most = max(most, 2 * (len(state.deck) - state.top) + (4 if start else 0) + 1)
    assert most <= GAME.max_turns == limits["all_options"] == 181


def test_scores_are_values_of_spaces() -> None:
    """R8.1, R8.2: columns count for, Treasures in hand against, each Wild in hand -2; negative is possible."""
    state = position(["CFWW", "R"], columns=["S2+1", ""])
    with pytest.raises(LookupError):
        state.scores()
    with pytest.raises(LookupError):
        state.ranks()
    state.apply(DRAW)
    assert state.scores() == (3 * 2 - 3 - 1 - 4, -4)


def test_values_follow_the_option() -> None:
    """R1.5 and R8.1: the option `track` sets the values."""
    state = position(["", ""], columns=["F1+0", ""], options={"track": "123334"})
    state.apply(DRAW)
    assert state.scores() == (2, 0)


def test_large_columns_are_counted_in_full() -> None:
    """R8.2: a column of all Treasures of a type and all Wilds counts every card."""
    state = position(["", ""], columns=["R14+20", "R1+0"], options={"wilds": "all"})
    state.apply(DRAW)
    assert state.scores() == (34 * 4, 4)
    assert state.ranks() == (0, 1)


@pytest.mark.parametrize(
    ("columns", "ranks"),
    [
        (["R1+0", "A2+0 F2+0", "B1+1"], (0, 2, 1)),
        (["C4+0", "R1+0 B4+0", "R2+0 S2+0"], (2, 1, 0)),
        (["A2+0 F1+0", "A1+0 F2+0", "A1+0 F2+0"], (2, 0, 0)),
        (["A1+0", "A1+0", "A1+0"], (0, 0, 0)),
        (["R1+0", "", "", ""], (0, 1, 1, 1)),
    ],
)
def test_ties_are_broken_from_the_highest_token(columns: list[str], ranks: tuple[int, ...]) -> None:
    """R8.3, R8.4: equal points go by the column of the token on space 5, then 4, ... for every place, spaces of equal
    value one by one; equal in all is the same rank.
    """
    state = position([""] * len(columns), columns=columns)
    state.apply(DRAW)
    scores = state.scores()
    assert state.ranks() == ranks
    assert all((scores[i] > scores[j]) <= (ranks[i] < ranks[j]) for i in range(len(ranks)) for j in range(len(ranks)))
