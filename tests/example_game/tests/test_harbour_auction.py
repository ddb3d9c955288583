"""The rules of Harbour Auction, one test for each number of RULES.md that promises something."""

from importlib.resources import files
from random import Random

import pytest
from harbour_auction import GAME
from harbour_auction.actions import Crate, Deal, Lay

from engine.core import CHANCE, IllegalAction
from engine.svg_check import check_picture
from engine.walk import random_walk, replay_actions


def played(*actions: tuple[object, ...], wins: str = "highest"):  # type: ignore[no-untyped-def]
    """Two seats, dealt 1 3 5 7 9 and 2 4 6 8 10, after those actions."""
    state = GAME.new(2, {"wins": wins})
    for _ in replay_actions(state, [Deal((1, 3, 5, 7, 9, 2, 4, 6, 8, 10, 11, 12)), *actions]):
        pass
    return state


def test_each_seat_sees_its_own_five_cards_only() -> None:
    """R1.2"""
    state = played()
    assert state.observation(0)["me"]["hand"] == [1, 3, 5, 7, 9]
    assert "me" not in state.observation(None)
    assert [table["cards"] for table in state.observation(1)["tables"]] == [5, 5]


def test_the_rules_name_every_field_of_an_observation() -> None:
    """Observation"""
    rules = files("harbour_auction").joinpath("RULES.md").read_text("utf-8")
    section = rules.partition("\n## Observation\n")[2]
    assert [field for field in played().observation(0) if f"`{field}`" not in section] == []


def test_the_next_seat_begins_the_next_round() -> None:
    """R2.2"""
    state = played(Crate(6))
    assert state.to_act == 0
    state = played(Crate(6), Lay(9), Lay(2), Crate(1))
    assert state.to_act == 1


@pytest.mark.parametrize(("wins", "points"), [("highest", [6, 0]), ("second", [0, 6])])
def test_the_option_says_which_card_wins(wins: str, points: list[int]) -> None:
    """R2.3"""
    assert played(Crate(6), Lay(9), Lay(2), wins=wins).points == points


def test_a_card_that_is_not_held_cannot_be_laid() -> None:
    """R2.2"""
    state = played(Crate(6))
    with pytest.raises(IllegalAction):
        state.apply(Lay(2))


@pytest.mark.parametrize("seats", GAME.seats)
def test_the_match_ends_after_four_rounds(seats: int) -> None:
    """R2.1, R3.1: every crate was won by somebody."""
    state = GAME.new(seats)
    worth = [step.action.worth for step in random_walk(state, Random(1)) if isinstance(step.action, Crate)]
    assert len(worth) == 4
    assert sum(state.scores()) == sum(worth)
    assert state.to_act is None


def test_a_sample_never_looks_at_the_hidden_cards() -> None:
    """What seat 0 imagines comes from its observation alone, and all unseen cards turn up in seat 1's hand."""
    belief = GAME.belief(played(Crate(6)).observation(0))
    hands = [belief.sample(Random(seed)).hands for seed in range(50)]
    assert {tuple(hand[0]) for hand in hands} == {(1, 3, 5, 7, 9)}
    assert {card for hand in hands for card in hand[1]} == {2, 4, 6, 8, 10, 11, 12}


def test_the_table_can_be_followed() -> None:
    """`draw` fits a terminal, and `describe` gives away no more than the event."""
    state = played(Crate(6), Lay(9))
    assert "> seat 1:  0 points, 5 cards, showed nothing" in GAME.draw(state.observation(1))
    assert GAME.describe({"type": "lay", "seat": 0}) == "seat 0 lays a card"
    assert state.to_act != CHANCE


def test_a_picture_shows_a_hand_to_its_seat_alone() -> None:
    """Observation: every viewer's picture is plain drawing, and a laid card stays face down for all others."""
    state = played(Crate(6), Lay(7))
    mine, others = (check_picture(state.game.picture(state.observation(viewer))) for viewer in (0, 1))
    public = check_picture(state.game.picture(state.observation(None)))
    assert 'id="pic-card-7"' in mine and 'id="pic-card-1"' in mine
    assert 'id="pic-card-7"' not in others and 'id="pic-card-2"' in others
    assert 'id="pic-card-' not in public
