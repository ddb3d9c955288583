"""The golden playthroughs: every built-in game has one for each seat count, and still plays it."""

from __future__ import annotations

import pytest

from engine.catalog import BUILT_IN
from engine.core import Game
from tests.engine.contract import games
from tests.engine.playthrough import FOLDER, path_of, playthrough

BUILT_IN_GAMES = [(game, seats) for game in games() if game.key in BUILT_IN for seats in game.seats]


@pytest.mark.parametrize(("game", "seats"), BUILT_IN_GAMES, ids=lambda value: getattr(value, "key", str(value)))
def test_a_playthrough_is_played_as_written(game: Game, seats: int) -> None:
    """The same actions, events, views, pictures and results as in the file; `make golden` writes it anew."""
    path = path_of(game, seats)
    assert path.exists(), f"{path} is missing: run `make golden`"
    written = path.read_text("utf-8").splitlines()
    played = playthrough(game, seats).splitlines()
    for number, (old, new) in enumerate(zip(written, played, strict=False), 1):
        assert new == old, f"{path}:{number} differs: if that is meant, run `make golden` and read the difference"
    assert len(played) == len(written)


def test_no_playthrough_is_left_over() -> None:
    """Each file belongs to a game and seat count."""
    assert {path.name for path in FOLDER.glob("*")} == {path_of(game, seats).name for game, seats in BUILT_IN_GAMES}
