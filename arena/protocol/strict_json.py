"""JSON from bots, read by strict rules: what readers understand differently, or choke on, is refused here.

Refused: blank lines, a byte order mark, anything but an object, NaN and infinities (1e999 too), integers beyond 64
bits, nesting deeper than 32, a key twice in one object, lone surrogates, U+0000, all that is not UTF-8.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final, NoReturn

DEPTH: Final = 32
"""How deep objects and arrays of a bot's line may be nested."""
SMALLEST_INTEGER: Final = -(1 << 63)
LARGEST_INTEGER: Final = (1 << 64) - 1
_BLANKS = " \t\n\r"


class Unreadable(ValueError):
    """Why a line cannot be read: what was expected."""


def read_object(line: bytes) -> dict[str, Any]:
    """One line as an object, or `Unreadable`: strict where JSON readers differ from each other."""
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
    # Only an escape can bring in what UTF-8 and JSON themselves refuse.
    if "\\u" in text:
        for piece in _texts(value):
            if "\0" in piece:
                raise Unreadable("expected no U+0000")
            if any("\ud800" <= character <= "\udfff" for character in piece):
                raise Unreadable("expected no lone surrogate")
    return value


# A string that never ends counts as one to the end of the line: the work stays linear in its length.
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
    # Twenty digits are the most that 64 bits need; longer texts are slow to convert, and refused by Python itself.
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
    """What a bot wrote, fit for a message: in quotes, control characters escaped, cut after `limit` characters.

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
