"""The JSON Schema of every message, for bots and for programs that check bots.

Keep it in step with `arena.protocol.messages`, which parses and writes the messages.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.protocol.messages import LINE_BYTES, NOTE_CHARACTERS, PROTOCOL


def message_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of every message in both directions.

    Documentation and tests of the protocol use it.
    """
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
    """Return the schema of an arena's message. Every field is required except `legal`, which a bot may decline."""
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
