"""The greedy Hell Village bot: far ahead of random play, repeatable, and correct in the protocol."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from engine.core import State
from engine.hell_village import GAME
from sample_bots import hell_village_greedy
from tests.engine.hell_village.table import listed, position
from tests.sample_bots.bots import converse, play_among_random, turn_message


def play(seats: int, greedy: set[int], seed: int, **options: Any) -> State:
    """A finished match: the greedy bot in these seats, random play in the others."""
    return play_among_random(GAME, seats, greedy, seed, hell_village_greedy.choose, options)


def answer(state: State, luck: Random) -> int:
    """The bot's choice."""
    return hell_village_greedy.choose(turn_message(state), luck)


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_greedy_is_far_ahead_of_random(seats: int) -> None:
    """Over fixed seeds, from every seat: alone among random players it wins at least 19 of 20 matches, and by 20 points
    over the best of them on average.
    """
    matches = wins = 0
    lead = 0.0
    for seed in range(20 // seats):
        for seat in range(seats):
            state = play(seats, {seat}, seed)
            ranks, scores = state.ranks(), state.scores()
            matches += 1
            wins += ranks[seat] == 0 and ranks.count(0) == 1
            lead += scores[seat] - max(score for other, score in enumerate(scores) if other != seat)
    assert matches >= 18
    assert wins >= matches - 1
    assert lead / matches >= 20


def test_the_same_luck_gives_the_same_answers() -> None:
    """A match between greedy bots is repeatable, also after the same process has played others."""
    first = play(2, {0, 1}, 5)
    play(3, {0, 1, 2}, 6)
    again = play(2, {0, 1}, 5)
    assert again.observation(None) == first.observation(None)


def test_it_plays_with_every_option() -> None:
    """Options that it knows nothing about do not disturb it."""
    options = {"super_workplaces": True, "industry_turn": "half", "kick_own": True, "market": "sequential"}
    state = play(3, {0}, 7, **options)
    assert state.ranks()[0] == 0


def test_it_pays_what_is_asked_and_plays_what_it_can() -> None:
    """Paying spares it 2 EP a resource, and a card that can be played is played."""
    payment = position("payment", 2, stock={0: (4, 4, 4)})
    assert sum(payment.legal_actions()[answer(payment, Random(0))][1:]) == 4
    room = position(
        "workplaces", 2, places={"audience_room": [(0, 6)]}, hands={0: "eclipse_rite"}, stock={0: (9, 9, 9)}
    )
    assert listed(room)[answer(room, Random(0))] == "play eclipse_rite"


def test_it_speaks_the_protocol(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Ready for its game, silent at start and end, an index a turn; and it declines another game or version."""
    state = position("placement", 2, dice={0: (1, 2, 3), 1: (4, 5, 6)})
    turn = turn_message(state)
    hello = {"type": "hello", "protocol": 1, "game": "hell_village", "game_version": GAME.version}
    start = {"type": "start", "match": "m", "seat": 0, "seats": 2, "seed": 1}
    end = {"type": "end", "ranks": [0, 1], "scores": [1, 0], "reason": "game_over", "events": []}
    ready, played = converse(hell_village_greedy.main, [hello, start, turn, end], monkeypatch, capsys)
    assert ready == {"type": "ready", "reuse": True}
    assert played["action"] in range(len(turn["legal"]))
    for other in ({"game": "lanterns"}, {"game_version": GAME.version + 1}):
        assert converse(hell_village_greedy.main, [{**hello, **other}], monkeypatch, capsys) == [{"type": "decline"}]
