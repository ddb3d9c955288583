"""The picture of a position of a replay: the right turn, the right viewer, and nothing but plain drawing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from arena.errors import ArenaError, UsageError
from arena.match.pictures import picture_after
from arena.match.replay import Replay, read_replay, steps
from arena.match.replay_format import TurnRecord
from arena.model.causes import Cause
from arena.model.faults import BotFault
from engine.svg import Picture
from tests.support.helpers import FakeSession, play, until
from tests.support.tiny_game import TinyGame

pytestmark = pytest.mark.usefixtures("tiny_game")


def drawn(_game: TinyGame, observation: Mapping[str, Any]) -> str:
    """A picture that says what it was drawn from."""
    picture = Picture("High or Low", f"turn {observation['turn']} as {observation['viewer']}")
    picture.text(10, 20, str(observation.get("hand", "")))
    return picture.svg(40)


@pytest.fixture
def replay(monkeypatch: pytest.MonkeyPatch) -> Replay:
    """A match of three seats, in which seat 1 forfeits at turn 4, and a game that draws."""
    monkeypatch.setattr(TinyGame, "picture", drawn)
    table = [FakeSession(), FakeSession(until(4, BotFault(Cause.CRASHED, "status 3"))), FakeSession()]
    return read_replay(play(table).replay)


def test_the_position_is_that_after_the_turn(replay: Replay) -> None:
    """Each turn by its number, one with a forfeit too, and the last position without a number."""
    turns = [record.turn for record in replay.records if isinstance(record, TurnRecord)]
    assert len(turns) > 4
    for turn in turns:
        assert f"turn {turn + 1} as None" in picture_after(replay, turn)
    assert f"turn {len(turns)} as None" in picture_after(replay)


def test_each_viewer_gets_its_own_picture(replay: Replay) -> None:
    """It is drawn from the observation of this viewer, whichever it is."""
    states = [state.clone() for state, record, _ in steps(replay) if isinstance(record, TurnRecord)]
    for viewer in (None, 0, 1, 2):
        expected = drawn(TinyGame(), states[2].observation(viewer))
        assert picture_after(replay, 2, viewer) == expected


@pytest.mark.parametrize(("turn", "viewer", "reason"), [
    (99, None, r"^match \S+ has no turn 99: expected 0 to \d+$"),
    (0, 3, r"^match \S+ has no seat 3: expected 0 to 2$"),
])  # fmt: skip
def test_what_is_not_there_is_named(replay: Replay, turn: int, viewer: int | None, reason: str) -> None:
    """The message says what there is."""
    with pytest.raises(UsageError, match=reason):
        picture_after(replay, turn, viewer)


def test_a_game_without_pictures_says_so(replay: Replay, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user is told what shows the position."""
    monkeypatch.setattr(TinyGame, "picture", lambda _game, _observation: None)
    with pytest.raises(UsageError, match="tiny draws no pictures: `arena match replay` shows"):
        picture_after(replay, 0)


def test_a_picture_that_is_more_than_a_drawing_is_not_shown(replay: Replay, monkeypatch: pytest.MonkeyPatch) -> None:
    """The picture of a game from another package is checked like every other."""
    svg = drawn(TinyGame(), {"turn": 0, "viewer": None}).replace("</svg>", "<script>alert(1)</script></svg>")
    monkeypatch.setattr(TinyGame, "picture", lambda _game, _observation: svg)
    with pytest.raises(ArenaError, match=r"the picture of tiny cannot be shown: line .* 'script' is not allowed"):
        picture_after(replay, 0)
