"""The picture of a position of a match, as one viewer sees it, checked before it is shown."""

from __future__ import annotations

from itertools import islice

from arena.errors import ArenaError, UsageError
from arena.match.replay import Replay, Rerun
from arena.match.replay_format import ChanceRecord
from engine.core import State, Viewer
from engine.svg_check import PictureError, check_picture


def picture_after(replay: Replay, turn: int | None = None, viewer: Viewer = None) -> str:
    """Return an SVG of the position after this turn, or of the last position, with what the viewer knows then.

    Raises `UsageError` if the match has no such turn or seat, or if the game draws no pictures, `ArenaError` if its
    picture holds more than plain drawing, and `VerificationError` if an action cannot be played.
    """
    header = replay.header
    if viewer is not None and viewer >= header.seats:
        raise UsageError(f"match {header.match} has no seat {viewer}: expected 0 to {header.seats - 1}")
    state = _state_after(replay, turn)
    svg = state.game.picture(state.observation(viewer))
    if svg is None:
        raise UsageError(f"{header.game} draws no pictures: `arena match replay` shows its positions as text")
    try:
        return check_picture(svg)
    except PictureError as error:
        raise ArenaError(f"the picture of {header.game} cannot be shown: {error}") from error


def _state_after(replay: Replay, turn: int | None) -> State:
    turns = [None if isinstance(record, ChanceRecord) else record.turn for record in replay.records]
    records = len(turns)
    if turn is not None:
        if turn not in turns:
            last = max((number for number in turns if number is not None), default=None)
            expected = "it has no turns" if last is None else f"expected 0 to {last}"
            raise UsageError(f"match {replay.header.match} has no turn {turn}: {expected}")
        records -= turns[::-1].index(turn)  # a forfeit and the action that the arena chose share their turn
    rerun = Rerun(replay, exact=False)
    for _ in islice(rerun.steps(), records):
        pass
    return rerun.state
