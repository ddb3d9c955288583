"""Tests of the protocol: the messages that the arena writes, and the meaning of each line of a bot."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from arena.errors import ArenaFault
from arena.model.causes import Cause
from arena.model.clock import Clock, TimeControl
from arena.model.faults import BotFault
from arena.model.rules import LeagueRules
from arena.protocol.messages import (
    LINE_BYTES,
    MESSAGE_BYTES,
    NOTE_CHARACTERS,
    Answer,
    Decline,
    Ready,
    encode,
    encode_end,
    encode_hello,
    encode_start,
    encode_turn,
    parse_answer,
    parse_ready,
)
from arena.protocol.schema import message_schema
from arena.protocol.strict_json import quote
from tests.support.tiny_game import GAME

RULES = LeagueRules(name="tiny", game="tiny", seats=(2, 4))


def a_clock() -> Clock:
    return Clock(TimeControl.parse("10+0.1/2"))


def read(line: bytes | str, *, turn: int = 7, legal: str = "full", turn_required: bool = False) -> Answer:
    raw = line.encode() if isinstance(line, str) else line
    return parse_answer(raw, turn=turn, legal=legal, turn_required=turn_required)


def cause_of(line: bytes | str, **how: Any) -> Cause:
    with pytest.raises(BotFault) as caught:
        read(line, **how)
    assert "expected" in caught.value.detail
    assert caught.value.detail.isprintable()
    return caught.value.cause


def nested(depth: int, inside: str = "1") -> str:
    """An answer whose deepest level is that one; the answer itself is the first, its action the second."""
    return '{"action":' + '{"a":' * (depth - 1) + inside + "}" * (depth - 1) + "}"


# What the arena writes

MESSAGES = {
    "hello": encode_hello(GAME, RULES),
    "start": encode_start("c0ffee", 1, 4, (1 << 53) - 1, a_clock()),
    "turn": encode_turn(12, b'{"viewer":1}', b'[{"type":"draw","seat":1}]', b'[{"type":"pass"}]', a_clock()),
    "turn without legal": encode_turn(0, b'{"viewer":1}', b"[]", None, a_clock()),
    "end": encode_end((0, 1), (3.5, 1), "game_over", b"[]"),
    "early end": encode_end((0, 1), None, "forfeits", b"[]"),
}


@pytest.mark.parametrize("name", MESSAGES)
def test_a_message_is_one_ascii_line(name: str) -> None:
    """Every message is ASCII JSON with one newline, at its end."""
    message = MESSAGES[name]
    assert message.isascii()
    assert message.count(b"\n") == 1
    assert message.endswith(b"}\n")
    json.loads(message)


@pytest.mark.parametrize("name", MESSAGES)
def test_messages_are_as_the_schema_says(name: str) -> None:
    """What the encoders write validates against the published schema, as exactly one kind of message."""
    schema = message_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(MESSAGES[name]), {**schema, "anyOf": [{"$ref": "#/$defs/from_arena"}]})


@pytest.mark.parametrize(
    ("message", "valid"),
    [
        ({"type": "ready"}, True),
        ({"type": "ready", "reuse": True, "legal": "none", "author": "me"}, True),
        ({"type": "ready", "reuse": 1}, False),
        ({"type": "decline"}, True),
        ({"action": 3, "turn": 4, "note": "why"}, True),
        ({"action": {"type": "pass"}}, True),
        ({"action": -1}, False),
        ({"note": "nothing"}, False),
    ],
)
def test_the_schema_agrees_with_the_readers(message: dict[str, Any], valid: bool) -> None:
    """The schema takes a bot's message exactly if the readers do."""
    validator = jsonschema.Draft202012Validator({**message_schema(), "anyOf": [{"$ref": "#/$defs/from_bot"}]})
    assert validator.is_valid(message) is valid
    line = json.dumps(message).encode()
    try:
        parse_ready(line) if "type" in message else read(line, turn=message.get("turn", 7))
        read_well = True
    except BotFault:
        read_well = False
    assert read_well is valid


def test_hello_tells_the_league() -> None:
    """`hello` carries the game with all its options settled, the seat counts, the limits."""
    hello = json.loads(MESSAGES["hello"])
    assert hello["options"] == GAME.complete_options()
    assert hello["seats"] == [2, 4]
    assert hello["time_control"] == {"base_ms": 10_000, "increment_ms": 100, "cap_ms": 2_000, "startup_ms": 10_000}
    assert (hello["memory_mb"], hello["line_bytes"]) == (512, LINE_BYTES)


def test_legal_is_left_out_where_nobody_asked_for_it() -> None:
    """A bot that said `"legal":"none"` gets no list, not an empty one."""
    assert "legal" not in json.loads(MESSAGES["turn without legal"])


def test_text_beyond_ascii_is_escaped() -> None:
    """Every reader gets the same text, whatever encoding it takes its input for."""
    assert encode({"name": "Zoë"}) == b'{"name":"Zo\\u00eb"}'


def test_a_message_that_fits_no_pipe_is_the_arenas_fault() -> None:
    """A message over 1 MiB, newline included, is refused where it is made."""
    overhead = len(encode_turn(0, b"", b"[]", None, a_clock()))
    encode_turn(0, b" " * (MESSAGE_BYTES - overhead), b"[]", None, a_clock())
    with pytest.raises(ArenaFault, match="expected less than"):
        encode_turn(0, b" " * (MESSAGE_BYTES - overhead + 1), b"[]", None, a_clock())


# What bots write: the handshake


@pytest.mark.parametrize(
    ("line", "meaning"),
    [
        (b'{"type":"ready"}', Ready(reuse=False, legal="full")),
        (b'{"type":"ready","reuse":true,"legal":"none"}\r', Ready(reuse=True, legal="none")),
        (b'{"type":"ready","name":"Zo\xc3\xab"}', Ready()),
        (b'{"type":"decline","reason":"no cards"}', Decline()),
    ],
)
def test_a_handshake_is_ready_or_decline(line: bytes, meaning: Ready | Decline) -> None:
    """Defaults hold for what is left out, and unknown fields are ignored."""
    assert parse_ready(line) == meaning


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"MegaBot 3000",
        b"[]",
        b'{"type":"Ready"}',
        b'{"ready":true}',
        b'{"action":0}',
        b'{"type":"ready","reuse":"yes"}',
        b'{"type":"ready","legal":"some"}',
        b'{"type":"ready","type":"decline"}',
        b'{"type":["ready"]}',
    ],
)
def test_anything_else_is_no_handshake(line: bytes) -> None:
    """A first line that is neither message is `no_handshake`, with the line quoted."""
    with pytest.raises(BotFault, match="expected") as caught:
        parse_ready(line)
    assert caught.value.cause is Cause.NO_HANDSHAKE


# What bots write: answers


@pytest.mark.parametrize(
    ("line", "meaning"),
    [
        ('{"action":0}', Answer(0)),
        ('{"action": 12, "turn": 7}', Answer(12, 7)),
        ('{"turn":7,"action":12}', Answer(12, 7)),
        (' {"action":3}\t\r', Answer(3)),
        ('{"action":{"type":"play","card":5},"note":"high"}', Answer({"type": "play", "card": 5}, None, "high")),
        ('{"type":"answer","action":1,"extra":[1,2,{"a":null}]}', Answer(1)),
        ('{"\\u0061ction":1}', Answer(1)),
        ('{"action":1,"note":"\\ud83d\\ude00 \\\\u0000"}', Answer(1, None, "\U0001f600 \\u0000")),
        (f'{{"action":{(1 << 64) - 1}}}', Answer((1 << 64) - 1)),
        (f'{{"action":0,"x":{-(1 << 63)}}}', Answer(0)),
        ('{"action":0,"x":1e308}', Answer(0)),
        (nested(32), Answer(json.loads(nested(32))["action"])),
        ('{"action":0,"note":"' + "[" * 99 + '"}', Answer(0, None, "[" * 99)),
    ],
)
def test_an_answer_that_can_be_read(line: str, meaning: Answer) -> None:
    """Just inside every limit of the format an answer means what it says."""
    assert read(line) == meaning


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b" \t\r",
        b'\xef\xbb\xbf{"action":0}',
        b"[0]",
        b'"action"',
        b"0",
        b"null",
        b'{"action":NaN}',
        b'{"action":0,"x":NaN}',
        b'{"action":0,"x":Infinity}',
        b'{"action":0,"x":-Infinity}',
        b'{"action":0,"x":1e999}',
        b'{"action":0,"x":-1e999}',
        b'{"action":18446744073709551616}',
        b'{"action":0,"x":-9223372036854775809}',
        b'{"action":0,"x":' + b"9" * 5000 + b"}",
        nested(33).encode(),
        b'{"action":0,"x":' + b"[" * 20_000 + b"]" * 20_000 + b"}",
        b"[" * 60_000,
        b'{"action":0,"action":0}',
        b'{"action":{"card":1,"card":1}}',
        b'{"action":0,"\\u0061ction":0}',
        b'{"action":0,"note":"\\ud800"}',
        b'{"action":0,"note":"\\udc00\\ud800"}',
        b'{"action":0,"x":{"\\udfff":1}}',
        b'{"action":0,"note":"\xed\xa0\x80"}',
        b'{"action":0,"note":"\xff"}',
        b'{"action":0,"note":"\\u0000"}',
        b'{"action":0,"x":["\\u0000"]}',
        b'{"action":0,"note":"\x00"}',
        b'{"action":0}\x00',
        b"{}",
        b'{"move":0}',
        b'{"action":true}',
        b'{"action":1.0}',
        b'{"action":1e0}',
        b'{"action":null}',
        b'{"action":"0"}',
        b'{"action":[0]}',
        b'{"action":-1}',
        b'{"action":01}',
        b'{"action":+1}',
        b"{'action':0}",
        b'{"action":0,}',
        b'{"action":0} {"action":0}',
        b'{"action":0,"turn":"7"}',
        b'{"action":0,"turn":7.0}',
        b'{"action":0,"turn":true}',
        b'{"action":0,"turn":null}',
        b'{"action":0,"note":5}',
        b'{\xc2\xa0"action":0}',
        b'{"action":\xd9\xa1}',
    ],
)
def test_an_answer_that_cannot_be_read(line: bytes) -> None:
    """Just outside every limit of the format an answer is malformed."""
    assert cause_of(line) is Cause.MALFORMED


def test_an_index_means_nothing_without_a_list() -> None:
    """After `"legal":"none"` only action objects are answers."""
    assert cause_of('{"action":0}', legal="none") is Cause.MALFORMED
    assert read('{"action":{"type":"pass"}}', legal="none").action == {"type": "pass"}


@pytest.mark.parametrize("line", ['{"action":0,"turn":6}', '{"turn":8,"action":{}}', '{"action":0,"turn":-1}'])
def test_an_answer_to_another_turn_is_stale(line: str) -> None:
    """A `turn` that is not the asked one is `stale_turn`, however the answer is written."""
    assert cause_of(line) is Cause.STALE_TURN


@pytest.mark.parametrize("line", ['{"action":0}', '{"action":{}}'])
def test_with_strikes_an_answer_must_name_its_turn(line: str) -> None:
    """Where a late answer may still come in, nobody may have to guess which turn an answer means."""
    assert cause_of(line, turn_required=True) is Cause.MALFORMED
    assert read(line[:-1] + ',"turn":7}', turn_required=True).turn == 7


def test_a_note_is_cut() -> None:
    """A note of any length is kept up to its limit, and costs nothing."""
    assert read('{"action":0,"note":"' + "ä" * 1000 + '"}').note == "ä" * NOTE_CHARACTERS


@given(st.binary(max_size=300))
@example(b'{"action":' + b'"\\' * 100)
@example(b"\\" * 100 + b'"{[' * 40)
def test_any_bytes_are_read_or_refused(line: bytes) -> None:
    """Whatever a bot writes is an answer or a fault of the bot, never another error, and its quote is printable."""
    for parse in (lambda: read(line), lambda: parse_ready(line)):
        try:
            parse()
        except BotFault as fault:
            assert fault.detail.isprintable()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(["action", "turn", "note", "x"]), JSON, max_size=4))
def test_what_is_read_is_what_was_written(message: dict[str, Any]) -> None:
    """An answer that is taken has exactly the written action, and nothing in it that a store could choke on."""
    line = json.dumps(message).encode()
    try:
        answer = read(line)
    except BotFault:
        return
    assert answer.action == message["action"]
    assert "\\u0000" not in json.dumps(answer.action)
    json.dumps([answer.action, answer.note], ensure_ascii=False).encode()


def test_the_depth_count_is_linear() -> None:
    """The longest line of quotes and brackets that may come is read in one pass over it."""
    line = b'{"action":0,"x":"' + b'\\"[' * 21_000
    assert cause_of(line) is Cause.MALFORMED


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        (b"plain", "'plain'"),
        (b"\x1b]0;owned\x07", "'\\x1b]0;owned\\x07'"),
        ("\u202eevil".encode(), "'\\u202eevil'"),
        (b"\xff\xfe", "'\\xff\\xfe'"),
        (b"a" * 500, "'" + "a" * 200 + "'… (500 bytes)"),
        ("é".encode() * 201, "'" + "é" * 200 + "'… (402 bytes)"),
    ],
)
def test_bot_output_is_quoted_harmlessly(raw: bytes, shown: str) -> None:
    """A quote has no control characters, no tricks of direction, and a bounded length."""
    assert quote(raw) == shown
