"""The greedy Lanterns bot: far ahead of random play, repeatable, and correct in the protocol."""

from __future__ import annotations

from random import Random

import pytest

from engine.core import State
from engine.lanterns import GAME
from engine.lanterns.go import go_on
from sample_bots import lanterns_greedy
from tests.sample_bots.bots import converse, play_among_random, turn_message


def play(seats: int, greedy: set[int], seed: int) -> State:
    """A finished match: the greedy bot in these seats, random play in the others."""
    return play_among_random(GAME, seats, greedy, seed, lanterns_greedy.choose)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_greedy_is_far_ahead_of_random(seats: int) -> None:
    """Over fixed seeds, from every seat: alone among random players it wins at least 19 of 20 matches, and has at least
    1.5 times the points of the best of them on average.
    """
    matches = wins = 0
    mine = best_other = 0.0
    for seed in range(24 // seats):
        for seat in range(seats):
            state = play(seats, {seat}, seed)
            ranks, scores = state.ranks(), state.scores()
            matches += 1
            wins += ranks[seat] == 0 and ranks.count(0) == 1
            mine += scores[seat]
            best_other += max(score for other, score in enumerate(scores) if other != seat)
    assert matches == 24
    assert wins >= 23
    assert mine >= 1.5 * best_other


def test_the_same_luck_gives_the_same_answers() -> None:
    """A match between greedy bots is repeatable, also after the same process has played others."""
    first = play(2, {0, 1}, 5)
    play(3, {0, 1, 2}, 6)
    again = play(2, {0, 1}, 5)
    assert again.observation(None) == first.observation(None)


def test_a_set_in_hand_is_not_left_lying() -> None:
    """With four of a colour and the eight still there it dedicates, and does not skip."""
    state = GAME.new(2)
    for _ in range(2):
        state.apply(state.sample_chance(Random(1)))
    state.held[state.seat] = 4
    go_on(state, "exchange")
    choice = lanterns_greedy.choose(turn_message(state), Random(0))
    assert state.legal_actions()[choice] == GAME.decode({"type": "dedicate", "cards": "BBBB"})


def test_it_speaks_the_protocol(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Ready for its game, silent at start and end, an index a turn; and it declines another game."""
    state = GAME.new(2)
    for _ in range(2):
        state.apply(state.sample_chance(Random(2)))
    seat = state.seat
    turn = turn_message(state)
    start = {"type": "start", "match": "m", "seat": seat, "seats": 2, "seed": 1}
    end = {"type": "end", "ranks": [0, 1], "scores": [1, 0], "reason": "game_over", "events": []}
    lines = [{"type": "hello", "protocol": 1, "game": "lanterns"}, start, turn, end]
    ready, played = converse(lanterns_greedy.main, lines, monkeypatch, capsys)
    assert ready == {"type": "ready", "reuse": True}
    assert played["action"] in range(len(turn["legal"]))
    hello = {"type": "hello", "protocol": 1, "game": "hell_village"}
    assert converse(lanterns_greedy.main, [hello], monkeypatch, capsys) == [{"type": "decline"}]
