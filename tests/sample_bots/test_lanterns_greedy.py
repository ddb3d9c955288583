"""The greedy Lanterns bot: far ahead of random play, repeatable, and well behaved on the wire."""

from __future__ import annotations

import io
import json
import sys
from random import Random
from typing import Any

import pytest

from engine.core import CHANCE
from engine.lanterns import GAME
from engine.lanterns.state import LanternsState
from sample_bots import lanterns_greedy


def play(seats: int, greedy: set[int], seed: int) -> LanternsState:
    """A finished match: the greedy bot in these seats, random play in the others."""
    state, chance = GAME.new(seats), Random(seed)
    luck = [Random(f"{seed}:{seat}") for seat in range(seats)]
    while (actor := state.to_act) is not None:
        if actor == CHANCE:
            state.apply(state.sample_chance(chance))
            continue
        assert isinstance(actor, int)
        legal = state.legal_actions()
        index = luck[actor].randrange(len(legal))
        if actor in greedy:
            index = answer(state, actor, luck[actor])
        state.apply(legal[index])
    return state


def answer(state: LanternsState, seat: int, luck: Random) -> int:
    """The bot's choice from what the arena would send."""
    legal = [GAME.encode(action) for action in state.legal_actions()]
    message = json.loads(json.dumps({"observation": state.observation(seat), "legal": legal, "events": []}))
    return lanterns_greedy.choose(message, luck)


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
    seat = state.seat
    state.held[seat] = 4
    state._go_on("exchange")
    assert state.legal_actions()[answer(state, seat, Random(0))] == GAME.decode({"type": "dedicate", "cards": "BBBB"})


def converse(
    lines: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> list[Any]:
    """The bot's answers to these messages."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(json.dumps(line) + "\n" for line in lines)))
    lanterns_greedy.main()
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_it_speaks_the_protocol(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Ready for its game, silent at start and end, an index a turn; and it declines another game."""
    state = GAME.new(2)
    for _ in range(2):
        state.apply(state.sample_chance(Random(2)))
    seat = state.seat
    legal = [GAME.encode(action) for action in state.legal_actions()]
    turn = {"type": "turn", "turn": 0, "observation": state.observation(seat), "events": [], "legal": legal}
    start = {"type": "start", "match": "m", "seat": seat, "seats": 2, "seed": 1}
    end = {"type": "end", "ranks": [0, 1], "scores": [1, 0], "reason": "game_over", "events": []}
    lines = [{"type": "hello", "protocol": 1, "game": "lanterns"}, start, turn, end]
    ready, played = converse(lines, monkeypatch, capsys)
    assert ready == {"type": "ready", "reuse": True}
    assert played["action"] in range(len(legal))
    hello = {"type": "hello", "protocol": 1, "game": "hell_village"}
    assert converse([hello], monkeypatch, capsys) == [{"type": "decline"}]
