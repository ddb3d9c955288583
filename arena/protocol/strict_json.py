"""Read JSON from bots by strict rules. Refuse JSON that parsers read differently, or cannot read at all.

The following is refused: blank lines, a byte order mark, any value except an object, NaN and infinities (also 1e999),
integers beyond 64 bits, nesting deeper than 32 levels, duplicate keys in one object, lone surrogates, U+0000, and bytes
that are not UTF-8.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final, NoReturn

DEPTH: Final = 32
"""Maximum nesting depth of objects and arrays in a bot's line."""
SMALLEST_INTEGER: Final = -(1 << 63)
LARGEST_INTEGER: Final = (1 << 64) - 1
_BLANKS = " \t\n\r"


class Unreadable(ValueError):
    """A line cannot be read. The message names what was expected."""


def read_object(line: bytes) -> dict[str, Any]:
    """Return the object in this line. Raises `Unreadable` if a strict rule forbids the line."""
    if not line.strip(b" \t\r"):
        raise Unreadable("expected a JSON object, got a blank line")
    if line.startswith(b"\xef\xbb\xbf"):
        raise Unreadable("expected no byte order mark")
    if line.count(b"{") + line.count(b"[") > DEPTH and _depth(line) > DEPTH:
        raise Unreadable(f"expected nesting of at most {DEPTH} levels")
    try:
        text = line.decode()
    except UnicodeDecodeError:
        raise Unreadable("expected UTF-8") from None
    try:
        value, end = _DECODER.raw_decode(text, len(text) - len(text.lstrip(_BLANKS)))
    except json.JSONDecodeError as error:
        raise Unreadable(f"expected a JSON object, but character {error.pos} cannot be read as JSON") from None
    if text[end:].strip(_BLANKS):
        raise Unreadable(f"expected one JSON object in a line, but more text follows at character {end}")
    if not isinstance(value, dict):
        raise Unreadable("expected a JSON object")
    # UTF-8 and JSON refuse these characters themselves, so only an escape can produce them.
    if "\\u" in text:
        for piece in _texts(value):
            if "\0" in piece:
                raise Unreadable("expected no U+0000")
            if any("\ud800" <= character <= "\udfff" for character in piece):
                raise Unreadable("expected no lone surrogate")
    return value


# An unterminated string counts as a string to the end of the line, so the time stays linear in the length.
_BRACKETS = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[\[{]|[\]}]', re.DOTALL)


def _depth(line: bytes) -> int:
    deepest = depth = 0
    for token in _BRACKETS.finditer(line):
        first = line[token.start()]
        if first in b"[{":
            depth += 1
            deepest = max(deepest, depth)
        elif first in b"]}":
            depth -= 1
    return deepest


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, entry in value.items():
            yield key
            yield from _texts(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from _texts(entry)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise Unreadable("expected each key once")
    return made


def _integer(text: str) -> int:
    # 64 bits need at most twenty characters. Longer numbers are slow to convert, and Python refuses very long ones.
    value = int(text) if len(text) <= 20 else LARGEST_INTEGER + 1
    if not SMALLEST_INTEGER <= value <= LARGEST_INTEGER:
        raise Unreadable("expected integers of at most 64 bits")
    return value


def _number(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise Unreadable("expected numbers within the range of a double")
    return value


def _constant(text: str) -> NoReturn:
    raise Unreadable(f"expected JSON, which has no {text}")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer, parse_float=_number, parse_constant=_constant
)


def quote(raw: bytes, limit: int = 200) -> str:
    """Return the output of a bot for use in a message: quoted, escaped, and truncated to `limit` characters.

    >>> print(quote(b"hi\\x1b[31m"))
    'hi\\x1b[31m'
    >>> quote(b"0123456789", limit=4)
    "'0123'… (10 bytes)"
    """
    text = raw[: limit * 4].decode(errors="backslashreplace")
    shown = "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in text[:limit]
    )
    cut = len(text) > limit or len(raw) > limit * 4
    return f"'{shown}'… ({len(raw)} bytes)" if cut else f"'{shown}'"
