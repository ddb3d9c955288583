"""TOML of strangers: what would take long to parse, or overflow something, is refused before it is parsed."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from typing import Any, Final

from arena.text.sanitize import quoted, terminal

_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
# Texts and comments as TOML has them. One without an end is an error in that place: what follows is never parsed.
_APART: Final = re.compile(
    r"""#[^\n]*|"{3}(?:[^\\"]|\\.|"{1,2}(?!"))*+"{0,5}|'{3}(?:[^']|'{1,2}(?!'))*+'{0,5}"""
    r"""|"(?:[^\\"\n]|\\.)*+"?|'[^'\n]*+'?""",
    re.DOTALL,
)
_WORD: Final = re.compile(r"[\w+-]+")


@dataclass(frozen=True, slots=True)
class TomlBounds:
    """The most that one file may have, each counted outside of texts and comments."""

    keys: int
    """Signs `=`."""
    dots: int
    """The time to read dotted keys grows with the square of their number."""
    brackets: int
    """Opening brackets and braces, so that little can be nested."""
    word: int = 100
    """Characters of a key or number."""


def read_table(data: bytes, what: str, bounds: TomlBounds) -> dict[str, Any]:
    """The tables in the content of a file, which errors call `what`. Raises `ValueError` in one sentence."""
    try:
        text = data.removeprefix(_BYTE_ORDER_MARK).decode()  # editors on Windows begin a file with that mark
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
    except (ValueError, RecursionError) as error:  # dates that there are not are a plain ValueError
        raise ValueError(f"{what} is not valid TOML: {terminal(str(error) or 'nested too deeply', 200)}") from error
