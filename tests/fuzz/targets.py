"""The targets of fuzzing: every reader of untrusted bytes. They may raise only declared errors."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Final

from arena.errors import SubmissionRefused, VerificationError
from arena.match.replay import read_replay, strip_times, verify
from arena.model.faults import BotFault
from arena.protocol.answers import judge
from arena.protocol.messages import encode, parse_answer, parse_ready
from arena.submission.manifest import read_manifest
from engine.catalog import get_game
from engine.walk import settle_chance

_GAME = get_game("burn_my_village")
_STATE = _GAME.new(2)
settle_chance(_STATE, Random(1))
_LEGAL = _STATE.legal_actions()


def protocol(data: bytes) -> None:
    """A line of a bot, in every place where one can stand."""
    try:
        parse_ready(data)
    except BotFault as fault:
        _printable(fault)
    for legal in ("full", "none"):
        for turn_required in (False, True):
            try:
                answer = parse_answer(data, turn=1, legal=legal, turn_required=turn_required)
                action = judge(_GAME, answer, _LEGAL, 1)
            except BotFault as fault:
                _printable(fault)
                continue
            assert action in _LEGAL
            # What is kept of it must be fit for replays and databases.
            kept = encode(answer.note)
            assert json.loads(kept) == answer.note and "\0" not in (answer.note or "")


def replay(data: bytes) -> None:
    """A file that is said to be a replay."""
    try:
        found = read_replay(data)
        strip_times(data)
        verify(found)
    except VerificationError as error:
        assert str(error)


def manifest(data: bytes) -> None:
    """A file that is said to be a `bot.toml`."""
    try:
        found = read_manifest(data)
    except SubmissionRefused as error:
        assert str(error)
    else:
        assert found.run and all(isinstance(argument, str) for argument in (*found.run, *found.build))


def _printable(fault: BotFault) -> None:
    assert fault.detail and "\n" not in fault.detail and "\x1b" not in fault.detail and len(fault.detail) < 2_000
    fault.detail.encode()


TARGETS: Final[dict[str, Callable[[bytes], None]]] = {"protocol": protocol, "replay": replay, "manifest": manifest}
