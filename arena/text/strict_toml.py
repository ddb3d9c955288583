"""Read untrusted TOML: refuse text that would take long to parse, or overflow something, before parsing it."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from typing import Any, Final

from arena.text.sanitize import quoted, terminal

_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
# Matches TOML strings and comments. A string without an end is an error there, so TOML after it is never parsed.
_APART: Final = re.compile(
    r"""#[^\n]*|"{3}(?:[^\\"]|\\.|"{1,2}(?!"))*+"{0,5}|'{3}(?:[^']|'{1,2}(?!'))*+'{0,5}"""
    r"""|"(?:[^\\"\n]|\\.)*+"?|'[^'\n]*+'?""",
    re.DOTALL,
)
_WORD: Final = re.compile(r"[\w+-]+")


@dataclass(frozen=True, slots=True)
class TomlBounds:
    """The limits of one file, counted outside of strings and comments."""

    keys: int
    """Maximum number of `=` signs."""
    dots: int
    """Maximum number of dots: the time to read dotted keys grows with the square of their number."""
    brackets: int
    """Maximum number of opening brackets and braces, which limits nesting."""
    word: int = 100
    """Maximum number of characters of a key or number."""


def read_table(data: bytes, what: str, bounds: TomlBounds) -> dict[str, Any]:
    """Return the tables of a TOML file. Raises `ValueError` with one sentence, which calls the file `what`."""
    try:
        text = data.removeprefix(_BYTE_ORDER_MARK).decode()  # editors on Windows start a file with this mark
    except UnicodeDecodeError as error:
        raise ValueError(f"{what} is not UTF-8 text: byte {error.start} cannot be read") from error
    bare = _APART.sub(" ", text)
    counts = (("=", bounds.keys, "keys"), (".", bounds.dots, "dots"), ("[{", bounds.brackets, "brackets"))
    for signs, most, name in counts:
        if sum(map(bare.count, signs)) > most:
            raise ValueError(f"{what} has too many {name}: expected at most {most:,}")
    longest = max(_WORD.findall(bare), key=len, default="")
    if len(longest) > bounds.word:
        raise ValueError(
            f"{what}: expected keys and numbers of at most {bounds.word} characters, got {quoted(longest)}"
        )
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # a date that does not exist raises a plain ValueError
        raise ValueError(f"{what} is not valid TOML: {terminal(str(error) or 'nested too deeply', 200)}") from error
