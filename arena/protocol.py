"""Protocol 1: JSON lines to messages and back. Pure: no pipe, no clock, no process.

The arena writes ASCII JSON and reads what bots write by strict rules, so that one line means one thing to everybody.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

import orjson

from arena.errors import ArenaFault, Cause
from arena.model.clock import Clock, TimeControl
from arena.model.faults import BotFault
from arena.model.rules import LeagueRules
from arena.strict_json import Unreadable, quote, read_object
from engine.core import Game

__all__ = [  # `quote` is offered here too: whoever judges a line also quotes it
    "LINE_BYTES",
    "MESSAGE_BYTES",
    "NOTE_CHARACTERS",
    "PROTOCOL",
    "Answer",
    "Decline",
    "LegalMode",
    "Ready",
    "encode",
    "encode_end",
    "encode_hello",
    "encode_start",
    "encode_turn",
    "message_schema",
    "parse_answer",
    "parse_ready",
    "quote",
]

PROTOCOL: Final = 1
LINE_BYTES: Final = 65_536
"""The longest line of a bot, its newline not counted."""
MESSAGE_BYTES: Final = 1 << 20
"""The longest message of the arena, its newline included: so much fits into a bot's pipe at once."""
NOTE_CHARACTERS: Final = 256
LegalMode = Literal["full", "none"]


@dataclass(frozen=True, slots=True)
class Ready:
    """The bot plays this league."""

    reuse: bool = False
    """It may be kept for another match."""
    legal: LegalMode = "full"
    """Whether its turn messages list the legal actions."""


@dataclass(frozen=True, slots=True)
class Decline:
    """The bot does not play this game."""


class Answer(NamedTuple):
    """A readable answer to a turn; whether its action is allowed is for the referee to say."""

    action: int | dict[str, Any]
    """Index into the legal actions, or an action object for `Game.decode`."""
    turn: int | None = None
    note: str | None = None


def encode(value: Any) -> bytes:
    """The value as compact ASCII JSON without a newline: a part of a message, or a whole one."""
    data = orjson.dumps(value)
    if data.isascii():
        return data
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode()


def encode_hello(game: Game, rules: LeagueRules) -> bytes:
    """The first line that a process hears: what this league plays, and under which limits."""
    return _whole(
        encode(
            {
                "type": "hello",
                "protocol": PROTOCOL,
                "game": game.key,
                "game_version": game.version,
                "options": game.settle_options(rules.options),
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
    """The line that begins a match: its opaque token, the bot's place, its own seed (below 2**53), its time."""
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
    """The line that asks for one decision, put together from parts that are JSON already; no `legal` for None."""
    head = b'{"type":"turn","turn":%d,"clock":{"remaining_ms":%d,"cap_ms":%d},"observation":' % (
        turn,
        clock.remaining_ms,
        clock.cap_ms,
    )
    # Joined, not formatted, and with its newline: the long parts are copied once.
    if legal is None:
        message = b"".join((head, observation, b',"events":', events, b"}\n"))
    else:
        message = b"".join((head, observation, b',"events":', events, b',"legal":', legal, b"}\n"))
    if len(message) > MESSAGE_BYTES:
        raise _too_long(message)
    return message


def encode_end(ranks: Sequence[int], scores: Sequence[float] | None, reason: str, events: bytes) -> bytes:
    """The line that ends a match; no scores (null) where the match ended before the game did."""
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
    """The bot's answer to `hello`. Raises `BotFault` (`no_handshake`) when it is neither."""
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
    """The bot's answer to the turn message number `turn`, one line without its newline.

    `legal` is what the bot asked for in `ready`; `turn_required` holds in leagues with strikes, where an answer must
    show which turn it means. Raises `BotFault`: `malformed`, or `stale_turn` for another turn's answer.

    >>> parse_answer(b'{"action": 3, "turn": 7}', turn=7, legal="full", turn_required=False)
    Answer(action=3, turn=7, note=None)
    """
    # Nearly every answer is a bare index: one match of an anchored pattern that admits nothing but that.
    if legal == "full":
        if not turn_required and (heard_before := _PLAIN.get(line)) is not None:
            return heard_before
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
"""Bare indices without a turn, as bots wrote them, and what they mean: short lines, and not many."""
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


def message_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of every message, both ways; documentation and checks of the wire come from it."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"league arena, protocol {PROTOCOL}",
        "description": "One JSON object a line. The arena sends hello, start, turn and end; a bot answers hello with "
        "ready or decline, and each turn with an answer. Unknown fields at the top of a message are ignored.",
        "anyOf": [{"$ref": "#/$defs/from_arena"}, {"$ref": "#/$defs/from_bot"}],
        "$defs": {
            "from_arena": {"oneOf": [{"$ref": f"#/$defs/{name}"} for name in ("hello", "start", "turn", "end")]},
            "from_bot": {"anyOf": [{"$ref": f"#/$defs/{name}"} for name in ("ready", "decline", "answer")]},
            **_arena_messages(),
            **_bot_messages(),
        },
    }


_COUNT = {"type": "integer", "minimum": 0}
_CLOCK = {
    "type": "object",
    "description": "The bot's time: what is left in the match, and the most that one turn may take.",
    "properties": {"remaining_ms": _COUNT, "cap_ms": _COUNT},
    "required": ["remaining_ms", "cap_ms"],
}
_EVENTS = {
    "type": "array",
    "description": "What happened since this seat's last turn message of this match, as this seat may see it.",
    "items": {"type": "object", "required": ["type"], "properties": {"type": {"type": "string"}}},
}


def _message(kind: str, description: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """An arena's message: every field is always there, save `legal`, which a bot may have asked to be left out."""
    return {
        "type": "object",
        "description": description,
        "properties": {"type": {"const": kind}, **fields},
        "required": ["type", *(name for name in fields if name != "legal")],
    }


def _arena_messages() -> dict[str, Any]:
    control = {f"{name}_ms": _COUNT for name in ("base", "increment", "cap", "startup")}
    return {
        "hello": _message(
            "hello",
            "First line to a process: what this league plays, and under which limits.",
            {
                "protocol": {"const": PROTOCOL},
                "game": {"type": "string"},
                "game_version": _COUNT,
                "options": {"type": "object"},
                "seats": {"type": "array", "items": {"type": "integer", "minimum": 1}, "minItems": 1},
                "time_control": {"type": "object", "properties": control, "required": list(control)},
                "memory_mb": _COUNT,
                "line_bytes": {"const": LINE_BYTES},
            },
        ),
        "start": _message(
            "start",
            "A match begins. No answer; work done on it counts on the first turn.",
            {
                "match": {"type": "string"},
                "seat": _COUNT,
                "seats": {"type": "integer", "minimum": 1},
                "seed": {"type": "integer", "minimum": 0, "maximum": (1 << 53) - 1},
                "clock": _CLOCK,
            },
        ),
        "turn": _message(
            "turn",
            "Asks for one decision. `turn` counts the decisions of all seats so far.",
            {
                "turn": _COUNT,
                "clock": _CLOCK,
                "observation": {"type": "object"},
                "events": _EVENTS,
                "legal": {"type": "array", "items": {"type": "object"}, "minItems": 1},
            },
        ),
        "end": _message(
            "end",
            "The match is over. Scores are null where it ended before the game did. No answer.",
            {
                "ranks": {"type": "array", "items": _COUNT},
                "scores": {"anyOf": [{"type": "null"}, {"type": "array", "items": {"type": "number"}}]},
                "reason": {"type": "string"},
                "events": _EVENTS,
            },
        ),
    }


def _bot_messages() -> dict[str, Any]:
    return {
        "ready": {
            "type": "object",
            "description": "Answer to hello: this bot plays.",
            "properties": {
                "type": {"const": "ready"},
                "reuse": {"type": "boolean", "default": False, "description": "May be kept for another match."},
                "legal": {"enum": ["full", "none"], "default": "full"},
            },
            "required": ["type"],
        },
        "decline": {
            "type": "object",
            "description": "Answer to hello: this bot does not play this game.",
            "properties": {"type": {"const": "decline"}},
            "required": ["type"],
        },
        "answer": {
            "type": "object",
            "description": "Answer to a turn.",
            "properties": {
                "action": {
                    "description": "Index into `legal`, or an action object.",
                    "anyOf": [{"type": "integer", "minimum": 0}, {"type": "object"}],
                },
                "turn": {"type": "integer", "description": "The turn that is answered; required where strikes are."},
                "note": {"type": "string", "description": f"Kept in the replay, cut at {NOTE_CHARACTERS} characters."},
            },
            "required": ["action"],
        },
    }
