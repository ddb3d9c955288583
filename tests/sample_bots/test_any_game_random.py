"""The random bot that plays every game."""

from __future__ import annotations

import pytest

from engine.core import Game
from tests.engine.contract import games
from tests.sample_bots.bots import BotProcess, command_of


@pytest.mark.parametrize("game", games(), ids=lambda game: game.key)
def test_one_bot_plays_any_game(game: Game) -> None:
    """`any_game_random` finishes a match of every registered game, at the smallest and the largest table."""
    command = command_of("any_game_random.py")
    assert command
    with BotProcess(command) as bot:
        assert bot.greet(game.key) == {"type": "ready", "reuse": True}
        for seats in (game.seats[0], game.seats[-1]):
            assert bot.play(game, seats, 0, 3)
