"""Protocol 1: convert JSON lines to messages and back. No pipe, no clock and no process is used here.

The arena writes ASCII JSON, and reads the lines of bots by strict rules. So every program reads a line in the same way.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

import orjson

from arena.errors import ArenaFault
from arena.model.causes import Cause
from arena.model.clock import Clock, TimeControl
from arena.model.faults import BotFault
from arena.model.rules import LeagueRules
from arena.protocol.strict_json import Unreadable, quote, read_object
from engine.core import Game

PROTOCOL: Final = 1
LINE_BYTES: Final = 65_536
"""Maximum length of a line of a bot, without its newline."""
MESSAGE_BYTES: Final = 1 << 20
"""Maximum length of a message of the arena, with its newline. A message of this length fits into a bot's pipe."""
NOTE_CHARACTERS: Final = 256
LegalMode = Literal["full", "none"]


@dataclass(frozen=True, slots=True)
class Ready:
    """The bot plays this league."""

    reuse: bool = False
    """Whether its process may be reused for another match."""
    legal: LegalMode = "full"
    """Whether its turn messages list the legal actions."""


@dataclass(frozen=True, slots=True)
class Decline:
    """The bot does not play this game."""


class Answer(NamedTuple):
    """A readable answer to a turn. The referee decides whether its action is allowed."""

    action: int | dict[str, Any]
    """Index into the legal actions, or an action object for `Game.decode`."""
    turn: int | None = None
    note: str | None = None


def encode(value: Any) -> bytes:
    """Return the value as compact ASCII JSON without a newline: a part of a message, or a complete one."""
    data = orjson.dumps(value)
    if data.isascii():
        return data
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode()


def encode_hello(game: Game, rules: LeagueRules) -> bytes:
    """Return the first line that a process receives: the game of this league, with its options and limits."""
    return _whole(
        encode(
            {
                "type": "hello",
                "protocol": PROTOCOL,
                "game": game.key,
                "game_version": game.version,
                "options": game.complete_options(rules.options),
                "seats": list(rules.seats),
                "time_control": {
                    **TimeControl.parse(rules.time_control).on_the_wire,
                    "startup_ms": round(rules.startup_s * 1000),
                },
                "memory_mb": rules.memory_mb,
                "line_bytes": LINE_BYTES,
            }
        )
    )


def encode_start(match: str, seat: int, seats: int, seed: int, clock: Clock) -> bytes:
    """Return the line that starts a match: its opaque token, and the bot's seat, seed (below 2**53) and clock."""
    return _whole(
        encode(
            {
                "type": "start",
                "match": match,
                "seat": seat,
                "seats": seats,
                "seed": seed,
                "clock": {"remaining_ms": clock.remaining_ms, "cap_ms": clock.cap_ms},
            }
        )
    )


def encode_turn(turn: int, observation: bytes, events: bytes, legal: bytes | None, clock: Clock) -> bytes:
    """Return the line that asks for one decision, built from encoded parts. If `legal` is None, it is omitted."""
    head = b'{"type":"turn","turn":%d,"clock":{"remaining_ms":%d,"cap_ms":%d},"observation":' % (
        turn,
        clock.remaining_ms,
        clock.cap_ms,
    )
    # A single join, with the newline, copies the long parts only once; formatting would copy them again.
    if legal is None:
        message = b"".join((head, observation, b',"events":', events, b"}\n"))
    else:
        message = b"".join((head, observation, b',"events":', events, b',"legal":', legal, b"}\n"))
    if len(message) > MESSAGE_BYTES:
        raise _too_long(message)
    return message


def encode_end(ranks: Sequence[int], scores: Sequence[float] | None, reason: str, events: bytes) -> bytes:
    """Return the line that ends a match. The scores are None (null) if the match ended before the game did."""
    return _whole(
        b'{"type":"end","ranks":%b,"scores":%b,"reason":%b,"events":%b}'
        % (encode(list(ranks)), encode(None if scores is None else list(scores)), encode(reason), events)
    )


def _whole(message: bytes) -> bytes:
    message += b"\n"
    if len(message) > MESSAGE_BYTES:
        raise _too_long(message)
    return message


def _too_long(message: bytes) -> ArenaFault:
    return ArenaFault(
        f"a message of {len(message) - 1} bytes: expected less than {MESSAGE_BYTES}; the game sends too much"
    )


def parse_ready(line: bytes) -> Ready | Decline:
    """Return the bot's answer to `hello`. Raises `BotFault` (`no_handshake`) if the line is any other message."""
    try:
        message = read_object(line)
        kind = message.get("type")
        if kind == "decline":
            return Decline()
        if kind != "ready":
            raise Unreadable('expected {"type":"ready"} or {"type":"decline"}')
        reuse = message.get("reuse", False)
        legal = message.get("legal", "full")
        if not isinstance(reuse, bool):
            raise Unreadable("expected true or false for reuse")
        if legal == "full" or legal == "none":
            return Ready(reuse, legal)
        raise Unreadable('expected "full" or "none" for legal')
    except Unreadable as error:
        raise BotFault(Cause.NO_HANDSHAKE, f"{error}, got {quote(line)}") from None


_SPACE = rb"[ \t\r]*"
_NATURAL = rb"(0|[1-9][0-9]{0,8})"
_INDEX_ANSWER = re.compile(
    rb'SPACE\{SPACE"action"SPACE:SPACENATURALSPACE(?:,SPACE"turn"SPACE:SPACENATURALSPACE)?\}SPACE'.replace(
        b"SPACE", _SPACE
    ).replace(b"NATURAL", _NATURAL)
)


def parse_answer(line: bytes, *, turn: int, legal: str, turn_required: bool) -> Answer:
    """Return the bot's answer to the turn message number `turn`. The line has no newline.

    `legal` is the mode that the bot asked for in `ready`. `turn_required` is true in leagues with strikes, because
    there an answer must name its turn. Raises `BotFault`: `malformed`, or `stale_turn` if it names another turn.

    >>> parse_answer(b'{"action": 3, "turn": 7}', turn=7, legal="full", turn_required=False)
    Answer(action=3, turn=7, note=None)
    """
    # Nearly every answer is a bare index, so one anchored pattern that accepts only an index is tried first.
    if legal == "full":
        if not turn_required and (cached := _PLAIN.get(line)) is not None:
            return cached
        if (simple := _INDEX_ANSWER.fullmatch(line)) is not None:
            index, named = simple.groups()
            if named is not None and int(named) == turn:
                return Answer(int(index), turn)
            if named is None and not turn_required:
                return _keep_plain(line, Answer(int(index)))
    try:
        answer = _read_answer(line, legal)
        if answer.turn is None and turn_required:
            raise Unreadable("expected the field turn, since this league allows strikes")
    except Unreadable as error:
        raise BotFault(Cause.MALFORMED, f"{error}, got {quote(line)}") from None
    if answer.turn is not None and answer.turn != turn:
        raise BotFault(Cause.STALE_TURN, f"expected an answer to turn {turn}, got one to turn {answer.turn}")
    return answer


_PLAIN: dict[bytes, Answer] = {}
"""Cache of short answers with a bare index and without a turn, by the line that a bot wrote."""
_PLAIN_LINES: Final = 1000
_PLAIN_BYTES: Final = 64


def _keep_plain(line: bytes, answer: Answer) -> Answer:
    if len(line) <= _PLAIN_BYTES:
        if len(_PLAIN) >= _PLAIN_LINES:
            _PLAIN.clear()
        _PLAIN[line] = answer
    return answer


def _read_answer(line: bytes, legal: str) -> Answer:
    message = read_object(line)
    if "action" not in message:
        raise Unreadable("expected the field action")
    action = message["action"]
    if isinstance(action, bool) or not isinstance(action, int | dict):
        raise Unreadable("expected an index or an object as action")
    if isinstance(action, int):
        if action < 0:
            raise Unreadable("expected an index of at least 0")
        if legal != "full":
            raise Unreadable("expected an action object, since this bot asked for no list of legal actions")
    turn = message.get("turn")
    if "turn" in message and (isinstance(turn, bool) or not isinstance(turn, int)):
        raise Unreadable("expected an integer for turn")
    note = message.get("note")
    if "note" in message and not isinstance(note, str):
        raise Unreadable("expected a text for note")
    return Answer(action, turn, note[:NOTE_CHARACTERS] if isinstance(note, str) else None)
